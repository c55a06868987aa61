/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A made-up kernel of a few functions, tasks that run in it, and the gate check run over what they did.
 */
#ifndef TESTS_ORACLE_GATE_SYNTH_H
#define TESTS_ORACLE_GATE_SYNTH_H

#include "gate_check.h"
#include "oracle_synth.h"

#define FROM ORACLE_TRACED_FROM
#define TO ORACLE_TRACED_TO
#define BOTH (FROM | TO)

#define USER 0x401000ul
#define ENTRY 0xffffffff81000000ul
#define WORK 0xffffffff81002000ul
#define GATE 0xffffffff81003000ul
#define SCHED 0xffffffff81004000ul
#define EXIT_LOOP 0xffffffff81005000ul
#define FORK 0xffffffff81006000ul
#define IRQ 0xffffffff81007000ul
#define INT80 0xffffffff81008000ul
#define INT3 0xffffffff81009000ul
#define WAKE_NEW 0xffffffff8100b000ul
#define SYS_EXIT 0xffffffff8100c000ul
#define PREEMPT 0xffffffff8100d000ul
#define FUNC 0xffffffff8100e000ul
#define TRAMPOLINE 0xffffffff8100f000ul
#define POLL 0xffffffff81010000ul

static const char kallsyms[] = "ffffffff81000000 T entry_SYSCALL_64\n"
			       "ffffffff81002000 t work.isra.0\n"
			       "ffffffff81003000 t bpf_prog_1234_gate\t[bpf]\n"
			       "ffffffff81003000 t another_name\n"
			       "ffffffff81004000 T __schedule\n"
			       "ffffffff81005000 T exit_to_user_mode_loop\n"
			       "ffffffff81006000 T ret_from_fork_asm\n"
			       "ffffffff81007000 T irq\n"
			       "ffffffff81008000 T asm_int80_emulation\n"
			       "ffffffff81009000 T asm_exc_int3\n"
			       "ffffffff8100b000 T wake_up_new_task\n"
			       "ffffffff8100c000 t trace_syscall_exit\n"
			       "ffffffff8100d000 T preempt_schedule\n"
			       "ffffffff8100e000 T vfs_fsync\n"
			       "ffffffff8100f000 t bpf_trampoline_1\t[bpf]\n"
			       "ffffffff81010000 T poll_device\n"
			       "ffffffff8100a000 D some_data\n";

static const char slack_text[] =
	"# comment\n"
	"limit open 3\nlimit close 3 # another\nlimit call 5\nlimit return 4\nlimit switch-out 2\nlimit "
	"switch-in 2\nlimit own 4\n"
	"open entry_SYSCALL_64 asm_int80*\nclose trace_syscall_exit\n"
	"switch-out __schedule\nswitch-in __schedule\nall bpf_prog_* poll_device\nwait poll_device\n"
	"call asm_exc_int3 bpf_trampoline_*\nreturn entry_SYSCALL_64 asm_exc_int3 "
	"bpf_trampoline_*\n"
	"exit trace_syscall_exit\nown bpf_prog_*\ncalled preempt_sched* work\nend "
	"exit_to_user_mode_loop\nchild "
	"ret_from_fork*\nfork wake_up_new_task\n";

#define UNAME 63
#define CLONE 56
#define EXECVE 59
#define COMPAT_UNAME 122
#define TARGET 7
#define OTHER 9
#define CHILD 11
#define NOTE 77

static inline struct synth_log *log_new(void)
{
	struct synth_log *log = calloc(1, sizeof(*log));

	if (!log)
		abort();
	log->nr_cpus = 2;
	return log;
}

static inline void jump(struct synth_log *log, unsigned int cpu, uint32_t pid, uint64_t func,
			unsigned int flags)
{
	synth__add(log, cpu, pid, ORACLE_JMP, func + 0x10, func + 0x20, flags);
}

static inline void call(struct synth_log *log, unsigned int cpu, uint32_t pid, uint32_t nr)
{
	synth__add(log, cpu, pid, ORACLE_SYSCALL, USER, ENTRY, ORACLE_USER_FROM)->nr = nr;
}

static inline void open_gate(struct synth_log *log, unsigned int cpu, uint32_t pid)
{
	synth__add(log, cpu, pid, ORACLE_UNIT, GATE + 0x30, GATE + 0x32, TO);
}

static inline void close_gate(struct synth_log *log, unsigned int cpu, uint32_t pid)
{
	synth__add(log, cpu, pid, ORACLE_UNIT, GATE + 0x30, GATE + 0x32, FROM);
}

static inline void switch_to(struct synth_log *log, unsigned int cpu, uint32_t next)
{
	synth__add(log, cpu, next, ORACLE_SWITCH, SCHED, SCHED, 0);
}

