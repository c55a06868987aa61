// SPDX-License-Identifier: GPL-2.0-only
/* What the gate check says of a stretch of branches: how long it counts, and in which functions it is. */
#include "oracle_gate_synth.h"

/* The gate waits in a function that is there for it, then goes through more branches than it may. */
static void test_gate_waits(void)
{
	for (unsigned int more = 0; more < 2; more++) {
		struct synth_log *log = log_new();

		call(log, 0, TARGET, UNAME);
		for (int i = 0; i < 10; i++)
			synth__add(log, 0, TARGET, ORACLE_JCC, POLL + 0x20, POLL + 0x18, 0);
		for (int i = 0; i < 10; i++) {
			synth__add(log, 0, TARGET, ORACLE_JCC, POLL + 0x30, POLL + 0x38, 0);
			synth__add(log, 0, TARGET, ORACLE_JMP, POLL + 0x3a, POLL + 0x28, 0);
		}
		for (unsigned int i = 0; i < more; i++)
			jump(log, 0, TARGET, GATE, 0);
		open_gate(log, 0, TARGET);
		jump(log, 0, TARGET, GATE, BOTH);
		work(log, 0, TARGET);
		leave(log, 0, TARGET);
		check_report(run(log), (int)more,
			     more ? "open slack of 4 branches, at most 3" : "slack open 3 close");
	}
}

/* A loop of another function is the gate's own work. */
static void test_gate_loops(void)
{
	struct synth_log *log = log_new();

	call(log, 0, TARGET, UNAME);
	for (int i = 0; i < 10; i++)
		synth__add(log, 0, TARGET, ORACLE_JCC, GATE + 0x20, GATE + 0x18, 0);
	open_gate(log, 0, TARGET);
	jump(log, 0, TARGET, GATE, BOTH);
	work(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_wrong(log, "open slack of 10 branches, at most 3 are allowed");
}

/* Into a function that is in no path's list, round and round in it, through so many more of its branches, and back. */
static void own_call(struct synth_log *log, unsigned int different, unsigned int flags)
{
	synth__add(log, 0, TARGET, ORACLE_CALL, GATE + 0x40, WORK, flags);
	for (int i = 0; i < 6000; i++)
		synth__add(log, 0, TARGET, ORACLE_JCC, WORK + 0x20, WORK + 0x18, flags);
	synth__add(log, 0, TARGET, ORACLE_INTERRUPT, WORK + 0x20, IRQ, flags);
	for (unsigned int i = 0; i < 10; i++)
		jump(log, 0, TARGET, IRQ + i, flags);
	synth__add(log, 0, TARGET, ORACLE_IRET, IRQ + 0x60, WORK + 0x20, flags);
	for (unsigned int i = 0; i < different; i++)
		jump(log, 0, TARGET, WORK + 0x80 + i, flags);
	synth__add(log, 0, TARGET, ORACLE_RET, WORK + 0x60, GATE + 0x45, flags);
}

/* What the gate calls takes its time, which is no fault, but leads through so much code at most. */
static void test_own_call(void)
{
	for (unsigned int more = 0; more < 2; more++) {
		struct synth_log *log = log_new();

		call(log, 0, TARGET, UNAME);
		jump(log, 0, TARGET, GATE, 0);
		own_call(log, 1 + more, 0);
		open_gate(log, 0, TARGET);
		jump(log, 0, TARGET, GATE, BOTH);
		work(log, 0, TARGET);
		leave(log, 0, TARGET);
		check_report(run(log), (int)more,
			     more ? "went through 5 different branches, at most 4" : "switch-in 0 own 4,");
	}
	for (unsigned int more = 0; more < 2; more++) {
		struct synth_log *log = log_new();

		enter(log, 0, TARGET, UNAME);
		begin_leave(log, 0, TARGET);
		jump(log, 0, TARGET, GATE, BOTH);
		own_call(log, 1 + more, BOTH);
		close_gate(log, 0, TARGET);
		to_user(log, 0, TARGET);
		check_report(run(log), (int)more, more ? "\n    4 in work.isra.0\n" : "switch-in 0 own 4,");
	}
}

/* The gate's program calls this function, which returns. */
static void gate_calls(struct synth_log *log, uint64_t func, unsigned int flags)
{
	synth__add(log, 0, TARGET, ORACLE_CALL, GATE + 0x40, func, flags);
	synth__add(log, 0, TARGET, ORACLE_RET, func + 0x10, GATE + 0x45, flags);
}

/* Which functions those of the gate may call is listed: at either end a strange one is a fault of the gate. */
static void test_own_calls_strange(void)
{
	const uint64_t funcs[] = {PREEMPT, FUNC};

	for (size_t strange = 0; strange < ARRAY_SIZE(funcs); strange++) {
		for (int at_end = 0; at_end < 2; at_end++) {
			struct synth_log *log = log_new();

			call(log, 0, TARGET, UNAME);
			jump(log, 0, TARGET, GATE, 0);
			gate_calls(log, funcs[at_end ? 0 : strange], 0);
			open_gate(log, 0, TARGET);
			work(log, 0, TARGET);
			begin_leave(log, 0, TARGET);
			jump(log, 0, TARGET, GATE, BOTH);
			gate_calls(log, funcs[at_end ? strange : 0], BOTH);
			close_gate(log, 0, TARGET);
			to_user(log, 0, TARGET);
			check_report(run(log), (int)strange, strange ? "violations 1" : "violations 0");
			CHECK_EQ(strstr(report,
					"a call of the gate's own functions to one that is in no list") &&
					 strstr(report, "another_name+0x40 => ffffffff8100e000 vfs_fsync"),
				 strange);
		}
	}
}

/* The gate is open for the task that is switched to, the one before it waits in the switch, then goes on for
 * longer. */
static void test_switch_waits(void)
{
	for (unsigned int more = 1; more < 3; more++) {
		struct synth_log *log = log_new();

		enter(log, 0, TARGET, UNAME);
		close_gate(log, 0, TARGET);
		switch_to(log, 0, OTHER);
		open_gate(log, 0, OTHER);
		for (int i = 0; i < 10; i++)
			synth__add(log, 0, OTHER, ORACLE_JCC, POLL + 0x20, POLL + 0x18, BOTH);
		for (unsigned int i = 0; i < more; i++)
			jump(log, 0, OTHER, SCHED, BOTH);
		switch_to(log, 0, TARGET);
		work(log, 0, TARGET);
		leave(log, 0, TARGET);
		check_report(run(log), (int)more - 1,
			     more > 1 ? "switch-in slack of 3 branches, at most 2"
				      : "switch-in 2 own 0, detours 0");
	}
}

/* A window in which the gate was closed for so many branches of these functions. */
static struct synth_log *log_with_hole(const uint64_t *func, const unsigned int *nr, unsigned int nr_funcs)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	for (unsigned int i = 0; i < nr_funcs; i++)
		for (unsigned int n = 0; n < nr[i]; n++)
			jump(log, 0, TARGET, func[i], 0);
	work(log, 0, TARGET);
	leave(log, 0, TARGET);
	return log;
}

