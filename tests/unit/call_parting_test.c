// SPDX-License-Identifier: GPL-2.0-only
#include "calls/call_parting.h"
#include "check.h"
#include "tree_text.h"

static char letter(const struct call *call)
{
	return !call ? '.' : call->mark ? '-' : call->function ? (char)call->function : '/';
}

/* "in, behind: calls NR then", of both sides the calls. */
static void write_parting(char *to, size_t size, const struct parting *p)
{
	snprintf(to, size, "%c %c: %c%zu %c, %c%zu %c%s", letter(p->here.in), letter(p->here.behind),
		 letter(p->here.first), p->here.nr, letter(p->here.then), letter(p->typical.first),
		 p->typical.nr, letter(p->typical.then), p->is_cut ? " cut" : "");
}

static void test(const char *here, const char *typical, const char *want)
{
	struct call_names names = {0};
	struct tree_text a, b;
	struct parting parting;
	char got[64] = "";
	int found;

	tree_text__make(&a, &names, here);
	tree_text__make(&b, &names, typical);
	found = call_parting__find(&a.window, &b.window, &parting);
	CHECK_EQ(found, *want != '\0');
	if (found > 0) {
		write_parting(got, sizeof(got), &parting);
		CHECK_EQ(letter(parting.typical.in), letter(parting.here.in));
		CHECK_EQ(letter(parting.typical.behind), letter(parting.here.behind));
	}
	if (!CHECK_STREQ(got, want))
		fprintf(stderr, "%s against %s\n", here, typical);
	tree_text__release(&a);
	tree_text__release(&b);
	call_names__release(&names);
}

/* Makes "a(x...x y)" with calls of functions that take turns. */
static void make_long(char *to, const char *turns, size_t nr, const char *end)
{
	size_t len = strlen(turns);

	to += sprintf(to, "a(");
	for (size_t i = 0; i < nr; i++)
		*to++ = turns[i % len];
	sprintf(to, "%s)", end);
}

static void test_long(void)
{
	static char here[10000], typical[10000];

	/* The ends are looked for exactly where steps are few; equal begins and ends do not count as such. */
	make_long(here, "bc", 9000, "dbcbc");
	make_long(typical, "bc", 9000, "bcbc");
	test(here, typical, "a c: d1 b, .0 b");
	/* The different parts are too long for that. */
	make_long(here, "bc", 9000, "");
	make_long(typical, "de", 9000, "");
	test(here, typical, "a .: b9000 ., d9000 . cut");
	/* They meet again soon, or at the end that both have. */
	make_long(here, "bc", 9000, "x");
	make_long(typical, "bc", 9000, "y");
	here[2] = 'z';
	test(here, typical, "a .: z1 c, b1 c");
	make_long(here, "bc", 2048, "fg");
	make_long(typical, "de", 2048, "fg");
	test(here, typical, "a .: b2048 f, d2048 f");
	/* A loop of one call is one step. */
	make_long(here, "b", 9000, "c");
	make_long(typical, "d", 9000, "c");
	test(here, typical, "a .: b9000 c, d9000 c");
}

int main(void)
{
	test("a(b c)", "a(b c)", "");
	test("a10(b c)", "a(b2 c)", "");
	test("", "", "");
	/* One does more, less, or something else, and goes on as the other one. */
	test("a(b x c)", "a(b c)", "a b: x1 c, .0 c");
	test("a(b c)", "a(b x y c)", "a b: .0 c, x2 c");
	test("a(b x c)", "a(b y y c)", "a b: x1 c, y2 c");
	test("a(b x)", "a(b y)", "a b: x1 ., y1 .");
	test("a(x b)", "a(b)", "a .: x1 b, .0 b");
	test("a(b x)", "a(b)", "a b: x1 ., .0 .");
	/* The longest common subsequence, not the first call that is found on the other side. */
	test("a(x c d e f)", "a(f c d e)", "a .: x1 c, f1 c");
	/* More calls of a loop. */
	test("a(b b b b c)", "a(b b c)", "a b: b2 c, .0 c");
	/* The first point in time: deep in the first call, not at the later calls of its caller. */
	test("a(b(c(x)) y)", "a(b(c(z)) w)", "c .: x1 ., z1 .");
	test("a(b(c) y)", "a(b(c) w)", "a b: y1 ., w1 .");
	test("a b", "a c", "/ a: b1 ., c1 .");
	test("A(B)", "a(b)", "/ .: A1 ., a1 .");
	/* A time off the CPU is a step; auxbpf's own work is none. */
	test("A(B(-10))", "A(B)", "B .: -1 ., .0 .");
	test("A(G!(C) B)", "A(B)", "");
	/* No paths part at an interrupt, but at an exception; its return is of it. */
	test("A(B %T(C) D)", "A(B D)", "");
	test("A(B D)", "A(B %T(C) >E D %T)", "");
	test("A(B %P(C) D)", "A(B D)", "A B: P1 D, .0 D");
	test_long();
	return check__done();
}
