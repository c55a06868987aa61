// SPDX-License-Identifier: GPL-2.0-only
/*
 * The calls of a tree that are shown, from branches that are written as text (branches.h): "a1 b2 b4 a5" is b inside of a, at
 * the times 2 and 4; "-3:7" is a time without trace, "!9" an error.
 */
#include "branches.h"
#include "calls/call_tree.h"
#include "calls/gate_path.h"
#include "check.h"
#include "export/call_walk.h"

struct seen {
	char text[1024];
	size_t len;
	char open[64]; /* calls that are not over */
	size_t depth;
};

static int on_begin(void *ctx, const struct call *call, uint64_t time)
{
	struct seen *s = ctx;

	s->len += (size_t)sprintf(s->text + s->len, "%c%" PRIu64 " ", (char)call->function, time);
	s->open[s->depth++] = (char)call->function;
	return 0;
}

static int on_end(void *ctx, const struct call *call, uint64_t time)
{
	struct seen *s = ctx;

	s->len += (size_t)sprintf(s->text + s->len, "%c%" PRIu64 " ", (char)call->function, time);
	CHECK_EQ(s->open[--s->depth], (char)call->function);
	return 0;
}

static int on_mark(void *ctx, const struct call *mark)
{
	struct seen *s = ctx;

	if (mark->mark == CALL_MARK_ERROR)
		s->len += (size_t)sprintf(s->text + s->len, "!%" PRIu64 " ", mark->begin);
	else
		s->len += (size_t)sprintf(s->text + s->len, "-%" PRIu64 ":%" PRIu64 " ", mark->begin,
					  mark->end);
	return 0;
}

static const struct call_sink sink = {.begin = on_begin, .end = on_end, .mark = on_mark};

static void name_functions(struct function_names *names)
{
	for (function_id id = 1; id <= 'z'; id++) {
		char letter[2] = {(char)id, 0};

		CHECK_EQ(function_names__add(names, id,
					     id == 'G' ? "bpf_prog_0123456789abcdef_on_sys_enter" : letter,
					     ""),
			 0);
	}
}

/* Follows @before, a gap from 20 to 70 with an error at its end, and @behind, if that is not NULL. */
static void test_marks(const char *before, const char *behind, struct call_limits limits, const char *want,
		       uint64_t nr_short, uint64_t nr_deep)
{
	struct function_names names = {0};
	struct left_out left_out = {0};
	struct seen seen = {0};
	struct call_stack stack;
	struct call_tree tree;

	name_functions(&names);
	call_tree__init(&tree);
	call_stack__init(&stack, &call_tree_observer, &tree);
	CHECK_EQ(branches__follow(&stack, before), 0);
	if (behind) {
		CHECK_EQ(call_stack__mark(&stack, CALL_MARK_GAP, 20, 70, NULL), 0);
		CHECK_EQ(call_stack__mark(&stack, CALL_MARK_ERROR, 70, 70, "why"), 0);
		CHECK_EQ(branches__follow(&stack, behind), 0);
	}
	gate_path__mark(&tree, &names);
	CHECK_EQ(call_walk__run(&tree, &limits, &sink, &seen, &left_out), 0);
	if (!CHECK_STREQ(seen.text, want))
		fprintf(stderr, "branches: %s\n", before);
	CHECK_EQ(seen.depth, 0);
	CHECK_EQ(left_out.nr_short, nr_short);
	CHECK_EQ(left_out.nr_deep, nr_deep);
	call_tree__clear(&tree);
	call_stack__release(&stack);
	function_names__release(&names);
}

static void test(const char *branches, struct call_limits limits, const char *want, uint64_t nr_short,
		 uint64_t nr_deep)
{
	test_marks(branches, NULL, limits, want, nr_short, nr_deep);
}

static void test_order(void)
{
	const struct call_limits all = {0};

	test("begin - a0; call a10 b0; call b4 c0; ret c8 b9; ret b10 a15; call a20 d0", all,
	     "a1 b2 c3 c4 b5 d6 d6 a6 ", 0, 0);
	/* A tail call, and a second run. */
	test("begin - A0; call A4 B0; jmp B4 C0; ret C8 A9; endsys A4 -; begin - D0", all,
	     "A1 B2 B3 C3 C4 A5 D6 D6 ", 0, 0);
	/* Callers that are known by returns begin with the first that they had called. */
	test("begin - c30; @5; ret c40 b15; ret b20 a15; call a20 d0", all, "a1 b1 c1 c5 b6 d7 d7 a7 ", 0, 0);
	test("begin - c30; @5; call c34 d0; ret d8 c39; ret c40 b15", all, "b1 c1 d5 d6 c7 b7 ", 0, 0);
	test_marks("begin - a0; @10; call a10 b0; @20; end b4 -", "@70; begin - b8; @75; ret b10 a15", all,
		   "a1 b10 -20:70 !70 b75 a75 ", 0, 0);
}

static void test_limits(void)
{
	const char *branches =
			   "begin - a0; @10; call a10 b0; @20; call b4 c0; @25; ret c8 b9; @40; ret b10 a15; "
			   "@50; call a20 c0; call c4 d0; ret d8 c9; ret c8 a25",
		   *gate = "begin - A0; call A4 G0; call G4 C0; ret C4 G9; @30; ret G20 A9; call A10 B0; ret "
			   "B8 A15";

	test(branches, (struct call_limits){.depth = 2}, "a1 b10 b40 c50 c53 a53 ", 0, 2);
	test(branches, (struct call_limits){.depth = 1}, "a1 a53 ", 0, 4);
	test(branches, (struct call_limits){.min_duration = 4}, "a1 b10 c20 c25 b40 a53 ", 2, 0);
	test(branches, (struct call_limits){.min_duration = 4, .depth = 2}, "a1 b10 b40 a53 ", 2, 1);
	test(branches, (struct call_limits){.min_duration = 100}, "", 5, 0);
	/* auxbpf's own work is neither shown nor counted. */
	test(gate, (struct call_limits){.min_duration = 2}, "A1 A32 ", 1, 0);
	test(gate, (struct call_limits){.show_gate = true}, "A1 G2 C3 C4 G30 B31 B32 A32 ", 0, 0);
	/* An error is always shown, a short time without trace is not. */
	test_marks("begin - a0; @10; call a10 b0; @20; end b4 -", "@70; begin - b8; @75; ret b10 a15",
		   (struct call_limits){.min_duration = 55}, "a1 b10 !70 b75 a75 ", 0, 0);
}

/* Where a decoder has gone astray times may go back. Nothing is left out for that. */
static void test_astray(void)
{
	const char *branches = "begin - a0; @90; call a10 b0; call b4 c0; @20; ret c8 b9; ret b10 a15";

	test(branches, (struct call_limits){0}, "a1 b90 c91 c20 b21 a21 ", 0, 0);
	test(branches, (struct call_limits){.min_duration = 4}, "a1 a21 ", 2, 0);
}

static void test_empty(void)
{
	struct call_tree tree;

	call_tree__init(&tree);
	CHECK_EQ(call_walk__first(&tree), 0);
	CHECK_EQ(call_walk__last(&tree), 0);
}

int main(void)
{
	test_order();
	test_limits();
	test_astray();
	test_empty();
	return check__done();
}
