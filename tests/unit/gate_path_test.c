// SPDX-License-Identifier: GPL-2.0-only
#include "branches.h"
#include "calls/gate_names.h"
#include "calls/gate_path.h"
#include "check.h"

/* The functions of branches.h that stand for others; the rest have the names of their letters. */
static const struct {
	char letter;
	const char *name;
} others[] = {
	{'G', "bpf_prog_0123456789abcdef_on_sys_enter"},
	{'H', "bpf_prog_0123456789abcdef_on_switch"},
	{'O', "bpf_prog_0123456789abcdef_of_others"},
	{'R', "bpf_trace_run2"},
	{'T', "__traceiter_sys_enter"},
	{'W', "__traceiter_sched_switch"},
};

static const char *name_of(function_id id, char *letter)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (others[i].letter == (char)id)
			return others[i].name;
	}
	letter[0] = (char)id;
	letter[1] = '\0';
	return letter;
}

static void name_functions(struct function_names *names)
{
	char letter[2];

	for (function_id id = 1; id <= 'z'; id++)
		CHECK_EQ(function_names__add(names, id, name_of(id, letter), ""), 0);
}

static void test_names(void)
{
	CHECK(gate_names__is_program("bpf_prog_0123456789abcdef_on_sys_enter"));
	CHECK(gate_names__is_program("bpf_prog_0123456789abcdef_enter_first"));
	CHECK(!gate_names__is_program("bpf_prog_0123456789abcdef_handle__sys_enter"));
	CHECK(!gate_names__is_program("bpf_prog_0123456789abcdef"));
	CHECK(!gate_names__is_program("bpf_prog_0123456789abcdef_"));
	CHECK(!gate_names__is_program("bpf_prog_0123"));
	CHECK(!gate_names__is_program("on_sys_enter"));
	CHECK(gate_names__is_glue("bpf_prog_0123456789abcdef_of_others"));
	CHECK(gate_names__is_glue("__traceiter_sched_switch"));
	CHECK(!gate_names__is_glue("do_syscall_64"));
	CHECK(gate_names__is_switch("__traceiter_sched_switch"));
	CHECK(!gate_names__is_switch("__traceiter_sys_enter"));
	CHECK(!gate_names__is_switch("perf_event_sched_switch"));
}

static void write_shown(const struct call *call, char **at)
{
	for (const struct call *c = call->first; c; c = c->next) {
		if (c->is_gate)
			continue;
		*(*at)++ = (char)c->function;
		write_shown(c, at);
	}
	**at = '\0';
}

/* Checks which calls are not the gate's. */
static void test_mark(const char *branches, const char *want)
{
	struct function_names names = {0};
	struct call_stack stack;
	struct call_tree tree;
	char got[256], *at = got;

	name_functions(&names);
	call_tree__init(&tree);
	call_stack__init(&stack, &call_tree_observer, &tree);
	CHECK_EQ(branches__follow(&stack, branches), 0);
	gate_path__mark(&tree, &names);
	write_shown(&tree.root, &at);
	if (!CHECK_STREQ(got, want))
		fprintf(stderr, "branches: %s\n", branches);
	call_tree__clear(&tree);
	call_stack__release(&stack);
	function_names__release(&names);
}

static void test_marks(void)
{
	/* The trace begins in the gate and ends in it. */
	test_mark("begin - P30; ret P40 G15; ret G20 R15; ret R20 T15; ret T20 A15; call A20 B0; ret B4 A25;"
		  "call A30 T0; call T4 R0; call R4 G0; call G4 P0; end P8 -",
		  "AB");
	/* Somebody else's program is shown, with the way to it. */
	test_mark("begin - A0; call A4 T0; call T4 R0; call R4 O0; ret O8 R9; ret R20 T9; call T10 R0; call "
		  "R4 G0; ret G8 R9;"
		  "ret R20 T15; ret T20 A9",
		  "ATRO");
	/* A way that leads to no program is shown. */
	test_mark("begin - A0; call A4 T0; call T4 B0; ret B8 T9; ret T20 A9", "ATB");
}

/* Checks how many frames stay where the trace ended. */
static void test_keep(const char *branches, size_t want)
{
	struct function_names names = {0};
	struct call_stack stack;
	struct call_tree tree;

	name_functions(&names);
	call_tree__init(&tree);
	call_stack__init(&stack, &call_tree_observer, &tree);
	CHECK_EQ(branches__follow(&stack, branches), 0);
	if (!CHECK_EQ(gate_path__keep(&stack, &names), want))
		fprintf(stderr, "branches: %s\n", branches);
	call_tree__clear(&tree);
	call_stack__release(&stack);
	function_names__release(&names);
}

static void test_keeps(void)
{
	/* A window is over; a task is switched away; the trace ends without the gate. */
	test_keep("begin - A0; call A4 B0; call B4 T0; call T4 R0; call R4 G0; call G4 P0; end P8 -", 0);
	test_keep("begin - A0; call A4 B0; call B4 W0; call W4 R0; call R4 H0; call H4 P0; end P8 -", 2);
	test_keep("begin - A0; call A4 B0; end B8 -", 2);
	/* The switch came in an interrupt of another program. */
	test_keep(
		"begin - A0; call A4 T0; call T4 G0; int G8 I0; call I4 S0; call S4 W0; call W4 H0; end H8 -",
		5);
}

int main(void)
{
	test_names();
	test_marks();
	test_keeps();
	return check__done();
}
