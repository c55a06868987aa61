// SPDX-License-Identifier: GPL-2.0-only
/* The gate check of windows that are no system calls: what runs on a CPU, and functions. */
#include "oracle_gate_synth.h"

#define UMODE ORACLE_USER_FROM
#define BOTH_MODES (MODE_USER | MODE_KERNEL)
#define UFUNC 0x402000ul
#define UTRAMPOLINE 0x7fffffffe000ul
#define XOL 0x7fffffffe080ul

static uint32_t pids[] = {TARGET, CHILD};

static int run_on_cpu(struct synth_log *log, unsigned int modes)
{
	return run_opts(log,
			(struct gate_check_opts){
				.modes = modes, .on_cpu = true, .pids = {pids, 2}, .expect_windows = -1});
}

/* The flags that a branch of a mode has while the gate is open. */
static unsigned int open_in(unsigned int modes, enum gate_modes mode)
{
	return modes & mode ? BOTH : 0;
}

/* The gate opens on the way to the target. */
static void in(struct synth_log *log, unsigned int modes, uint32_t prev, uint32_t next)
{
	unsigned int k = open_in(modes, MODE_KERNEL);

	jump(log, 0, prev, WORK, 0);
	if (k)
		open_gate(log, 0, prev);
	jump(log, 0, prev, SCHED, k);
	switch_to(log, 0, next);
	jump(log, 0, prev, SCHED, k);
}

static void out(struct synth_log *log, unsigned int modes, uint32_t prev, uint32_t next)
{
	jump(log, 0, prev, GATE, open_in(modes, MODE_KERNEL));
	if (modes & MODE_KERNEL)
		close_gate(log, 0, prev);
	jump(log, 0, prev, SCHED, 0);
	switch_to(log, 0, next);
	jump(log, 0, next, SCHED, 0);
}

/* The kernel, user mode and a system call of no list. */
static void live(struct synth_log *log, unsigned int modes, uint32_t pid)
{
	unsigned int k = open_in(modes, MODE_KERNEL), u = open_in(modes, MODE_USER);

	jump(log, 0, pid, WORK, k);
	synth__add(log, 0, pid, ORACLE_IRET, ENTRY + 0x80, USER, (k & FROM) | (u & TO));
	jump(log, 0, pid, USER, u | UMODE);
	synth__add(log, 0, pid, ORACLE_SYSCALL, USER, ENTRY, (u & FROM) | (k & TO) | UMODE)->nr = UNAME;
	synth__add(log, 0, pid, ORACLE_CALL, WORK + 0x40, SYS_EXIT, k);
	jump(log, 0, pid, SYS_EXIT, k);
}

static void test_on_cpu(void)
{
	static const struct {
		unsigned int modes;
		const char *what;
	} cases[] = {
		{BOTH_MODES, "windows 1 (1 unfinished), branches 18, traced 16"},
		{MODE_KERNEL, "windows 1 (1 unfinished), branches 14, traced 12"},
		{MODE_USER, "windows 1 (1 unfinished), branches 4, traced 4"},
	};

	for (unsigned int i = 0; i < 3; i++) {
		struct synth_log *log = log_new();
		unsigned int modes = cases[i].modes;

		for (int n = 0; n < 2; n++) {
			in(log, modes, OTHER, TARGET);
			live(log, modes, TARGET);
			out(log, modes, TARGET, OTHER);
		}
		check_report(run_on_cpu(log, modes), 0, cases[i].what);
		CHECK(strstr(report, "switches 4 (4 between targets and others)"));
	}
}

static void test_on_cpu_holes(void)
{
	static const uint64_t where[] = {WORK, USER};

	for (int i = 0; i < 2; i++) {
		struct synth_log *log = log_new();

		in(log, BOTH_MODES, OTHER, TARGET);
		live(log, BOTH_MODES, TARGET);
		jump(log, 0, TARGET, where[i], where[i] == USER ? UMODE : 0);
		live(log, BOTH_MODES, TARGET);
		check_report(run_on_cpu(log, BOTH_MODES), 1, "1 branches inside a window not traced");
	}
}

