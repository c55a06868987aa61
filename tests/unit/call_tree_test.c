// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trees of calls from branches that are written as text (branches.h). A tree is written as a(b): a has called b. Before a name, "?": it was running, "^": found by a return, ">": a tail call,
 * "!": a signal, "*": a system call, "%": an interrupt; behind it "~": it was left, "+": it is still running.
 */
#include "branches.h"
#include "calls/call_tree.h"
#include "check.h"

static void write_call(const struct call *call, char **at)
{
	static const char kinds[] = {
		[CALL_CALL] = 0,     [CALL_JUMP] = '>',	   [CALL_SYSCALL] = '*', [CALL_INTERRUPT] = '%',
		[CALL_SIGNAL] = '!', [CALL_RUNNING] = '?', [CALL_CALLER] = '^',
	};

	if (kinds[call->kind])
		*(*at)++ = kinds[call->kind];
	*(*at)++ = (char)call->function;
	if (!call->is_over)
		*(*at)++ = '+';
	else if (call->how == CALL_LEFT)
		*(*at)++ = '~';
	if (!call->first)
		return;
	*(*at)++ = '(';
	for (const struct call *c = call->first; c; c = c->next) {
		if (c != call->first)
			*(*at)++ = ' ';
		write_call(c, at);
	}
	*(*at)++ = ')';
}

static void test(const char *branches, const char *want)
{
	char got[1024], *at = got;
	struct call_stack stack;
	struct call_tree tree;

	call_tree__init(&tree);
	call_stack__init(&stack, &call_tree_observer, &tree);
	CHECK_EQ(branches__follow(&stack, branches), 0);
	for (const struct call *c = tree.root.first; c; c = c->next) {
		if (c != tree.root.first)
			*at++ = ' ';
		write_call(c, &at);
	}
	*at = '\0';
	if (!CHECK_STREQ(got, want))
		fprintf(stderr, "branches: %s\n", branches);
	call_tree__clear(&tree);
	call_stack__release(&stack);
}

static void test_calls(void)
{
	test("begin - a0; call a10 b0; ret b8 a15; call a20 c0; ret c4 a25", "?a+(b c)");
	test("begin - a0; call a10 b0; call b4 c0; ret c8 b9; ret b10 a15", "?a+(b(c))");
	/* A function that calls itself. */
	test("begin - a0; call a10 a0; call a10 a0; ret a20 a15; ret a20 a15", "?a+(a(a))");
	/* A branch within a function is no call; neither is one that only reads its own address. */
	test("begin - a0; jmp a4 a20; call a24 a29; jmp a30 a8", "?a+");
	/* One function goes on where another one has ended by a jump. */
	test("begin - a0; call a10 b0; jmp b4 c0; ret c8 a15; call a20 d0", "?a+(b >c d+)");
	/* The jump to itself of a function that begins anew is none. */
	test("begin - a0; call a10 b0; jmp b4 b0; ret b8 a15", "?a+(b)");
}

static void test_middle(void)
{
	/* The trace begins in a call: who called it is known once it returns. */
	test("begin - c30; ret c40 b15; ret b20 a15; call a20 d0; ret d1 a25", "^a+(^b(?c) d)");
	/* The kernel was left in between: the caller of the second call has not called the first one. */
	test("begin - A0; endsys A4 -; begin - C30; ret C40 B15", "?A ^B+(?C)");
	test("begin - c30; call c34 d0; ret d8 c39; ret c40 b15; call b20 e0", "^b+(?c(d) e+)");
	/* It ends and begins again in the same call, or in one that had called it. */
	test("begin - a0; call a10 b0; end b4 -; begin - b8; ret b10 a15", "?a+(b)");
	test("begin - a0; call a10 b0; call b4 c0; end c4 -; begin - a15; call a20 d0", "?a+(b~(c~) d+)");
	/* Code runs on into the next function. */
	test("begin - a0; call a10 b0; call c4 d0; ret d8 c9; ret c10 a15", "?a+(b >c(d))");
	/* Branches are missing: calls that must have ended are over. */
	test("begin - a0; call a10 b0; call b10 c0; lose - -; call b20 d0", "?a+(b+(c~ d+))");
	test("begin - a0; call a10 b0; lose - -; call e4 d0; ret d8 e9; ret e20 b20; ret b30 a15",
	     "?a+(b(?e(d)))");
	test("begin - a0; call a10 b0; lose - -; call e4 d0; ret d8 e9; ret e20 a15", "?a+(b(?e~(d)))");
}

/* Code without a symbol (_) may be of any function. */
static void test_nameless(void)
{
	test("begin - _30; call _40 a0; jmp a4 _80; ret _90 _45", "?_+(a >_)");
	test("begin - _30; call _40 _80; call _84 _0; ret _8 _89; ret _99 _45; call _50 a0", "?_+(_(_) a+)");
}

