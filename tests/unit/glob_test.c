// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "auxbpf_glob.h"
#include "check.h"
#include "rules/glob.h"

static int compile(struct auxbpf_glob *glob, const char *pattern)
{
	char message[256] = "";
	int err = glob__compile(glob, pattern, message, sizeof(message));

	CHECK_EQ(!*message, !err);
	return err;
}

static bool match(const struct auxbpf_glob *glob, const char *name)
{
	char comm[AUXBPF_COMM_LEN] = "";

	memcpy(comm, name, strlen(name));
	return auxbpf_glob__match(glob, comm);
}

static void test_match(void)
{
	static const struct {
		const char *pattern, *name;
		bool want;
	} cases[] = {
		{"bash", "bash", true},
		{"bash", "bas", false},
		{"bash", "bashx", false},
		{"*", "", true},
		{"*", "123456789012345", true},
		{"post*", "postgres", true},
		{"post*", "post", true},
		{"*sql*", "mysqld", true},
		{"*sql*", "mysqd", false},
		{"?[a-c]?", "xby", true},
		{"?[!a-c]?", "xby", false},
		{"[]x]", "]", true},
		{"[!]x]", "]", false},
		{"[a-]", "-", true},
		{"[\\]a-]", "]", true},
		{"\\*", "*", true},
		{"\\*", "x", false},
		{"kworker/*:[0-9]", "kworker/u8:2", true},
		{"***************************************a", "bca", true},
		{"[\x80-\xff]*", "\xc3\xa4", true},
		{"123456789012345", "123456789012345", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct auxbpf_glob glob = {0};

		CHECK_EQ(compile(&glob, cases[i].pattern), 0);
		if (!CHECK_EQ(match(&glob, cases[i].name), cases[i].want))
			fprintf(stderr, "'%s' and '%s'\n", cases[i].pattern, cases[i].name);
	}
}

static void test_several(void)
{
	struct auxbpf_glob glob = {0}, before;

	CHECK(!match(&glob, ""));
	CHECK(!match(&glob, "bash"));
	CHECK_EQ(compile(&glob, "a?????????????b"), 0);
	CHECK_EQ(compile(&glob, "*c"), 0);
	CHECK_EQ(compile(&glob, "d*"), 0);
	CHECK(match(&glob, "a1234567890123b"));
	CHECK(match(&glob, "xc"));
	CHECK(match(&glob, "d"));
	CHECK(!match(&glob, "a"));
	/* The end of one pattern is not the begin of the next. */
	CHECK(!match(&glob, "a1234567890123"));
	CHECK(!match(&glob, "cd"));
	CHECK(match(&glob, "dc"));

	CHECK_EQ(compile(&glob, "xxxxxxxxxxxxxxx"), 0);
	CHECK_EQ(compile(&glob, "yyyyyyyyyyyyyyy"), 0);
	before = glob;
	CHECK_EQ(compile(&glob, "zzzzzzzzzzzzz"), -E2BIG);
	CHECK(!memcmp(&glob, &before, sizeof(glob)));
	CHECK(!match(&glob, "zzzzzzzzzzzzz"));
	/* 16 + 2 + 2 + 16 + 16 places are taken. */
	CHECK_EQ(compile(&glob, "zzzzzzzzzzz"), 0);
	CHECK(match(&glob, "zzzzzzzzzzz"));
	CHECK(match(&glob, "yyyyyyyyyyyyyyy"));
	CHECK_EQ(compile(&glob, "*"), -E2BIG);
}

static void test_errors(void)
{
	static const struct {
		const char *pattern, *want;
	} cases[] = {
		{"", "an empty pattern"},
		{"a\\", "'a\\' ends with a backslash"},
		{"x[abc", "'[' without ']' in the pattern 'x[abc'"},
		{"[", "'[' without ']'"},
		{"[]", "'[' without ']'"},
		{"[!]", "'[' without ']'"},
		{"[a\\", "ends with a backslash"},
		{"[a-\\", "ends with a backslash"},
		{"[z-a]", "the range z-a"},
		{"[[:alpha:]]", "'[:' inside brackets"},
		{"1234567890123456", "more than the 15 characters"},
		{"*1234567*890123[4-6]6?", "more than the 15 characters"},
	};
	struct auxbpf_glob glob = {0}, zero = {0};
	char message[256];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CHECK_EQ(glob__compile(&glob, cases[i].pattern, message, sizeof(message)), -EINVAL);
		if (!CHECK(strstr(message, cases[i].want)))
			fprintf(stderr, "'%s': %s\n", cases[i].pattern, message);
		CHECK(!memcmp(&glob, &zero, sizeof(glob)));
	}
}

/* Few different characters, so that random names match random patterns often enough. */
static char random_char(void)
{
	return "abcd-]"[rand() % 6];
}

static char *put_brackets(char *s)
{
	*s++ = '[';
	if (rand() % 3 == 0)
		*s++ = '!';
	for (int i = rand() % 3; i >= 0; i--) {
		char first = "abc"[rand() % 3];

		*s++ = first;
		if (rand() % 2) {
			*s++ = '-';
			*s++ = (char)(first + rand() % 3);
		}
	}
	*s++ = ']';
	return s;
}

static void random_pattern(char *s)
{
	for (int i = rand() % 8; i >= 0; i--) {
		switch (rand() % 6) {
		case 0:
			*s++ = '*';
			break;
		case 1:
			*s++ = '?';
			break;
		case 2:
			s = put_brackets(s);
			break;
		case 3:
			*s++ = '\\';
			*s++ = random_char();
			break;
		default:
			*s++ = random_char();
		}
	}
	*s = '\0';
}

static void random_name(char *s)
{
	for (int i = rand() % AUXBPF_COMM_LEN; i > 0; i--)
		*s++ = random_char();
	*s = '\0';
}

/* A name matches several patterns if fnmatch() says so of any of them. */
static void test_against_fnmatch(void)
{
	char patterns[4][128], name[AUXBPF_COMM_LEN];
	unsigned int differ = 0, matches = 0, nr;
	struct auxbpf_glob glob;
	bool want;

	srand(1);
	for (int round = 0; round < 20000; round++) {
		memset(&glob, 0, sizeof(glob));
		for (nr = 0; nr < 1u + (unsigned int)round % 4; nr++) {
			random_pattern(patterns[nr]);
			CHECK_EQ(compile(&glob, patterns[nr]), 0);
		}
		for (int i = 0; i < 20; i++) {
			random_name(name);
			want = false;
			for (unsigned int p = 0; p < nr; p++)
				want |= !fnmatch(patterns[p], name, 0);
			matches += want;
			differ += match(&glob, name) != want;
		}
	}
	CHECK_EQ(differ, 0);
	CHECK(matches > 1000);
}

int main(void)
{
	test_match();
	test_several();
	test_errors();
	test_against_fnmatch();
	return check__done();
}