static void test_on_cpu_others(void)
{
	struct synth_log *log = log_new();

	/* The gate stays open behind the target. */
	in(log, BOTH_MODES, OTHER, TARGET);
	live(log, BOTH_MODES, TARGET);
	switch_to(log, 0, OTHER);
	jump(log, 0, OTHER, SCHED, BOTH);
	jump(log, 0, OTHER, SCHED, 0);
	check_report(run_on_cpu(log, BOTH_MODES), 1, "1 branches traced outside windows");
	/* It opens too late. */
	log = log_new();
	switch_to(log, 0, TARGET);
	jump(log, 0, TARGET, WORK, 0);
	open_gate(log, 0, TARGET);
	live(log, BOTH_MODES, TARGET);
	check_report(run_on_cpu(log, BOTH_MODES), 1, "of the switch-in slack is in no function");
	/* It is that of another mode. */
	log = log_new();
	in(log, MODE_KERNEL, OTHER, TARGET);
	live(log, BOTH_MODES, TARGET);
	check_report(run_on_cpu(log, MODE_KERNEL), 1, "a branch of a mode that is not to be traced");
}

/* From one target to another the gate does not move. */
static void test_on_cpu_target_to_target(void)
{
	for (int moved = 0; moved < 2; moved++) {
		struct synth_log *log = log_new();

		in(log, BOTH_MODES, OTHER, TARGET);
		live(log, BOTH_MODES, TARGET);
		jump(log, 0, TARGET, SCHED, BOTH);
		if (moved)
			jump(log, 0, TARGET, SCHED, 0);
		switch_to(log, 0, CHILD);
		live(log, BOTH_MODES, CHILD);
		out(log, BOTH_MODES, CHILD, OTHER);
		CHECK_EQ(run_on_cpu(log, BOTH_MODES), moved);
		CHECK(strstr(report, moved ? "1 branches of a window before a switch" : "windows 2"));
	}
	/* Nor in the second one. */
	struct synth_log *log = log_new();

	in(log, BOTH_MODES, OTHER, TARGET);
	live(log, BOTH_MODES, TARGET);
	switch_to(log, 0, CHILD);
	jump(log, 0, CHILD, SCHED, 0);
	live(log, BOTH_MODES, CHILD);
	check_report(run_on_cpu(log, BOTH_MODES), 1, "1 branches inside a window not traced");
}

/* An interrupt of user mode may end elsewhere, in a signal handler. */
static void test_on_cpu_interrupts(void)
{
	struct synth_log *log = log_new();

	in(log, BOTH_MODES, OTHER, TARGET);
	live(log, BOTH_MODES, TARGET);
	synth__add(log, 0, TARGET, ORACLE_IRET, ENTRY + 0x80, USER, BOTH);
	synth__add(log, 0, TARGET, ORACLE_INTERRUPT, USER + 0x24, IRQ, BOTH | UMODE);
	jump(log, 0, TARGET, IRQ, 0);
	synth__add(log, 0, TARGET, ORACLE_INTERRUPT, IRQ + 0x24, IRQ, BOTH);
	synth__add(log, 0, TARGET, ORACLE_IRET, IRQ + 0x40, IRQ + 0x24, BOTH);
	synth__add(log, 0, TARGET, ORACLE_IRET, IRQ + 0x40, USER + 0x800, BOTH);
	jump(log, 0, TARGET, USER, BOTH | UMODE);
	check_report(run_on_cpu(log, BOTH_MODES), 0, "detours 2 (3 branches)");
	log = log_new();
	in(log, BOTH_MODES, OTHER, TARGET);
	live(log, BOTH_MODES, TARGET);
	synth__add(log, 0, TARGET, ORACLE_INTERRUPT, USER + 0x24, IRQ, BOTH | UMODE);
	synth__add(log, 0, TARGET, ORACLE_IRET, IRQ + 0x40, USER + 0x24, BOTH);
	jump(log, 0, TARGET, USER, UMODE);
	live(log, BOTH_MODES, TARGET);
	check_report(run_on_cpu(log, BOTH_MODES), 1, "1 branches inside a window not traced");
}

static uint64_t functions[] = {UFUNC, FUNC};

