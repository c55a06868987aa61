// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "check.h"
#include "rules/condition.h"
#include "wrong_rule.h"

static int resolve(void *arg, enum auxbpf_field field, const char *name, uint64_t *ret)
{
	*ret = 1;
	return *name == '?' ? -EIO : -ENOENT;
}

static const struct condition_names names = {.resolve = resolve};
static const struct condition_opts opts = {
	.fields = CONDITION_FIELDS_ARGS | CONDITION_FIELDS_TASK | CONDITION_FIELDS_RESULT,
	.moment = "here",
	.names = &names,
};

static void check_wrong(const struct wrong *wrong, const struct condition_opts *with)
{
	char message[RULE_MESSAGE_SIZE] = "";
	struct auxbpf_condition rule;

	CHECK_EQ(condition__parse_rest(wrong->text, 0, with, &rule, message, sizeof(message)), -EINVAL);
	check_told(wrong, message);
}

#define CHECK_ALL(cases, with)                                 \
	do {                                                   \
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) \
			check_wrong(&(cases)[i], with);        \
	} while (0)

static void test_words(void)
{
	static const struct wrong cases[] = {
		{"uid = 1", 4, "'=' is no operator; == compares"},
		{"uid == 1, pid == 1", 8, "',' is not part of the language"},
		{"uid == $1", 7, "'$' is not part of the language"},
		{"comm == 'a", 8, "this string has no end: expected another '"},
		{"comm == \"a\\\"", 8, "this string has no end: expected another \""},
		{"comm == \"a\\", 8, "this string has no end: expected another \""},
	};
	static const struct wrong control = {"uid == \1", 7, "a control character (0x01)"};
	char message[RULE_MESSAGE_SIZE] = "";
	struct auxbpf_condition rule;

	CHECK_ALL(cases, &opts);
	CHECK_EQ(condition__parse_rest(control.text, 0, &opts, &rule, message, sizeof(message)), -EINVAL);
	CHECK_STREQ(message, "a control character (0x01)\n  uid ==  \n         ^");
}

static void test_structure(void)
{
	static const struct wrong cases[] = {
		{"", 0, "expected a field and what it is compared with, as in uid == 1000"},
		{"   ", 3, "expected a field and what"},
		{"uid == 1 &&", 11, "expected a field and what"},
		{"uid == 1 || ", 12, "expected a field and what"},
		{"&& uid == 1", 0, "expected a field and what"},
		{"1 == uid", 0, "expected a field and what"},
		{"'uid' == 1", 0, "expected a field and what"},
		{"()", 1, "expected a field and what"},
		{"(", 1, "expected a field and what"},
		{"(uid == 1", 9, "expected ) or && or ||"},
		{"(uid == 1 pid == 2)", 10, "expected ) or && or ||"},
		{"uid == 1)", 8, "this ) has no ("},
		{"uid == 1 pid == 2", 9, "expected && or || or the end of the condition"},
		{"uid == 1 == 2", 9, "expected && or || or the end"},
		{"uid", 3, "expected an operator behind uid: == != < <= > >= or &"},
		{"uid && pid == 1", 4, "expected an operator behind uid"},
		{"uid 1", 4, "expected an operator behind uid"},
		{"!uid == 1", 1, "expected ( behind !, as in !(uid == 0)"},
		{"!!(uid == 1)", 1, "expected ( behind !"},
		{"!(arg0 & 1) == 1", 12, "expected && or ||: what ! gives is not compared"},
		{"(uid == 1) == 1", 11, "expected && or ||: in parentheses only FIELD & MASK is compared"},
		{"(arg0 != 0) == 1", 12, "expected && or ||: in parentheses only"},
		{"(uid == 1 || arg0 & 1) == 1", 23, "expected && or ||: in parentheses only"},
		{"(arg0 & 1 || uid == 1) == 1", 23, "expected && or ||: in parentheses only"},
		{"(!(arg0 & 1)) == 1", 14, "expected && or ||: in parentheses only"},
		{"((arg0 & 1) == 1) == 1", 18, "expected && or ||: in parentheses only"},
		{"arg0 & 3 == 1", 9, "expected parentheses before it: (arg0 & ...) == ..."},
	};

	CHECK_ALL(cases, &opts);
}

static void test_fields(void)
{
	static const struct wrong cases[] = {
		{"ltency > 1s", 0, "unknown field 'ltency'; did you mean latency?"},
		{"uid == 1 && xyzzyxyzzy == 1", 12,
		 "unknown field 'xyzzyxyzzy'; there are arg0 to arg5, ret"},
		{"comm < a", 5, "comm is compared with == or !="},
		{"cgroup >= 1", 7, "cgroup is compared with == or !="},
		{"comm & 1", 5, "the bits of comm mean nothing: expected a comparison"},
		{"latency & 1", 8, "the bits of latency mean nothing"},
		{"pid & 1", 4, "the bits of pid mean nothing"},
	};
	static const struct wrong at_entry[] = {
		{"uid == 1 && ret < 0", 12, "ret is not known at the begin of a system call"},
		{"latency > 1s", 0, "latency is not known at the begin of a system call"},
	};
	static const struct condition_opts entry = {
		.fields = CONDITION_FIELDS_ARGS | CONDITION_FIELDS_TASK,
		.moment = "at the begin of a system call",
	};

	CHECK_ALL(cases, &opts);
	CHECK_ALL(at_entry, &entry);
}