static void test_far_returns(void)
{
	/* longjmp() goes back by a jump, as the C library does, or by a return. */
	test("begin - a0; call a10 b0; call b4 c0; call c4 j0; jmp j8 a15; call a20 d0",
	     "?a+(b~(c~(j~)) d+)");
	test("begin - a0; call a10 b0; call b4 c0; ret c8 a15", "?a+(b(c~))");
	/* A return that is used as a jump (a retpoline). */
	test("begin - a0; call a10 t0; call t4 t10; ret t14 f0; ret f8 a15", "?a+(t >f)");
}

static void test_modes(void)
{
	test("begin - a0; sys a10 E0; call E4 F0; ret F8 E9; sysret E20 a12; call a20 b0", "?a+(*E(F) b+)");
	/* A system call that begins again goes back to its own instruction. */
	test("begin - a0; sys a10 E0; sysret E20 a10; sys a10 E0; sysret E20 a12", "?a+(*E *E)");
	/* A page fault, and an interrupt in the kernel. */
	test("begin - a0; int a10 P0; iret P9 a10; call a14 b0", "?a+(%P b+)");
	test("begin - A0; call A4 B0; int B8 I0; call I4 J0; ret J8 I9; iret I10 B8; ret B10 A9",
	     "?A+(B(%I(J)))");
	/* The kernel's handler of a fault goes on elsewhere in the function that caused it. */
	test("begin - A0; call A4 B0; int B8 P0; call P4 Q0; ret Q8 P9; iret P20 B80; ret B90 A9",
	     "?A+(B(%P(Q)))");
	/* Without user mode each call of the kernel is one of its own. */
	test("begin - E0; call E4 F0; ret F8 E9; endsys E20 -; begin - E0; call E4 G0", "?E(F) ?E+(G+)");
	/* Without the kernel a program goes on behind its system calls. */
	test("begin - a0; call a10 b0; end b4 -; begin - b6; ret b8 a15", "?a+(b)");
}

/* Interrupts at the target of a branch, of which only the interrupt is told. */
static void test_hidden(void)
{
	test("begin - A0; call A4 B0; callint B8 V0; jmp V4 I0; ret I8 J8; iret J10 C0; ret C8 B9; ret B10 "
	     "A5",
	     "?A+(B(%V >I >J C))");
	test("begin - a0; callint a10 V0; iret V8 c0; ret c8 a11; call a20 d0", "?a+(%V c d+)");
	test("begin - A0; call A4 B0; retint B8 V0; iret V8 A8; call A10 D0", "?A+(B(%V) D+)");
	/* It hides the return to a caller that is not known. */
	test("begin - B4; retint B8 V0; iret V8 A8; call A10 D0", "^A+(?B(%V) D+)");
	/* It hides nothing: the instruction behind it is next. */
	test("begin - A0; call A4 B0; callint B8 V0; iret V8 B9; ret B10 A5", "?A+(B(%V))");
	/* The handler of a signal runs first. */
	test("begin - a0; call a4 b0; retint b8 V0; iret V8 s0; call s4 c0", "?a+(b+(%V !s+(c+)))");
}

static void test_signals(void)
{
	/* The handler's last return goes to r, which makes the system call that goes back to where it was. */
	test("begin - a0; int a10 I0; iret I8 s0; call s4 b0; ret b8 s9; ret s10 r0; sys r4 E0; sysret E8 "
	     "a10; call a14 c0",
	     "?a+(%I !s(b) >r(*E~) c+)");
	/* A new program has none of the old one's calls. */
	test("begin - E0; sysret E8 n0; call n4 b0", "?E ?n+(b+)");
}

/* Runs are in the order of what was seen first of them, and stay in theirs if that was at one time. */
static void test_sort(void)
{
	static const struct call runs[] = {{.begin = 30, .function = 'c'},
					   {.begin = 10, .function = 'a'},
					   {.begin = 30, .function = 'd'}};
	static const struct call inside = {.begin = 20, .function = 'x'};
	struct call_tree tree;
	char got[8] = "";

	call_tree__init(&tree);
	CHECK_EQ(call_tree__sort(&tree), 0);
	CHECK(!tree.root.first && !tree.root.last);
	for (size_t i = 0; i < 3; i++)
		CHECK_EQ(call_tree__insert(&tree, &tree.root, tree.root.last, &runs[i]), 0);
	CHECK_EQ(call_tree__insert(&tree, tree.root.last, NULL, &inside), 0);
	CHECK_EQ(call_tree__sort(&tree), 0);
	for (const struct call *call = tree.root.first; call; call = call->next)
		got[strlen(got)] = (char)call->function;
	CHECK_STREQ(got, "adc");
	CHECK_EQ(tree.root.last->function, 'c');
	call_tree__clear(&tree);
}

int main(void)
{
	test_calls();
	test_middle();
	test_nameless();
	test_far_returns();
	test_modes();
	test_hidden();
	test_signals();
	test_sort();
	return check__done();
}