static int run_functions(struct synth_log *log, unsigned int modes)
{
	uint32_t nr = UNAME;

	return run_opts(log, (struct gate_check_opts){.modes = modes,
						      .functions = {functions, 2},
						      .syscalls = {&nr, 1},
						      .pids = {pids, 1},
						      .expect_windows = -1});
}

/* A breakpoint at the entry and the gate; @u and @k: whether user mode and the kernel are traced behind it.
 */
static void enter_function(struct synth_log *log, bool was_open, unsigned int u, unsigned int k)
{
	unsigned int before = was_open ? BOTH : 0;

	synth__add(log, 0, TARGET, ORACLE_CALL, USER, UFUNC, before | UMODE);
	synth__add(log, 0, TARGET, ORACLE_SWINT, UFUNC, INT3, before | UMODE)->nr = 3;
	jump(log, 0, TARGET, INT3, before);
	jump(log, 0, TARGET, GATE, before);
	if (!was_open)
		open_gate(log, 0, TARGET);
	jump(log, 0, TARGET, GATE, k);
	/* The instruction under the breakpoint, in its slot. */
	synth__add(log, 0, TARGET, ORACLE_IRET, ENTRY, XOL, (k & FROM) | (u & TO));
	synth__add(log, 0, TARGET, ORACLE_EXCEPTION, XOL + 1, IRQ, (u & FROM) | (k & TO) | UMODE)->nr = 1;
	synth__add(log, 0, TARGET, ORACLE_IRET, ENTRY, UFUNC + 1, (k & FROM) | (u & TO));
	jump(log, 0, TARGET, UFUNC, u | UMODE);
}

static void leave_function(struct synth_log *log, bool stays_open, unsigned int u, unsigned int k)
{
	unsigned int behind = stays_open ? BOTH : 0;

	synth__add(log, 0, TARGET, ORACLE_RET, UFUNC + 0x40, UTRAMPOLINE, u | UMODE);
	synth__add(log, 0, TARGET, ORACLE_SYSCALL, UTRAMPOLINE + 0xb, ENTRY, (u & FROM) | (k & TO) | UMODE)
		->nr = 335;
	jump(log, 0, TARGET, ENTRY, k);
	jump(log, 0, TARGET, GATE, k);
	if (!stays_open)
		close_gate(log, 0, TARGET);
	jump(log, 0, TARGET, GATE, behind);
	synth__add(log, 0, TARGET, ORACLE_SYSRET, ENTRY + 0x80, USER + 5, behind);
	jump(log, 0, TARGET, USER, behind | UMODE);
}

static void test_user_function(void)
{
	static const struct {
		unsigned int modes;
		const char *what;
	} cases[] = {
		{BOTH_MODES,
		 "windows 2 (0 unfinished), branches 20, traced 14, slack open 0 close 0 call 3 return 2"},
		{MODE_KERNEL,
		 "windows 2 (0 unfinished), branches 10, traced 6, slack open 0 close 0 call 2 return 2"},
		{MODE_USER,
		 "windows 2 (0 unfinished), branches 10, traced 8, slack open 0 close 0 call 1 return 0"},
	};

	for (unsigned int i = 0; i < 3; i++) {
		unsigned int k = open_in(cases[i].modes, MODE_KERNEL), u = open_in(cases[i].modes, MODE_USER);
		struct synth_log *log = log_new();

		for (int n = 0; n < 2; n++) {
			jump(log, 0, TARGET, USER, UMODE);
			enter_function(log, false, u, k);
			leave_function(log, false, u, k);
		}
		check_report(run_functions(log, cases[i].modes), 0, cases[i].what);
	}
}

/* The range from the work of one function to another one; it goes on in user mode and over a switch. */
static int run_range(struct synth_log *log)
{
	return run_opts(log, (struct gate_check_opts){.modes = BOTH_MODES,
						      .range_begin = FUNC,
						      .range_end = EXIT_LOOP,
						      .pids = {pids, 1},
						      .expect_windows = -1});
}