static void test_values(void)
{
	static const struct wrong cases[] = {
		{"arg0 ==", 7, "expected a number, a size like 4k or a name like O_CREAT"},
		{"arg0 == -", 9, "expected a number, a size like 4k"},
		{"arg0 == --1", 9, "expected a number, a size like 4k"},
		{"arg0 &", 6, "expected a number, a size like 4k"},
		{"arg0 == (1", 10, "expected ) or |"},
		{"arg0 == (1 && uid == 1)", 11, "expected ) or |"},
		{"ret <", 5,
		 "expected a number, an error like -ENOENT, a size like 4k or a name like O_RDWR"},
		{"latency > (", 11, "expected a time like 10ms"},
		{"pid == ", 7, "expected a number"},
		{"uid == !", 7, "expected a number or a user's name"},
		{"cgroup ==", 9, "expected the path or the id of a cgroup"},
		{"comm ==", 7, "expected the name of a task"},
		{"comm == -a", 8, "expected the name of a task"},
		{"arg0 == 12x", 8, "'12x' is not a number"},
		{"arg0 == 0x", 8, "'0x' is not a number"},
		{"arg0 == 08", 8, "'08' is not a number"},
		{"latency > 1.5s", 10, "'1.5s' is not a number"},
		{"arg0 == 18446744073709551616", 8, "'18446744073709551616' is too large"},
		{"arg0 == 17179869184g", 8, "'17179869184g' is too large"},
		{"latency > 18446744074s", 10, "'18446744074s' is too large"},
		{"ret == -9223372036854775809", 7, "'-9223372036854775809' is too small"},
		{"arg0 == O_CRAET", 8, "unknown name 'O_CRAET'; did you mean O_CREAT?"},
		{"arg0 == xyzzyxyzzyxyzzy", 8, "unknown name 'xyzzyxyzzyxyzzy'; expected a number, a size"},
	};

	CHECK_ALL(cases, &opts);
}

static void test_kinds(void)
{
	static const struct wrong cases[] = {
		{"latency > 10", 10, "'10' is a number; latency is compared with a time like 10ms"},
		{"latency > 10k", 10, "'10k' is a size; latency"},
		{"arg0 == 10ms", 8,
		 "'10ms' is a time; arg0 is compared with a number, a size like 4k or a name"},
		{"arg0 == 'O_CREAT'", 8, "'O_CREAT' is a string; arg0"},
		{"arg0 == -ENOENT", 9, "'ENOENT' is an error; arg0"},
		{"pid == O_CREAT", 7, "'O_CREAT' is a flag; pid is compared with a number"},
		{"pid == SIGTERM", 7, "'SIGTERM' is a signal; pid"},
		{"uid == 4k", 7, "'4k' is a size; uid is compared with a number or a user's name"},
		{"ret == ENOENT", 7, "errors are returned as negative numbers: expected -ENOENT"},
		{"ret == -1 | 2", 7, "only flags and positive numbers are joined with |"},
		{"ret == 2 | -1", 11, "only flags and positive numbers are joined with |"},
		{"arg0 == O_CREAT | AT_FDCWD", 18, "only flags and positive numbers are joined with |"},
		{"pid == 1 | 2", 7, "only flags and positive numbers are joined with |"},
		{"comm == post*", 8, "comm is compared with a whole name, not with a pattern"},
		{"comm == 1234567890123456", 8,
		 "a task's name has at most 15 characters; of this one the kernel "
		 "keeps '123456789012345'"},
	};

	CHECK_ALL(cases, &opts);
}

static void test_ranges(void)
{
	static const struct wrong cases[] = {
		{"pid == -1", 7, "pid is never negative"},
		{"latency > -1ms", 10, "latency is never negative"},
		{"arg0 < 0", 7, "arg0 is unsigned here, never below 0; <= -1 takes it as an int"},
		{"arg0 >= 0", 8, "arg0 is unsigned here, never below 0; <= -1"},
		{"uid < 0", 6, "uid is unsigned here, never below 0\n"},
		{"(arg0 & 3) >= 0", 14, "arg0 is unsigned here, never below 0\n"},
		{"(ret & 3) < 0", 12, "ret is unsigned here, never below 0\n"},
		{"pid == 2147483648", 7, "pid is at most 2147483647\n"},
		{"pid > 2147483647", 6, "pid is at most 2147483647\n"},
		{"pid <= 2147483647", 7, "pid is at most 2147483647\n"},
		{"pid < 2147483648", 6, "pid is at most 2147483647\n"},
		{"uid != 4294967296", 7, "uid is at most 4294967295\n"},
		{"arg0 > 0xffffffffffffffff", 7, "arg0 is at most 18446744073709551615\n"},
		{"ret == 0x8000000000000000", 7, "ret is at most 9223372036854775807\n"},
		{"ret > 0x7fffffffffffffff", 6, "ret is at most 9223372036854775807\n"},
		{"(arg0 & 0x11) == 2", 17, "with its mask arg0 is at most 0x11 and has no other bits"},
		{"(arg0 & 3) > 3", 13, "with its mask arg0 is at most 0x3 and has no other bits"},
		{"(arg0 & 3) == -1", 14, "with its mask arg0 is never negative"},
		{"arg0 & 0", 7, "a mask is above 0"},
		{"arg0 & -1", 7, "a mask is above 0"},
	};

	CHECK_ALL(cases, &opts);
}

