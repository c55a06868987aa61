// SPDX-License-Identifier: GPL-2.0-only
#include "branches.h"
#include "calls/function_stats.h"
#include "check.h"

/* The functions of branches.h have the numbers of their letters; G is a program of auxbpf. */
static void name_functions(struct function_names *names)
{
	for (function_id id = 1; id <= 'z'; id++) {
		char name[2] = {(char)id, 0};

		CHECK_EQ(function_names__add(names, id,
					     id == 'G' ? "bpf_prog_0123456789abcdef_on_sys_enter" : name, ""),
			 0);
	}
}

struct run {
	struct function_names names;
	struct function_stats stats;
	struct task_stats task;
};

static void follow(struct run *run, const char *branches)
{
	struct call_stack stack;

	*run = (struct run){0};
	name_functions(&run->names);
	run->stats.names = &run->names;
	run->task.stats = &run->stats;
	call_stack__init(&stack, &function_stats_observer, &run->task);
	CHECK_EQ(branches__follow(&stack, branches), 0);
	call_stack__release(&stack);
}

static void release(struct run *run)
{
	task_stats__release(&run->task);
	function_stats__release(&run->stats);
	function_names__release(&run->names);
}

static void check(const struct run *run, char function, uint64_t calls, uint64_t total, uint64_t self)
{
	const struct function_stat *stat = &run->stats.stats[(int)function];

	CHECK_EQ(stat->calls, calls);
	CHECK_EQ(stat->total, total);
	CHECK_EQ(stat->self, self);
}

static void test_times(void)
{
	struct run run;

	follow(&run, "begin - a0; @10; call a10 b0; @20; call b4 c0; @25; ret c8 b9; @40; ret b10 a15;"
		     "@100; call a20 c0; @101; ret c8 a25");
	check(&run, 'b', 1, 30, 25);
	check(&run, 'c', 2, 6, 6);
	CHECK_EQ(run.stats.stats['c'].durations->max, 5);
	CHECK_EQ(run.stats.stats['b'].unseen, 0);
	release(&run);
}

/* The time of a call inside one of the same function is not counted twice. */
static void test_recursion(void)
{
	struct run run;

	follow(&run, "begin - a0; @10; call a10 b0; @20; call b4 b0; @25; ret b8 b9; @40; ret b10 a15");
	check(&run, 'b', 2, 30, 30);
	release(&run);
}

/* Calls whose begin or end was not seen have no time. */
static void test_unseen(void)
{
	struct run run;

	follow(&run, "begin - c30; ret c40 b15; call b20 d0; call d4 e0; jmp e8 b25; ret b30 a15");
	CHECK_EQ(run.stats.stats['c'].unseen, 1);
	CHECK_EQ(run.stats.stats['e'].unseen, 1);
	CHECK_EQ(run.stats.stats['d'].unseen, 1);
	CHECK_EQ(run.stats.stats['b'].unseen, 1);
	CHECK_EQ(run.stats.stats['e'].calls, 0);
	release(&run);
}

/* auxbpf's own programs do not count, nor does what they call. */
static void test_gate(void)
{
	struct run run;

	follow(&run, "begin - A0; @10; call A10 B0; @20; call B4 G0; @25; call G4 C0; @30; ret C4 G9; @40; "
		     "ret G20 B9;"
		     "@50; call B10 C0; @52; ret C4 B15; @60; ret B20 A15");
	check(&run, 'B', 1, 50, 28);
	check(&run, 'C', 1, 2, 2);
	CHECK_EQ(run.stats.stats['G'].calls, 0);
	release(&run);
}

int main(void)
{
	test_times();
	test_recursion();
	test_unseen();
	test_gate();
	return check__done();
}
