// SPDX-License-Identifier: GPL-2.0-only
/*
 * Levels for inlined functions in trees of calls, from branches that are written as text (branches.h): from a function's bytes
 * 0x10 to 0x1f x was inlined, from 0x20 on y in the same x, from 0x30 on z, and from 0x40 on x in another place. A tree is written as
 * a(b): a has called b; x[b]: b was called from x, which was inlined. Behind a name "+": it is still running; "-" is a mark. Calls of G are
 * auxbpf's own.
 */
#include "calls/inlined_calls.h"

#include <errno.h>

#include "branches.h"
#include "check.h"

#define NR_SITES 0x60

static void make_sites(struct call_sites *sites)
{
	inlined_id x, y, z, other;

	*sites = (struct call_sites){0};
	for (site_id id = 1; id < NR_SITES; id++)
		CHECK_EQ(call_sites__add(sites, id, &(struct call_site){.address = id}), 0);
	CHECK_EQ(call_sites__add_inlined(sites, 'x', "a.c", 1, 0, &x), 0);
	CHECK_EQ(call_sites__add_inlined(sites, 'y', "a.h", 2, x, &y), 0);
	CHECK_EQ(call_sites__add_inlined(sites, 'z', "a.c", 3, 0, &z), 0);
	CHECK_EQ(call_sites__add_inlined(sites, 'x', "a.c", 4, 0, &other), 0);
	for (site_id id = 1; id < NR_SITES; id++) {
		const inlined_id of[] = {0, x, y, z, other, 0};

		CHECK_EQ(call_sites__set_place(sites, id, "b.c", id, of[id / 0x10]), 0);
	}
}

static void write_call(const struct call *call, char **at)
{
	bool is_inlined = call->kind == CALL_INLINED;

	*(*at)++ = call->mark ? '-' : (char)call->function;
	if (!call->is_over)
		*(*at)++ = '+';
	if (!call->first)
		return;
	*(*at)++ = is_inlined ? '[' : '(';
	for (const struct call *c = call->first; c; c = c->next) {
		CHECK(c->parent == call);
		CHECK(c->next || call->last == c);
		if (c != call->first)
			*(*at)++ = ' ';
		write_call(c, at);
	}
	*(*at)++ = is_inlined ? ']' : ')';
}

static void mark_gate(struct call_tree *tree)
{
	for (struct call *c = call_tree__next(&tree->root); c; c = call_tree__next(c))
		c->is_gate = c->function == 'G';
}

/* Follows @branches, a mark, and @behind, if there is any. */
static void make(struct call_tree *tree, const char *branches, const char *behind)
{
	struct call_stack stack;

	call_tree__init(tree);
	call_stack__init(&stack, &call_tree_observer, tree);
	CHECK_EQ(branches__follow(&stack, branches), 0);
	if (behind) {
		CHECK_EQ(call_stack__mark(&stack, CALL_MARK_ERROR, 10, 10, "lost"), 0);
		CHECK_EQ(call_stack__mark(&stack, CALL_MARK_GAP, 10, 20, NULL), 0);
		CHECK_EQ(branches__follow(&stack, behind), 0);
	}
	call_stack__release(&stack);
	mark_gate(tree);
}

static void test_marks(const char *branches, const char *behind, const char *want)
{
	struct call_sites sites;
	struct call_tree tree;
	char got[256], *at = got;
	size_t nr = 0;

	make_sites(&sites);
	make(&tree, branches, behind);
	CHECK_EQ(inlined_calls__insert(&tree, &sites), 0);
	for (const struct call *c = tree.root.first; c; c = c->next)
		write_call(c, &at);
	*at = '\0';
	if (!CHECK_STREQ(got, want))
		fprintf(stderr, "branches: %s\n", branches);
	for (struct call *c = call_tree__next(&tree.root); c; c = call_tree__next(c))
		nr++;
	CHECK_EQ(tree.nr, nr);
	call_tree__clear(&tree);
	call_sites__release(&sites);
}

static void test(const char *branches, const char *want)
{
	test_marks(branches, NULL, want);
}

static void test_levels(void)
{
	test("begin - a0; call a8 b0; ret b4 ad; call a10 b0; ret b4 a15; call a18 c0; ret c4 a1d; call a50 "
	     "d0",
	     "a+(b x[b c] d+)");
	/* A loop goes on in the same level. */
	test("begin - a0; call a10 b0; ret b4 a15; call a11 c0; ret c4 a16; call a10 b0; ret b4 a15; call "
	     "a11 c0; ret c4 a16",
	     "a+(x[b c b c])");
	/* One in the other, from its first call on or later. */
	test("begin - a0; call a10 b0; ret b4 a15; call a20 c0; ret c4 a25; call a11 d0; ret d4 a16",
	     "a+(x[b y[c] d])");
	test("begin - a0; call a20 b0; ret b4 a25; call a50 b0", "a+(x[y[b]] b+)");
	/* From one to another, which may be of the same function. */
	test("begin - a0; call a20 b0; ret b4 a25; call a30 c0; ret c4 a35; call a10 b0; ret b4 a15; call "
	     "a40 b0; ret b4 a45",
	     "a+(x[y[b]] z[c] x[b] x[b])");
	/* Inside of calls, and in the kernel. */
	test("begin - a0; call a10 b0; call b20 c0; call c30 d0; ret d4 c35; ret c4 b25; ret b4 a15; call "
	     "a11 e0; ret e4 a16",
	     "a+(x[b(x[y[c(z[d])]]) e])");
	test("begin - A0; call A10 B0; call B20 C0", "A+(x+[B+(x+[y+[C+]])])");
}