static void begin_range(struct synth_log *log, bool was_open)
{
	unsigned int before = was_open ? BOTH : 0;

	synth__add(log, 0, TARGET, ORACLE_CALL, WORK, FUNC, before);
	jump(log, 0, TARGET, GATE, before);
	if (!was_open)
		open_gate(log, 0, TARGET);
	jump(log, 0, TARGET, GATE, BOTH);
}

static void end_range(struct synth_log *log, bool was_open)
{
	unsigned int before = was_open ? BOTH : 0;

	synth__add(log, 0, TARGET, ORACLE_CALL, WORK, EXIT_LOOP, before);
	jump(log, 0, TARGET, GATE, before);
	if (was_open)
		close_gate(log, 0, TARGET);
	jump(log, 0, TARGET, GATE, 0);
	jump(log, 0, TARGET, WORK, 0);
}

static void test_range(void)
{
	struct synth_log *log = log_new();

	end_range(log, false);
	begin_range(log, false);
	begin_range(log, true); /* it does not nest */
	synth__add(log, 0, TARGET, ORACLE_SYSRET, ENTRY + 0x80, USER, BOTH);
	jump(log, 0, TARGET, USER, BOTH | UMODE);
	synth__add(log, 0, TARGET, ORACLE_SYSCALL, USER, ENTRY, BOTH | UMODE)->nr = UNAME;
	out(log, BOTH_MODES, TARGET, OTHER);
	synth__add(log, 0, OTHER, ORACLE_CALL, WORK, EXIT_LOOP, 0);
	synth__add(log, 0, OTHER, ORACLE_CALL, WORK, FUNC, 0);
	in(log, BOTH_MODES, OTHER, TARGET);
	end_range(log, true);
	end_range(log, false);
	begin_range(log, false);
	end_range(log, true);
	check_report(run_range(log), 0, "windows 2 (0 unfinished)");
}

static void test_range_wrong(void)
{
	struct synth_log *log = log_new();

	begin_range(log, true);
	end_range(log, true);
	check_report(run_range(log), 1, "the gate was open before a window");
	log = log_new();
	begin_range(log, false);
	jump(log, 0, TARGET, WORK, 0);
	end_range(log, true);
	check_report(run_range(log), 1, "1 branches inside a window not traced");
	log = log_new();
	begin_range(log, false);
	end_range(log, true);
	jump(log, 0, TARGET, WORK, BOTH);
	check_report(run_range(log), 1, "1 branches traced outside windows");
	/* What an interrupt does neither begins nor ends it. */
	log = log_new();
	synth__add(log, 0, TARGET, ORACLE_INTERRUPT, WORK, IRQ, 0);
	begin_range(log, false);
	synth__add(log, 0, TARGET, ORACLE_IRET, IRQ, WORK, BOTH);
	jump(log, 0, TARGET, WORK, BOTH);
	check_report(run_range(log), 1, "branches traced outside windows");
}

/* It closes at the outermost return. */
static void test_recursion(void)
{
	struct synth_log *log = log_new();

	enter_function(log, false, BOTH, BOTH);
	enter_function(log, true, BOTH, BOTH);
	leave_function(log, true, BOTH, BOTH);
	leave_function(log, false, BOTH, BOTH);
	check_report(run_functions(log, BOTH_MODES), 0, "windows 1 (0 unfinished)");
	log = log_new();
	enter_function(log, false, BOTH, BOTH);
	enter_function(log, true, BOTH, BOTH);
	leave_function(log, false, BOTH, BOTH);
	leave_function(log, false, 0, 0);
	check_report(run_functions(log, BOTH_MODES), 1, "the last 4 branches of a window not traced");
}

