// SPDX-License-Identifier: GPL-2.0-only
/* The gate check with logs made up: right ones pass, and each way in which a gate can be wrong is found. */
#include "oracle_gate_synth.h"

static void test_right(void)
{
	struct synth_log *log = log_new();

	for (int i = 0; i < 3; i++) {
		enter(log, 0, TARGET, UNAME);
		work(log, 0, TARGET);
		leave(log, 0, TARGET);
	}
	check_right(
		log,
		"windows 3 (0 unfinished), branches 21, traced 12, slack open 3 close 2 call 0 return 0 "
		"switch-out 0 switch-in 0 own 0, detours 0 (0 branches), switches 0 (0 between targets and "
		"others), foreign traced 0, violations 0");
}

static void test_number_of_windows(void)
{
	for (long expect = 0; expect < 3; expect++) {
		struct synth_log *log = log_new();

		enter(log, 0, TARGET, UNAME);
		leave(log, 0, TARGET);
		CHECK_EQ(run_for(log, UNAME, 0, expect), expect != 1);
	}
	check_wrong(log_new(), "nothing to check");
}

static void test_migration(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	migrate(log, 0, 1);
	work(log, 1, TARGET);
	leave(log, 1, TARGET);
	check_right(log,
		    "windows 1 (0 unfinished), branches 11, traced 6, slack open 3 close 2 call 0 return 0 "
		    "switch-out 2 switch-in 2");
}

/* The clocks decide between CPUs, not the places in the file. */
static void test_order_by_tsc(void)
{
	struct synth_log *log = log_new(), *turned = log_new();

	enter(log, 1, TARGET, UNAME);
	migrate(log, 1, 0);
	work(log, 0, TARGET);
	migrate(log, 0, 1);
	leave(log, 1, TARGET);
	for (unsigned int cpu = 0; cpu < 2; cpu++)
		for (unsigned int i = 0; i < log->nr; i++)
			if (log->rec[i].cpu == cpu)
				turned->rec[turned->nr++] = log->rec[i];
	free(log);
	check_right(turned, "windows 1 (0 unfinished), branches 15");
}

static void test_not_traced(void)
{
	struct synth_log *log = log_new();

	call(log, 0, TARGET, UNAME);
	jump(log, 0, TARGET, ENTRY, 0);
	synth__add(log, 0, TARGET, ORACLE_SYSRET, ENTRY + 0x80, USER + 2, 0);
	check_wrong(log, "a window of 1 branches, none traced");
	/* Nor one that ended on another CPU, nor one that never ended. */
	log = log_new();
	call(log, 0, TARGET, UNAME);
	jump(log, 0, TARGET, ENTRY, 0);
	switch_to(log, 0, OTHER);
	check_wrong(log, "branches of a window before a switch to another task not traced");
	log = log_new();
	call(log, 0, TARGET, UNAME);
	check_wrong(log, "without an end in the log, none of it traced");
}