static void test_no_calls(void)
{
	/* A tail call, and the handler of a signal, are where what was before them is. */
	test("begin - a0; call a10 b0; jmp b30 c0; ret c8 a15; call a11 d0; ret d4 a16", "a+(x[b c d])");
	test("begin - a0; int a10 K0; iret K8 s0", "a+(x+[K s+])");
	test("begin - a0; int a10 K0; iret K8 a10; call a11 b0; ret b4 a16", "a+(x[K b])");
	/* What was running has no place. */
	test("begin - c30; ret c40 b15; ret b20 a15; call a10 d0; ret d1 a15", "a+(b(c) x[d])");
}

static void test_between(void)
{
	/* Marks are where the calls around them are. */
	test_marks("begin - a0; call a10 b0; ret b4 a15", "call a11 c0; ret c4 a16", "a+(x[b - - c])");
	test_marks("begin - a0; call a20 b0; ret b4 a25", "call a11 c0; ret c4 a16", "a+(x[y[b] - - c])");
	test_marks("begin - a0; call a10 b0; ret b4 a15", "call a50 c0; ret c4 a55", "a+(x[b] - - c)");
	test_marks("begin - a0; call a10 b0; ret b4 a15", "lose - -", "a+(x[b] - -)");
	test_marks("begin - a0; call a8 b0; ret b4 ad", "call a10 c0; ret c4 a15", "a+(b - - x[c])");
	/* auxbpf's own work makes no levels, and none ends by it. */
	test("begin - A0; call A10 B0; ret B4 A15; call A30 G0; call G20 C0; ret C4 G25; ret G60 A35; call "
	     "A11 B0; ret B4 A16",
	     "A+(x[B G(C) B])");
}

static void test_times(void)
{
	struct call_sites sites;
	struct call_tree tree;
	const struct call *x;

	make_sites(&sites);
	make(&tree,
	     "begin - a0; @100; call a10 b0; @200;  ret b4 a15; @300; call a20 c0; @400; ret c4 a25; @500; "
	     "call a50 d0",
	     NULL);
	CHECK_EQ(inlined_calls__insert(&tree, &sites), 0);
	x = tree.root.first->first;
	CHECK_EQ(x->begin, 100);
	CHECK_EQ(x->end, 400);
	CHECK_EQ(x->last->begin, 300);
	CHECK_EQ(x->last->end, 400);
	/* Where it was inlined, and from where its calls were made. */
	CHECK_EQ(call_sites__place(&sites, x->from_site)->line, 1);
	CHECK_EQ(call_sites__place(&sites, x->last->from_site)->line, 2);
	CHECK_STREQ(call_sites__place(&sites, x->last->from_site)->file, "a.h");
	CHECK_EQ(call_sites__place(&sites, x->last->first->from_site)->line, 0x20);
	call_tree__clear(&tree);
	call_sites__release(&sites);
}

/* Checks the call site of the call of s, which is the only one. */
static void test_from(const char *branches, site_id want)
{
	struct call_tree tree;
	site_id got = 0;

	make(&tree, branches, NULL);
	for (struct call *c = call_tree__next(&tree.root); c; c = call_tree__next(c)) {
		if (c->function == 's')
			got = c->from_site;
	}
	CHECK_EQ(got, want);
	call_tree__clear(&tree);
}

static void test_from_sites(void)
{
	test_from("begin - a0; call a10 s0", 0x10);
	test_from("begin - a0; call a10 b0; jmp b34 s0", 0x34);
	test_from("begin - a0; sys a10 K0; call K20 L0; ret L4 K25; sysret K30 s0", 0x10);
	/* Of what an interrupt hides it is where that came. */
	test_from("begin - a0; callint a14 K0; call K20 L0; ret L4 K25; iret K30 s0", 0x14);
	/* What was running was not seen to be called; nor was what code runs on into. */
	test_from("begin - s0; call s10 b0", 0);
	test_from("begin - a0; call s10 b0", 0);
	test_from("begin - b0; ret b10 s24", 0);
}

static void test_sites(void)
{
	struct call_sites sites = {0};
	const struct call_site site = {0};
	inlined_id id;

	CHECK(!call_sites__place(&sites, 1)->file);
	CHECK_EQ(call_sites__inlined(&sites, 1)->function, 0);
	CHECK_EQ(call_sites__add(&sites, 2, &site), -EBADMSG);
	CHECK_EQ(call_sites__add(&sites, 1, &site), 0);
	CHECK_EQ(call_sites__set_place(&sites, 2, "a.c", 1, 0), -EBADMSG);
	CHECK_EQ(call_sites__set_place(&sites, 1, "a.c", 1, 1), -EBADMSG);
	CHECK_EQ(call_sites__set_place(&sites, 1, "a\033.c", 1, 0), 0);
	CHECK_STREQ(call_sites__place(&sites, 1)->file, "a\\033.c");
	CHECK_EQ(call_sites__add(&sites, 2, &site), -EBADMSG);
	CHECK_EQ(call_sites__add_inlined(&sites, 1, "", 1, 1, &id), -EBADMSG);
	CHECK_EQ(call_sites__add_inlined(&sites, 1, "", 1, 0, &id), 0);
	for (int i = 1; i < INLINED_DEPTH_MAX; i++)
		CHECK_EQ(call_sites__add_inlined(&sites, 1, "", 1, id, &id), 0);
	CHECK_EQ(call_sites__add_inlined(&sites, 1, "", 1, id, &id), -EBADMSG);
	call_sites__release(&sites);
}

int main(void)
{
	test_levels();
	test_no_calls();
	test_between();
	test_times();
	test_from_sites();
	test_sites();
	return check__done();
}