static void test_user_function_wrong(void)
{
	struct synth_log *log = log_new();

	/* Open too late, for the function's first branch. */
	enter_function(log, false, 0, 0);
	jump(log, 0, TARGET, UFUNC, BOTH | UMODE);
	leave_function(log, false, BOTH, BOTH);
	check_report(run_functions(log, BOTH_MODES), 1, "of the call slack is in no function of its list");
	log = log_new();
	enter_function(log, false, 0, 0);
	leave_function(log, false, 0, 0);
	check_report(run_functions(log, BOTH_MODES), 1, "none traced");
	/* Open before it, and after it. */
	log = log_new();
	jump(log, 0, TARGET, USER, BOTH | UMODE);
	enter_function(log, false, BOTH, BOTH);
	leave_function(log, false, BOTH, BOTH);
	check_report(run_functions(log, BOTH_MODES), 1, "1 branches traced outside windows");
	log = log_new();
	enter_function(log, false, BOTH, BOTH);
	leave_function(log, true, BOTH, BOTH);
	check_report(run_functions(log, BOTH_MODES), 1, "the gate was open after a window");
	log = log_new();
	enter_function(log, false, BOTH, 0);
	leave_function(log, true, BOTH, 0);
	check_report(run_functions(log, MODE_USER), 1, "the gate was open after a window");
	/* A hole in it. */
	log = log_new();
	enter_function(log, false, BOTH, BOTH);
	jump(log, 0, TARGET, USER, UMODE);
	leave_function(log, false, BOTH, BOTH);
	check_report(run_functions(log, BOTH_MODES), 1, "1 branches inside a window not traced");
}

/* Faults and interrupts at the entry; a signal handler; a breakpoint at the return. */
static void test_function_entries(void)
{
	struct synth_log *log = log_new();

	synth__add(log, 0, TARGET, ORACLE_CALL, USER, UFUNC, UMODE);
	synth__add(log, 0, TARGET, ORACLE_EXCEPTION, UFUNC, IRQ, UMODE)->nr = 14;
	jump(log, 0, TARGET, WORK, 0);
	synth__add(log, 0, TARGET, ORACLE_IRET, IRQ + 0x40, UFUNC, 0);
	synth__add(log, 0, TARGET, ORACLE_INTERRUPT, UFUNC, IRQ, UMODE);
	jump(log, 0, TARGET, WORK, 0);
	synth__add(log, 0, TARGET, ORACLE_IRET, IRQ + 0x40, UFUNC, 0);
	synth__add(log, 0, TARGET, ORACLE_SWINT, UFUNC, INT3, UMODE)->nr = 3;
	open_gate(log, 0, TARGET);
	synth__add(log, 0, TARGET, ORACLE_IRET, ENTRY, UFUNC + 1, BOTH);
	leave_function(log, false, BOTH, BOTH);
	check_report(run_functions(log, BOTH_MODES), 0, "windows 1 (0 unfinished)");
	log = log_new();
	synth__add(log, 0, TARGET, ORACLE_SYSCALL, USER, ENTRY, UMODE)->nr = UNAME + 1;
	synth__add(log, 0, TARGET, ORACLE_IRET, ENTRY + 0x80, UFUNC, 0);
	synth__add(log, 0, TARGET, ORACLE_SWINT, UFUNC, INT3, UMODE)->nr = 3;
	open_gate(log, 0, TARGET);
	synth__add(log, 0, TARGET, ORACLE_IRET, ENTRY, UFUNC + 1, BOTH);
	synth__add(log, 0, TARGET, ORACLE_RET, UFUNC + 0x40, UTRAMPOLINE, BOTH | UMODE);
	synth__add(log, 0, TARGET, ORACLE_SWINT, UTRAMPOLINE, INT3, BOTH | UMODE)->nr = 3;
	jump(log, 0, TARGET, INT3, BOTH);
	close_gate(log, 0, TARGET);
	synth__add(log, 0, TARGET, ORACLE_IRET, ENTRY, USER, 0);
	jump(log, 0, TARGET, USER, UMODE);
	check_report(run_functions(log, BOTH_MODES), 0, "windows 1 (0 unfinished)");
}

static void enter_kernel_function(struct synth_log *log, unsigned int before, unsigned int behind)
{
	synth__add(log, 0, TARGET, ORACLE_CALL, WORK, FUNC, before);
	synth__add(log, 0, TARGET, ORACLE_CALL, FUNC, TRAMPOLINE, before);
	jump(log, 0, TARGET, GATE, before);
	if (behind && !before)
		open_gate(log, 0, TARGET);
	synth__add(log, 0, TARGET, ORACLE_CALL, TRAMPOLINE + 0x40, FUNC + 5, behind);
	jump(log, 0, TARGET, FUNC + 0x80, behind);
}