static void test_functions(void)
{
	static const uint64_t func[] = {WORK, PREEMPT, SCHED, WORK, INT80, FORK, SYS_EXIT, INT3};
	static const unsigned int nr[] = {1, 4, 3, 1, 1, 1, 1, 1};
	struct synth_log *log = log_new();

	check_wrong(log_with_hole(func, nr, 1), "\n    1 in work.isra.0\ngate: WRONG");
	/* Those with the most branches first, then by address. */
	check_wrong(log_with_hole(func, nr, 4),
		    "\n    4 in preempt_schedule\n    3 in __schedule\n    2 in work.isra.0\ngate: WRONG");
	check_wrong(log_with_hole(func, nr, 8),
		    "\n    2 in work.isra.0\n    1 in ret_from_fork_asm\n    1 in asm_int80_emulation\n"
		    "    1 in asm_exc_int3\n    1 in others\ngate: WRONG");
	enter(log, 0, TARGET, UNAME);
	leave(log, 0, TARGET);
	jump(log, 0, TARGET, USER, BOTH | ORACLE_USER_FROM);
	jump(log, 0, TARGET, WORK, BOTH);
	jump(log, 0, TARGET, USER, BOTH | ORACLE_USER_FROM);
	check_wrong(log, "\n    2 in user mode\n    1 in work.isra.0\ngate: WRONG");
}

int main(void)
{
	test_gate_waits();
	test_gate_loops();
	test_own_call();
	test_own_calls_strange();
	test_switch_waits();
	test_functions();
	return check__done();
}