/* From user mode to where the window's own work begins; three branches of slack. */
static inline void enter(struct synth_log *log, unsigned int cpu, uint32_t pid, uint32_t nr)
{
	jump(log, cpu, pid, USER, ORACLE_USER_FROM);
	call(log, cpu, pid, nr);
	jump(log, cpu, pid, ENTRY, 0);
	jump(log, cpu, pid, GATE, 0);
	jump(log, cpu, pid, GATE, 0);
	open_gate(log, cpu, pid);
	jump(log, cpu, pid, GATE, BOTH);
}

/* Into the sys_exit tracepoint. */
static inline void begin_leave(struct synth_log *log, unsigned int cpu, uint32_t pid)
{
	synth__add(log, cpu, pid, ORACLE_CALL, WORK + 0x40, SYS_EXIT, BOTH);
}

static inline void to_user(struct synth_log *log, unsigned int cpu, uint32_t pid)
{
	jump(log, cpu, pid, ENTRY, 0);
	synth__add(log, cpu, pid, ORACLE_SYSRET, ENTRY + 0x80, USER + 2, 0);
	jump(log, cpu, pid, USER, ORACLE_USER_FROM);
}

/* From the window's own work to user mode; two branches of slack. */
static inline void leave(struct synth_log *log, unsigned int cpu, uint32_t pid)
{
	begin_leave(log, cpu, pid);
	jump(log, cpu, pid, SYS_EXIT, BOTH);
	jump(log, cpu, pid, GATE, BOTH);
	close_gate(log, cpu, pid);
	jump(log, cpu, pid, GATE, 0);
	to_user(log, cpu, pid);
}

static inline void work(struct synth_log *log, unsigned int cpu, uint32_t pid)
{
	jump(log, cpu, pid, WORK, BOTH);
	jump(log, cpu, pid, WORK, BOTH);
}

/* The target sleeps on one CPU and goes on on another; somebody else runs in between. */
static inline void migrate(struct synth_log *log, unsigned int old, unsigned int new)
{
	jump(log, old, TARGET, SCHED, BOTH);
	close_gate(log, old, TARGET);
	jump(log, old, TARGET, GATE, 0);
	jump(log, old, TARGET, SCHED, 0);
	switch_to(log, old, OTHER);
	jump(log, old, TARGET, SCHED, 0); /* `current` changes after the switch is logged */
	jump(log, old, OTHER, WORK, 0);
	jump(log, new, 0, SCHED, 0);
	open_gate(log, new, 0);
	jump(log, new, 0, GATE, BOTH);
	jump(log, new, 0, SCHED, BOTH);
	switch_to(log, new, TARGET);
	jump(log, new, 0, SCHED, BOTH);
}

static char report[16384];

/* Checks the log, which is released, for targets and windows of @opts. */
static inline int run_opts(struct synth_log *synth, struct gate_check_opts opts)
{
	char log_path[32], syms_path[32], slack_path[32];
	_cleanup_oracle_log_ struct oracle_log *log = NULL;
	_cleanup_symbols_ struct symbols *syms = NULL;
	_cleanup_slack_ struct slack *slack = NULL;
	int ret = -1;

	memset(report, 0, sizeof(report));
	opts.out = fmemopen(report, sizeof(report) - 1, "w");
	synth__write(synth, log_path);
	synth__write_text(kallsyms, syms_path);
	synth__write_text(slack_text, slack_path);
	if (!symbols__load(syms_path, &syms) && !slack__load(slack_path, syms, &slack) &&
	    !oracle_log__open(log_path, 0, &log)) {
		opts.syms = syms;
		opts.slack = slack;
		ret = gate_check__run(log, &opts);
	}
	fclose(opts.out);
	unlink(log_path);
	unlink(syms_path);
	unlink(slack_path);
	free(synth);
	return ret;
}

/* Checks the log, which is released, for system calls @nr and @compat of the targets. */
static inline int run_for(struct synth_log *synth, uint32_t nr, uint32_t compat, long windows)
{
	uint32_t pids[] = {TARGET, CHILD}, notes[] = {NOTE};
	struct gate_check_opts opts = {
		.modes = MODE_KERNEL,
		.pids = {pids, 2},
		.notes = {notes, 1},
		.syscalls = {&nr, 1},
		.compat = {&compat, 1},
		.expect_windows = windows,
	};

	return run_opts(synth, opts);
}

static inline int run(struct synth_log *synth)
{
	return run_for(synth, UNAME, COMPAT_UNAME, -1);
}

/* What the report of a check that returned @ret must be and have in it. */
static inline void check_report(int ret, int expect, const char *what)
{
	bool right = CHECK_EQ(ret, expect);

	if (!CHECK(strstr(report, what)) || !right)
		fprintf(stderr, "expected in the report: %s\n%s", what, report);
}

/* A wrong gate, of which the report says @what. */
static inline void check_wrong(struct synth_log *synth, const char *what)
{
	check_report(run(synth), 1, what);
}

static inline void check_right(struct synth_log *synth, const char *what)
{
	check_report(run(synth), 0, what);
}

#endif