static void leave_kernel_function(struct synth_log *log, unsigned int before, unsigned int behind)
{
	synth__add(log, 0, TARGET, ORACLE_RET, FUNC + 0xc0, TRAMPOLINE + 0x45, before);
	jump(log, 0, TARGET, GATE, before);
	if (before && !behind)
		close_gate(log, 0, TARGET);
	synth__add(log, 0, TARGET, ORACLE_RET, TRAMPOLINE + 0x80, WORK + 5, behind);
	jump(log, 0, TARGET, WORK, behind);
}

static void test_kernel_function(void)
{
	struct synth_log *log = log_new();

	for (int n = 0; n < 2; n++) {
		enter_kernel_function(log, 0, BOTH);
		enter_kernel_function(log, BOTH, BOTH);
		leave_kernel_function(log, BOTH, BOTH);
		leave_kernel_function(log, BOTH, 0);
	}
	check_report(
		run_functions(log, MODE_KERNEL), 0,
		"windows 2 (0 unfinished), branches 28, traced 24, slack open 0 close 0 call 2 return 1");
	log = log_new();
	enter_kernel_function(log, 0, BOTH);
	leave_kernel_function(log, BOTH, BOTH);
	check_report(run_functions(log, MODE_KERNEL), 1,
		     "branch 3 of 3 of the return slack is in no function of its list");
	log = log_new();
	enter_kernel_function(log, 0, 0);
	leave_kernel_function(log, 0, 0);
	check_report(run_functions(log, MODE_KERNEL), 1, "none traced");
	/* What an interrupt calls is not the task's. */
	log = log_new();
	synth__add(log, 0, TARGET, ORACLE_INTERRUPT, WORK, IRQ, 0);
	enter_kernel_function(log, 0, 0);
	leave_kernel_function(log, 0, 0);
	synth__add(log, 0, TARGET, ORACLE_IRET, IRQ, WORK, 0);
	check_report(run_functions(log, MODE_KERNEL), 1, "no target task had a window");
}

/* The gate is open while anything is. */
static void test_nested(void)
{
	struct synth_log *log = log_new();

	/* A function in a system call, a system call in a function. */
	enter(log, 0, TARGET, UNAME);
	enter_kernel_function(log, BOTH, BOTH);
	leave_kernel_function(log, BOTH, BOTH);
	leave(log, 0, TARGET);
	enter_function(log, false, BOTH, BOTH);
	synth__add(log, 0, TARGET, ORACLE_SYSCALL, UFUNC, ENTRY, BOTH | UMODE)->nr = UNAME;
	work(log, 0, TARGET);
	begin_leave(log, 0, TARGET);
	jump(log, 0, TARGET, SYS_EXIT, BOTH);
	synth__add(log, 0, TARGET, ORACLE_SYSRET, ENTRY + 0x80, UFUNC + 2, BOTH);
	leave_function(log, false, BOTH, BOTH);
	check_report(run_functions(log, BOTH_MODES), 0, "windows 2 (0 unfinished)");
	/* The function's return closes it in the middle of the system call, and the other way round. */
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	enter_kernel_function(log, BOTH, BOTH);
	leave_kernel_function(log, BOTH, 0);
	leave(log, 0, TARGET);
	check_report(run_functions(log, BOTH_MODES), 1, "2 branches inside a window not traced");
	log = log_new();
	enter_function(log, false, BOTH, BOTH);
	synth__add(log, 0, TARGET, ORACLE_SYSCALL, UFUNC, ENTRY, BOTH | UMODE)->nr = UNAME;
	leave(log, 0, TARGET);
	leave_function(log, false, BOTH, BOTH);
	check_report(run_functions(log, BOTH_MODES), 1, "branches inside a window not traced");
}

int main(void)
{
	test_on_cpu();
	test_on_cpu_holes();
	test_on_cpu_others();
	test_on_cpu_target_to_target();
	test_on_cpu_interrupts();
	test_user_function();
	test_range();
	test_range_wrong();
	test_recursion();
	test_user_function_wrong();
	test_function_entries();
	test_kernel_function();
	test_nested();
	return check__done();
}
