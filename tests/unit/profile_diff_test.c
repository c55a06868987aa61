// SPDX-License-Identifier: GPL-2.0-only
#include "calls/profile_diff.h"
#include "check.h"
#include "tree_text.h"

static void fold(struct call_profile *profile, struct path_table *paths, struct call_names *names,
		 const char *text)
{
	struct tree_text t;

	tree_text__make(&t, names, text);
	CHECK_EQ(call_profile__fold(profile, paths, &t.window), 0);
	tree_text__release(&t);
}

static void write_path(char **at, const struct path_table *paths, const struct call_names *names,
		       path_id path)
{
	size_t nr;
	_cleanup_free_ call_step *steps = path_table__steps(paths, path, &nr);

	for (size_t i = 0; i < nr; i++)
		*(*at)++ = call_step__is_call(steps[i]) ? *call_names__get(names, steps[i]) : '-';
}

/* Writes the causes, each as kind, path, difference and calls more: "+AB+5" is only here, for 5 ns. */
static void write_causes(char *at, const struct path_table *paths, const struct call_names *names,
			 const struct cause *causes, size_t nr)
{
	static const char kinds[] = {
		[CAUSE_SELF] = '=',  [CAUSE_ONLY_HERE] = '+', [CAUSE_ONLY_TYPICAL] = '-',
		[CAUSE_CALLS] = 'x', [CAUSE_UNTRACED] = 'o',
	};

	*at = '\0';
	for (size_t i = 0; i < nr; i++) {
		if (i)
			*at++ = ' ';
		*at++ = kinds[causes[i].kind];
		write_path(&at, paths, names, causes[i].path);
		at += sprintf(at, "%+lld", (long long)cause__difference(&causes[i]));
	}
}

static void test(const char *here, const char *typical, const char *want)
{
	struct call_names names = {0};
	struct path_table paths = {0};
	struct call_profile a, b;
	struct cause *causes;
	char got[256];
	size_t nr;

	fold(&b, &paths, &names, typical);
	fold(&a, &paths, &names, here);
	CHECK_EQ(profile_diff__list(&paths, &a, &b, &causes, &nr), 0);
	write_causes(got, &paths, &names, causes, nr);
	if (!CHECK_STREQ(got, want))
		fprintf(stderr, "%s against %s\n", here, typical);
	free(causes);
	call_profile__release(&a);
	call_profile__release(&b);
	path_table__release(&paths);
	call_names__release(&names);
}

int main(void)
{
	test("a1(b2)", "a1(b2)", "");
	test("", "", "");
	/* Both have the calls: each has its own time, and the one that took less, too. */
	test("a10(b25(c3))", "a4(b2(c5))", "=ab+23 =a+6 =abc-2");
	/* A subtree counts whole at its highest call. */
	test("a4(b9(c3 d1))", "a4", "+ab+13");
	test("a4", "a4(b9(c3 d1))", "-ab-13");
	test("a4(b2(c9))", "a4(b2(d8))", "+abc+9 -abd-8");
	/* Many calls more count whole, a few by their own times. */
	test("a4(b2(c1) b2(c1) b2(c1) b2(c1) b2(c1))", "a4(b2(c1))", "xab+12");
	test("a4(b2(c1))", "a4(b2(c1) b2(c1) b2(c1) b2(c1) b2(c1))", "xab-12");
	test("a4(b2(c1) b2(c1))", "a4(b2(c1))", "=ab+2 =abc+1");
	test("a(b b b b b b b b b)", "a(b b b b b)", "=ab+4");
	/* The new call in one of many is the cause. */
	test("a4(b2 b2 b2 b2 b2(d500))", "a4(b2)", "+abd+500 =ab+8");
	/* Times without trace are apart, also in a subtree that only one has. */
	test("A4(B2(C3(-90)))", "A4", "oABC-+90 +AB+5");
	test("A4(B2(-90))", "A4(B2(-10))", "oAB-+80");
	test("A4", "A4(B2(-10))", "oAB--10 -AB-2");
	/* What is in no call. */
	test("A4 - B1", "A4 -5 B1", "o--4");
	return check__done();
}
