// SPDX-License-Identifier: GPL-2.0-only
/* What the gate check says of a stretch of branches: how long it counts, and in which functions it is. */
#include "oracle_gate_synth.h"

/* The gate waits for another CPU in one of its own functions, then goes through more of them than it may. */
static void test_gate_spins(void)
{
	for (unsigned int more = 0; more < 2; more++) {
		struct synth_log *log = log_new();

		call(log, 0, TARGET, UNAME);
		for (int i = 0; i < 10; i++)
			synth__add(log, 0, TARGET, ORACLE_JCC, GATE + 0x20, GATE + 0x18, 0);
		for (int i = 0; i < 10; i++) {
			synth__add(log, 0, TARGET, ORACLE_JCC, GATE + 0x30, GATE + 0x38, 0);
			synth__add(log, 0, TARGET, ORACLE_JMP, GATE + 0x3a, GATE + 0x28, 0);
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

/* The gate is open for the task that is switched to, the one before it waits in the switch, then goes on for
 * longer. */
static void test_switch_spins(void)
{
	for (unsigned int more = 1; more < 3; more++) {
		struct synth_log *log = log_new();

		enter(log, 0, TARGET, UNAME);
		close_gate(log, 0, TARGET);
		switch_to(log, 0, OTHER);
		open_gate(log, 0, OTHER);
		for (int i = 0; i < 10; i++)
			synth__add(log, 0, OTHER, ORACLE_JCC, SCHED + 0x20, SCHED + 0x18, BOTH);
		for (unsigned int i = 0; i < more; i++)
			jump(log, 0, OTHER, SCHED, BOTH);
		switch_to(log, 0, TARGET);
		work(log, 0, TARGET);
		leave(log, 0, TARGET);
		check_report(run(log), (int)more - 1,
			     more > 1 ? "switch-in slack of 3 branches, at most 2"
				      : "switch-in 2, detours 0");
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
	test_gate_spins();
	test_switch_spins();
	test_functions();
	return check__done();
}