static void test_hole(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	jump(log, 0, TARGET, GATE, 0); /* even in functions of the lists */
	work(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_wrong(log, "1 branches inside a window not traced");
}

/* What PERF's own aux-action does: it loses the window with the CPU. */
static void test_lost_after_migration(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	close_gate(log, 0, TARGET);
	switch_to(log, 0, OTHER);
	switch_to(log, 1, TARGET);
	jump(log, 1, TARGET, WORK, 0);
	synth__add(log, 1, TARGET, ORACLE_SYSRET, ENTRY + 0x80, USER + 2, 0);
	check_wrong(log, "the last 1 branches of a window not traced");
}

static void test_slack_symbols(void)
{
	struct synth_log *log = log_new();

	call(log, 0, TARGET, UNAME);
	jump(log, 0, TARGET, WORK, 0);
	open_gate(log, 0, TARGET);
	work(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_wrong(log, "branch 1 of 1 of the open slack is in no function of its list");
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	begin_leave(log, 0, TARGET);
	jump(log, 0, TARGET, SYS_EXIT, BOTH);
	jump(log, 0, TARGET, WORK, BOTH);
	close_gate(log, 0, TARGET);
	to_user(log, 0, TARGET);
	check_wrong(log, "branch 2 of 2 of the close slack is in no function of its list");
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	close_gate(log, 0, TARGET);
	jump(log, 0, TARGET, ENTRY, 0);
	switch_to(log, 0, OTHER);
	check_wrong(log, "of the switch-out slack is in no function of its list");
}

static void test_slack_limits(void)
{
	struct synth_log *log = log_new();

	call(log, 0, TARGET, UNAME);
	for (int i = 0; i < 4; i++)
		jump(log, 0, TARGET, GATE, 0);
	work(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_wrong(log, "open slack of 4 branches, at most 3 are allowed");
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	begin_leave(log, 0, TARGET);
	for (int n = 0; n < 4; n++)
		jump(log, 0, TARGET, GATE, BOTH);
	close_gate(log, 0, TARGET);
	to_user(log, 0, TARGET);
	check_wrong(log, "close slack of 4 branches, at most 3 are allowed");
}

static void test_foreign_task(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	leave(log, 0, TARGET);
	switch_to(log, 0, OTHER);
	enter(log, 0, OTHER, UNAME); /* another task's same call */
	leave(log, 0, OTHER);
	check_wrong(log, "4 branches traced outside windows");
	CHECK(strstr(report, "foreign traced 4"));
}

static void test_foreign_call(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	leave(log, 0, TARGET);
	enter(log, 0, TARGET, UNAME + 1);
	leave(log, 0, TARGET);
	check_wrong(log, "4 branches traced outside windows");
}

static void test_foreign_user(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	leave(log, 0, TARGET);
	jump(log, 0, TARGET, USER, BOTH | ORACLE_USER_FROM);
	check_wrong(log, "1 branches traced outside windows");
}

/* The gate stays open when the target sleeps: the next task is traced. */
static void test_foreign_after_switch(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	jump(log, 0, TARGET, SCHED, BOTH);
	switch_to(log, 0, OTHER);
	jump(log, 0, OTHER, SCHED, BOTH);
	close_gate(log, 0, OTHER);
	jump(log, 0, OTHER, SCHED, 0);
	check_wrong(log, "1 branches traced outside windows");
}

static void test_switch_in_slack(void)
{
	struct synth_log *log = log_new();

	/* Too early: the task before the target is traced in a function that is not the switch. */
	enter(log, 0, TARGET, UNAME);
	close_gate(log, 0, TARGET);
	switch_to(log, 0, OTHER);
	open_gate(log, 0, OTHER);
	jump(log, 0, OTHER, WORK, BOTH);
	switch_to(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_wrong(log, "branch 1 of 1 of the switch-in slack is in no function of its list");
	/* Too long, and for a task without a window. */
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	close_gate(log, 0, TARGET);
	switch_to(log, 0, OTHER);
	for (int i = 0; i < 3; i++)
		jump(log, 0, OTHER, SCHED, BOTH);
	switch_to(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_wrong(log, "switch-in slack of 3 branches, at most 2 are allowed");
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	leave(log, 0, TARGET);
	jump(log, 0, TARGET, SCHED, BOTH);
	switch_to(log, 0, OTHER);
	check_wrong(log, "1 branches traced outside windows");
}

/*
 * The interrupt of a full buffer, which stops the trace for a while, on the way from the gate's opening to a
 * switch.
 */
static struct synth_log *interrupted_switch_in(bool returns)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	close_gate(log, 0, TARGET);
	switch_to(log, 0, OTHER);
	open_gate(log, 0, OTHER);
	jump(log, 0, OTHER, SCHED, BOTH);
	synth__add(log, 0, OTHER, ORACLE_INTERRUPT, SCHED + 0x30, IRQ, BOTH);
	jump(log, 0, OTHER, IRQ, BOTH);
	close_gate(log, 0, OTHER);
	jump(log, 0, OTHER, IRQ, 0);
	open_gate(log, 0, OTHER);
	jump(log, 0, OTHER, IRQ, BOTH);
	if (returns)
		synth__add(log, 0, OTHER, ORACLE_IRET, IRQ + 0x80, SCHED + 0x30, BOTH);
	jump(log, 0, OTHER, SCHED, BOTH);
	return log;
}

static void test_switch_in_interrupted(void)
{
	struct synth_log *log = interrupted_switch_in(true);

	switch_to(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_right(log, "switch-in 2 own 0, detours 1 (4 branches)");
	log = interrupted_switch_in(false);
	switch_to(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_wrong(log, "an interrupt on the way to a window that does not return");
	log = interrupted_switch_in(true);
	switch_to(log, 0, CHILD); /* which has no window */
	check_wrong(log, "2 branches traced outside windows");
}

/* The gate closed again before the switch, and what the task ran then is not in the log. */
static void test_quiet_task(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	close_gate(log, 0, TARGET);
	switch_to(log, 0, OTHER);
	open_gate(log, 0, OTHER);
	jump(log, 0, OTHER, SCHED, BOTH);
	close_gate(log, 0, OTHER);
	switch_to(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_wrong(log, "1 branches traced outside windows");
}

static void test_open_at_the_edges(void)
{
	struct synth_log *log = log_new();

	synth__add(log, 0, TARGET, ORACLE_SYSCALL, USER, ENTRY, TO | ORACLE_USER_FROM)->nr = UNAME;
	work(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_wrong(log, "the gate was open before a window");
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	begin_leave(log, 0, TARGET);
	jump(log, 0, TARGET, SYS_EXIT, BOTH);
	synth__add(log, 0, TARGET, ORACLE_SYSRET, ENTRY + 0x80, USER + 2, FROM);
	check_wrong(log, "the gate was open after a window");
	/* Nothing that looks like the tracepoint: the slack file does not fit the kernel. */
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	to_user(log, 0, TARGET);
	check_wrong(log, "the last 1 branches of a window not traced");
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	synth__add(log, 0, TARGET, ORACLE_SYSRET, ENTRY + 0x80, USER + 2, FROM);
	check_wrong(log, "a window ended without the sys_exit tracepoint");
}

/* Not traced for the last branches before the tracepoint. */
static void test_closed_too_early(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	work(log, 0, TARGET);
	close_gate(log, 0, TARGET);
	jump(log, 0, TARGET, GATE, 0);
	synth__add(log, 0, TARGET, ORACLE_CALL, WORK + 0x40, SYS_EXIT, 0);
	jump(log, 0, TARGET, SYS_EXIT, 0);
	to_user(log, 0, TARGET);
	check_wrong(log, "the last 1 branches of a window not traced");
}

static void preempted(struct synth_log *log, unsigned int flags)
{
	synth__add(log, 0, TARGET, ORACLE_CALL, GATE + 0x40, PREEMPT, flags);
	jump(log, 0, TARGET, SCHED, flags);
	switch_to(log, 0, OTHER);
	jump(log, 0, OTHER, WORK, 0);
	switch_to(log, 0, TARGET);
	jump(log, 0, TARGET, SCHED, flags);
	synth__add(log, 0, TARGET, ORACLE_RET, SCHED, PREEMPT + 0x8, flags);
	synth__add(log, 0, TARGET, ORACLE_RET, PREEMPT + 0x10, GATE + 0x45, flags);
}

/* The gate's own path may have to wait; the system call's may not be missed for that. */
static void test_preempted_gate(void)
{
	struct synth_log *log = log_new();

	call(log, 0, TARGET, UNAME);
	jump(log, 0, TARGET, GATE, 0);
	preempted(log, 0);
	jump(log, 0, TARGET, GATE, 0);
	open_gate(log, 0, TARGET);
	work(log, 0, TARGET);
	begin_leave(log, 0, TARGET);
	jump(log, 0, TARGET, GATE, BOTH);
	preempted(log, BOTH);
	jump(log, 0, TARGET, GATE, BOTH);
	close_gate(log, 0, TARGET);
	preempted(log, 0);
	to_user(log, 0, TARGET);
	check_right(log, "windows 1 (0 unfinished), branches 5, traced 3, slack open 2 close 2");
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	preempted(log, 0);
	leave(log, 0, TARGET);
	check_wrong(log, "slack is in no function of its list");
}

/* A function of the gate calls another, which jumps to a third: that one returns behind the call. */
static void test_gate_jumps_on(void)
{
	struct synth_log *log = log_new();

	call(log, 0, TARGET, UNAME);
	synth__add(log, 0, TARGET, ORACLE_CALL, ENTRY + 0x30, GATE, 0);
	synth__add(log, 0, TARGET, ORACLE_CALL, GATE + 0x20, GATE + 0x100, 0);
	synth__add(log, 0, TARGET, ORACLE_JMP, GATE + 0x110, PREEMPT, 0);
	for (int i = 0; i < 10; i++)
		jump(log, 0, TARGET, PREEMPT, 0);
	synth__add(log, 0, TARGET, ORACLE_RET, PREEMPT + 0x30, GATE + 0x25, 0);
	open_gate(log, 0, TARGET);
	jump(log, 0, TARGET, GATE, BOTH);
	work(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_right(log, "windows 1 (0 unfinished)");
}

/* What is not the gate's calls the system call's work, and the gate is still closed. */
static void test_gate_comes_late(void)
{
	struct synth_log *log = log_new();

	call(log, 0, TARGET, UNAME);
	synth__add(log, 0, TARGET, ORACLE_CALL, ENTRY + 0x20, GATE, 0);
	synth__add(log, 0, TARGET, ORACLE_RET, GATE + 0x20, ENTRY + 0x25, 0);
	synth__add(log, 0, TARGET, ORACLE_CALL, ENTRY + 0x30, WORK, 0);
	synth__add(log, 0, TARGET, ORACLE_RET, WORK + 0x20, ENTRY + 0x35, 0);
	open_gate(log, 0, TARGET);
	jump(log, 0, TARGET, GATE, BOTH);
	work(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_wrong(log, "open slack is in no function of its list");
}

/* Between two windows the gate stays as it is, unless one of them is only about to open. */
static void test_switch_between_windows(void)
{
	for (int opening = 0; opening < 2; opening++) {
		struct synth_log *log = log_new();

		/* The first one is interrupted in its window, or before the gate opens for it. */
		call(log, 0, CHILD, UNAME);
		jump(log, 0, CHILD, GATE, 0);
		if (!opening) {
			open_gate(log, 0, CHILD);
			work(log, 0, CHILD);
		}
		synth__add(log, 0, CHILD, ORACLE_INTERRUPT, GATE + 0x24, IRQ, opening ? 0 : BOTH);
		if (!opening)
			close_gate(log, 0, CHILD);
		jump(log, 0, CHILD, SCHED, 0);
		switch_to(log, 0, TARGET);
		enter(log, 0, TARGET, UNAME);
		close_gate(log, 0, TARGET);
		jump(log, 0, TARGET, SCHED, 0);
		switch_to(log, 0, CHILD);
		synth__add(log, 0, CHILD, ORACLE_IRET, IRQ + 0x40, GATE + 0x24, 0);
		open_gate(log, 0, CHILD);
		work(log, 0, CHILD);
		leave(log, 0, CHILD);
		switch_to(log, 0, TARGET);
		work(log, 0, TARGET);
		leave(log, 0, TARGET);
		CHECK_EQ(run(log), !opening);
		if (!opening)
			CHECK(strstr(report, "branches of a window before a switch to another task"));
	}
}

/* An interrupt inside a window that preempts it; whatever the unit does in it. */
static void interrupt(struct synth_log *log, unsigned int traced)
{
	synth__add(log, 0, TARGET, ORACLE_INTERRUPT, WORK + 0x24, IRQ, BOTH);
	jump(log, 0, TARGET, IRQ, BOTH);
	synth__add(log, 0, TARGET, ORACLE_INTERRUPT, IRQ + 0x24, IRQ, BOTH); /* an NMI in it */
	synth__add(log, 0, TARGET, ORACLE_IRET, IRQ + 0x40, IRQ + 0x24, BOTH);
	synth__add(log, 0, TARGET, ORACLE_IRET, IRQ + 0x60, IRQ + 0x62,
		   BOTH); /* to itself, as sync_core() does */
	jump(log, 0, TARGET, IRQ, traced);
	switch_to(log, 0, OTHER);
	jump(log, 0, OTHER, WORK, 0);
	switch_to(log, 0, TARGET);
	jump(log, 0, TARGET, IRQ, traced);
	synth__add(log, 0, TARGET, ORACLE_IRET, IRQ + 0x40, WORK + 0x24, traced);
}

static void test_interrupts(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	interrupt(log, 0);
	interrupt(log, BOTH);
	work(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_right(log, "detours 4 (12 branches)");
	/* After it the task is judged again. */
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	interrupt(log, 0);
	jump(log, 0, TARGET, WORK, 0);
	work(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_wrong(log, "1 branches inside a window not traced");
	/* One that never returns would except everything after it. */
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	synth__add(log, 0, TARGET, ORACLE_INTERRUPT, WORK, IRQ, BOTH);
	leave(log, 0, TARGET);
	check_wrong(log, "an interrupt inside a window that does not return to it");
}

/* A fault is the task's own execution. */
static void test_fault(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	synth__add(log, 0, TARGET, ORACLE_EXCEPTION, WORK, IRQ, BOTH);
	jump(log, 0, TARGET, IRQ, 0);
	synth__add(log, 0, TARGET, ORACLE_IRET, IRQ + 0x40, WORK, 0);
	work(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_wrong(log, "2 branches inside a window not traced");
}

/* What runs between the sys_exit tracepoint and user mode is not the window. */
static void test_exit_work(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	begin_leave(log, 0, TARGET);
	close_gate(log, 0, TARGET);
	jump(log, 0, TARGET, GATE, 0);
	jump(log, 0, TARGET, EXIT_LOOP, 0);
	for (int i = 0; i < 10; i++)
		jump(log, 0, TARGET, WORK, 0);
	switch_to(log, 0, OTHER);
	switch_to(log, 0, TARGET);
	synth__add(log, 0, TARGET, ORACLE_IRET, ENTRY + 0x80, USER + 2, 0);
	check_right(log, "windows 1 (0 unfinished)");
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	begin_leave(log, 0, TARGET);
	close_gate(log, 0, TARGET);
	jump(log, 0, TARGET, GATE, 0);
	jump(log, 0, TARGET, EXIT_LOOP, BOTH);
	check_wrong(log, "1 branches traced outside windows");
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	jump(log, 0, TARGET, EXIT_LOOP, BOTH);
	check_wrong(log, "a window ended without the sys_exit tracepoint");
}

static void int80(struct synth_log *log, uint64_t to, uint32_t nr)
{
	synth__add(log, 0, TARGET, ORACLE_SWINT, USER, to, ORACLE_USER_FROM | ORACLE_COMPAT)->nr = nr;
	jump(log, 0, TARGET, to, 0);
	open_gate(log, 0, TARGET);
	work(log, 0, TARGET);
	leave(log, 0, TARGET);
}

/* Numbers of 32-bit calls are others, and a breakpoint's vector is none. */
static void test_compat(void)
{
	struct synth_log *log = log_new();

	int80(log, INT80, COMPAT_UNAME);
	enter(log, 0, TARGET, UNAME);
	leave(log, 0, TARGET);
	check_right(log, "windows 2 ");
	log = log_new();
	int80(log, INT80, UNAME);
	check_wrong(log, "5 branches traced outside windows");
	log = log_new();
	int80(log, INT3, COMPAT_UNAME);
	check_wrong(log, "5 branches traced outside windows");
}

int main(void)
{
	test_right();
	test_number_of_windows();
	test_migration();
	test_order_by_tsc();
	test_not_traced();
	test_hole();
	test_lost_after_migration();
	test_slack_symbols();
	test_slack_limits();
	test_foreign_task();
	test_foreign_call();
	test_foreign_user();
	test_foreign_after_switch();
	test_switch_in_slack();
	test_switch_in_interrupted();
	test_quiet_task();
	test_open_at_the_edges();
	test_closed_too_early();
	test_preempted_gate();
	test_gate_jumps_on();
	test_gate_comes_late();
	test_switch_between_windows();
	test_interrupts();
	test_fault();
	test_exit_work();
	test_compat();
	return check__done();
}