static void test_names(void)
{
	static const struct wrong cases[] = {
		{"uid == nobody-here", 7, "there is no user 'nobody-here'"},
		{"uid == 'nobody here'", 7, "there is no user 'nobody here'"},
		{"cgroup == /a/b", 10, "there is no cgroup '/a/b'"},
		{"cgroup == ?", 10, "cannot look up the cgroup '?': Input/output error"},
	};
	static const struct wrong without[] = {
		{"uid == root", 7, "names of a user are not known here; expected a number"},
		{"cgroup == /a", 10, "names of a cgroup are not known here; expected a number"},
	};
	struct condition_opts no_names = opts;

	no_names.names = NULL;
	CHECK_ALL(cases, &opts);
	CHECK_ALL(without, &no_names);
}

/* @nr times @what, @between them, and an end. */
static char *repeat(const char *what, const char *between, unsigned int nr, const char *end)
{
	char *text = malloc((strlen(what) + strlen(between)) * nr + strlen(end) + 1), *at = text;

	if (!text)
		abort();
	for (unsigned int i = 0; i < nr; i++)
		at += sprintf(at, "%s%s", i ? between : "", what);
	strcpy(at, end);
	return text;
}

static void check_message(const char *text, const char *want)
{
	char message[RULE_MESSAGE_SIZE] = "";
	struct auxbpf_condition rule;

	CHECK_EQ(condition__parse_rest(text, 0, &opts, &rule, message, sizeof(message)), -EINVAL);
	CHECK_STREQ(message, want);
}

static void test_sizes(void)
{
	_cleanup_free_ char *many = repeat("uid == 1", " && ", AUXBPF_CONDITION_TESTS + 1, "");
	_cleanup_free_ char *deep = repeat("(", "", 65, "uid == 1");
	_cleanup_free_ char *deeper = repeat("!(", "", 100000, "");
	_cleanup_free_ char *word = repeat("x", "", 5000, " == 1");

	check_message(many, "the condition is too long: there is room for 32 comparisons\n"
			    "  ...== 1 && uid == 1 && uid == 1 && uid == 1 && uid == 1 && uid == 1\n"
			    "                                                             ^");
	check_message(deep, "more than 64 parentheses inside each other\n"
			    "  ...(((((((((((((((((((((((((((((((((((((((((((((((((((((((("
			    "(uid == 1\n"
			    "                                                             ^");
	check_message(deeper, "more than 64 parentheses inside each other\n"
			      "  ...(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!"
			      "(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!(!...\n"
			      "                                                             ^");
	check_message(word, "a word of 5000 characters is too long\n"
			    "  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\n"
			    "  ^");
}

/* The caret counts characters, and a long condition is not cut inside one. */
static void test_utf8(void)
{
	_cleanup_free_ char *umlauts = repeat("\xc3\xa4", "", 80, "");
	char message[RULE_MESSAGE_SIZE];
	struct auxbpf_condition rule;
	char text[512];

	check_message("comm == \xc3\xa4\xc3\xb6 && x",
		      "unknown field 'x'; there are arg0 to arg5, ret, latency, pid, "
		      "tid, ppid, uid, comm, cgroup and cpu\n"
		      "  comm == \xc3\xa4\xc3\xb6 && x\n"
		      "                ^");
	for (int shift = 0; shift < 2; shift++) {
		snprintf(text, sizeof(text), "uid == '%s%s' $ '%s%s'", &"x"[shift], umlauts, &"x"[shift],
			 umlauts);
		CHECK_EQ(condition__parse_rest(text, 0, &opts, &rule, message, sizeof(message)), -EINVAL);
		CHECK(!strstr(message, "...\xa4"));
		CHECK(!strstr(message, "\xc3..."));
	}
}

/* A message that does not fit is cut. */
static void test_small_buffer(void)
{
	struct auxbpf_condition rule;
	char message[16];

	for (size_t size = 1; size <= sizeof(message); size++) {
		memset(message, 'x', sizeof(message));
		CHECK_EQ(condition__parse_rest("uid = 1", 0, &opts, &rule, message, size), -EINVAL);
		CHECK_EQ(strlen(message), size - 1);
	}
}

int main(void)
{
	test_words();
	test_structure();
	test_fields();
	test_values();
	test_kinds();
	test_ranges();
	test_names();
	test_sizes();
	test_utf8();
	test_small_buffer();
	return check__done();
}
