// SPDX-License-Identifier: GPL-2.0-only
/* The gate check with logs made up: right ones pass, and each way in which a gate can be wrong is found. */
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
			       "ffffffff8100a000 D some_data\n";

static const char slack_text[] =
	"# comment\n"
	"limit open 3\nlimit close 3 # another\nlimit switch-out 2\nlimit switch-in 2\n"
	"open entry_SYSCALL_64 asm_int80*\nclose entry_SYSCALL_64\n"
	"switch-out __schedule\nswitch-in __schedule\nall bpf_prog_*\n"
	"end exit_to_user_mode_loop\nchild ret_from_fork*\n";

#define UNAME 63
#define CLONE 56
#define COMPAT_UNAME 122
#define TARGET 7
#define OTHER 9
#define CHILD 11
#define NOTE 77

static struct synth_log *log_new(void)
{
	struct synth_log *log = calloc(1, sizeof(*log));

	if (!log)
		abort();
	log->nr_cpus = 2;
	return log;
}

static void jump(struct synth_log *log, unsigned int cpu, uint32_t pid, uint64_t func, unsigned int flags)
{
	synth__add(log, cpu, pid, ORACLE_JMP, func + 0x10, func + 0x20, flags);
}

static void call(struct synth_log *log, unsigned int cpu, uint32_t pid, uint32_t nr)
{
	synth__add(log, cpu, pid, ORACLE_SYSCALL, USER, ENTRY, ORACLE_USER_FROM)->nr = nr;
}

static void open_gate(struct synth_log *log, unsigned int cpu, uint32_t pid)
{
	synth__add(log, cpu, pid, ORACLE_UNIT, GATE + 0x30, GATE + 0x32, TO);
}

static void close_gate(struct synth_log *log, unsigned int cpu, uint32_t pid)
{
	synth__add(log, cpu, pid, ORACLE_UNIT, GATE + 0x30, GATE + 0x32, FROM);
}

static void switch_to(struct synth_log *log, unsigned int cpu, uint32_t next)
{
	synth__add(log, cpu, next, ORACLE_SWITCH, SCHED, SCHED, 0);
}

/* From user mode to where the window's own work begins; three branches of slack. */
static void enter(struct synth_log *log, unsigned int cpu, uint32_t pid, uint32_t nr)
{
	jump(log, cpu, pid, USER, ORACLE_USER_FROM);
	call(log, cpu, pid, nr);
	jump(log, cpu, pid, ENTRY, 0);
	jump(log, cpu, pid, GATE, 0);
	jump(log, cpu, pid, GATE, 0);
	open_gate(log, cpu, pid);
	jump(log, cpu, pid, GATE, BOTH);
}

/* Three branches of slack, the return among them. */
static void leave(struct synth_log *log, unsigned int cpu, uint32_t pid)
{
	jump(log, cpu, pid, GATE, BOTH);
	close_gate(log, cpu, pid);
	jump(log, cpu, pid, GATE, 0);
	jump(log, cpu, pid, ENTRY, 0);
	synth__add(log, cpu, pid, ORACLE_SYSRET, ENTRY + 0x80, USER + 2, 0);
	jump(log, cpu, pid, USER, ORACLE_USER_FROM);
}

static void work(struct synth_log *log, unsigned int cpu, uint32_t pid)
{
	jump(log, cpu, pid, WORK, BOTH);
	jump(log, cpu, pid, WORK, BOTH);
}

/* The target sleeps on one CPU and goes on on another; somebody else runs in between. */
static void migrate(struct synth_log *log, unsigned int old, unsigned int new)
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

/* Checks the log, which is released, for system calls @nr and @compat of the targets. */
static int run_for(struct synth_log *synth, uint32_t nr, uint32_t compat, long windows)
{
	char log_path[32], syms_path[32], slack_path[32];
	uint32_t pids[] = {TARGET, CHILD}, notes[] = {NOTE};
	_cleanup_oracle_log_ struct oracle_log *log = NULL;
	_cleanup_symbols_ struct symbols *syms = NULL;
	_cleanup_slack_ struct slack *slack = NULL;
	struct gate_check_opts opts = {
		.pids = {pids, 2},
		.notes = {notes, 1},
		.syscalls = {&nr, 1},
		.compat = {&compat, 1},
		.expect_windows = windows,
	};
	int ret = -1;

	memset(report, 0, sizeof(report));
	opts.out = fmemopen(report, sizeof(report) - 1, "w");
	synth__write(synth, log_path);
	synth__write_text(kallsyms, syms_path);
	synth__write_text(slack_text, slack_path);
	if (!symbols__load(syms_path, &syms) && !slack__load(slack_path, syms, &slack) &&
	    !oracle_log__open(log_path, &log)) {
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

static int run(struct synth_log *synth)
{
	return run_for(synth, UNAME, COMPAT_UNAME, -1);
}

/* A wrong gate, of which the report says @what. */
static void check_wrong(struct synth_log *synth, const char *what)
{
	CHECK_EQ(run(synth), 1);
	if (!CHECK(strstr(report, what)))
		fprintf(stderr, "not in the report: %s\n%s", what, report);
}

static void check_right(struct synth_log *synth, const char *what)
{
	CHECK_EQ(run(synth), 0);
	if (!CHECK(strstr(report, what)))
		fprintf(stderr, "not in the report: %s\n%s", what, report);
}

static void test_right(void)
{
	struct synth_log *log = log_new();

	for (int i = 0; i < 3; i++) {
		enter(log, 0, TARGET, UNAME);
		work(log, 0, TARGET);
		leave(log, 0, TARGET);
	}
	check_right(log, "windows 3 (0 unfinished), branches 30, traced 12, slack open 3 close 3 switch-out 0"
			 " switch-in 0, interrupts 0 (0 branches), foreign traced 0, violations 0");
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
	check_right(log, "windows 1 (0 unfinished), branches 14, traced 6, slack open 3 close 3 switch-out 2 "
			 "switch-in 2");
}

/* The clocks decide between CPUs, not the places in the file. */
static void test_order_by_tsc(void)
{
	struct synth_log *log = log_new(), *turned = log_new();

	enter(log, 0, TARGET, UNAME);
	migrate(log, 0, 1);
	work(log, 1, TARGET);
	leave(log, 1, TARGET);
	for (unsigned int cpu = 2; cpu-- > 0;)
		for (unsigned int i = 0; i < log->nr; i++)
			if (log->rec[i].cpu == cpu)
				turned->rec[turned->nr++] = log->rec[i];
	free(log);
	check_right(turned, "windows 1 (0 unfinished), branches 14");
}

static void test_not_traced(void)
{
	struct synth_log *log = log_new();

	call(log, 0, TARGET, UNAME);
	jump(log, 0, TARGET, ENTRY, 0);
	synth__add(log, 0, TARGET, ORACLE_SYSRET, ENTRY + 0x80, USER + 2, 0);
	check_wrong(log, "a window of 2 branches, none traced");
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
	check_wrong(log, "from the switch to the task to its window's end not traced");
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
	close_gate(log, 0, TARGET);
	jump(log, 0, TARGET, WORK, 0);
	synth__add(log, 0, TARGET, ORACLE_SYSRET, ENTRY + 0x80, USER + 2, 0);
	check_wrong(log, "branch 1 of 2 of the close slack is in no function of its list");
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
	for (int i = 0; i < 3; i++)
		jump(log, 0, TARGET, GATE, 0);
	synth__add(log, 0, TARGET, ORACLE_SYSRET, ENTRY + 0x80, USER + 2, 0);
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
	check_wrong(log, "2 branches traced outside windows");
	CHECK(strstr(report, "foreign traced 2"));
}

static void test_foreign_call(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	leave(log, 0, TARGET);
	enter(log, 0, TARGET, UNAME + 1);
	leave(log, 0, TARGET);
	check_wrong(log, "2 branches traced outside windows");
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

static void test_open_at_the_edges(void)
{
	struct synth_log *log = log_new();

	synth__add(log, 0, TARGET, ORACLE_SYSCALL, USER, ENTRY, TO | ORACLE_USER_FROM)->nr = UNAME;
	work(log, 0, TARGET);
	leave(log, 0, TARGET);
	check_wrong(log, "the gate was open before a window");
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	synth__add(log, 0, TARGET, ORACLE_SYSRET, ENTRY + 0x80, USER + 2, FROM);
	check_wrong(log, "the gate was open at the return to user mode");
}

/* An interrupt inside a window that preempts it; whatever the unit does in it. */
static void interrupt(struct synth_log *log, unsigned int traced)
{
	synth__add(log, 0, TARGET, ORACLE_INTERRUPT, WORK + 0x24, IRQ, BOTH);
	jump(log, 0, TARGET, IRQ, BOTH);
	synth__add(log, 0, TARGET, ORACLE_INTERRUPT, IRQ + 0x24, IRQ, BOTH); /* an NMI in it */
	synth__add(log, 0, TARGET, ORACLE_IRET, IRQ + 0x40, IRQ + 0x24, BOTH);
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
	check_right(log, "interrupts 4 (10 branches)");
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
	close_gate(log, 0, TARGET);
	jump(log, 0, TARGET, EXIT_LOOP, 0);
	for (int i = 0; i < 10; i++)
		jump(log, 0, TARGET, WORK, 0);
	synth__add(log, 0, TARGET, ORACLE_IRET, ENTRY + 0x80, USER + 2, 0);
	check_right(log, "windows 1 (0 unfinished)");
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	jump(log, 0, TARGET, EXIT_LOOP, BOTH);
	check_wrong(log, "1 branches traced outside windows");
}

static void child(struct synth_log *log, unsigned int traced)
{
	open_gate(log, 1, OTHER);
	jump(log, 1, OTHER, SCHED, traced);
	switch_to(log, 1, CHILD);
	jump(log, 1, OTHER, SCHED, traced);
	synth__add(log, 1, CHILD, ORACLE_RET, SCHED, FORK, traced);
	jump(log, 1, CHILD, WORK, traced);
	leave(log, 1, CHILD);
}

static void test_children(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, CLONE);
	child(log, BOTH);
	leave(log, 0, TARGET);
	CHECK_EQ(run_for(log, CLONE, 0, 2), 0);
	/* Not traced from its beginning on. */
	log = log_new();
	enter(log, 0, TARGET, CLONE);
	child(log, 0);
	leave(log, 0, TARGET);
	CHECK_EQ(run_for(log, CLONE, 0, 2), 1);
	/* A new task is no window of a call that makes none. */
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	child(log, BOTH);
	leave(log, 0, TARGET);
	CHECK_EQ(run_for(log, UNAME, 0, 1), 1);
}

/* The task dies in its window; another one gets its memory. */
static void test_unfinished(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, UNAME);
	close_gate(log, 0, TARGET);
	jump(log, 0, TARGET, SCHED, 0);
	switch_to(log, 0, OTHER);
	switch_to(log, 0, OTHER + 1);
	log->rec[log->nr - 1].task = log->rec[0].task;
	jump(log, 0, OTHER + 1, WORK, 0);
	check_right(log, "windows 1 (1 unfinished)");
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
	check_wrong(log, "3 branches traced outside windows");
	log = log_new();
	int80(log, INT3, COMPAT_UNAME);
	check_wrong(log, "3 branches traced outside windows");
}

static void test_noted_targets(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, OTHER, UNAME);
	leave(log, 0, OTHER);
	synth__add(log, 0, OTHER, ORACLE_MARK, USER, USER + 2, 0)->nr = NOTE;
	check_right(log, "windows 1 (0 unfinished)");
}

static int slack_load(const char *text)
{
	char syms_path[32], slack_path[32];
	_cleanup_symbols_ struct symbols *syms = NULL;
	_cleanup_slack_ struct slack *slack = NULL;
	int err;

	synth__write_text(kallsyms, syms_path);
	synth__write_text(text, slack_path);
	err = symbols__load(syms_path, &syms);
	if (!err)
		err = slack__load(slack_path, syms, &slack);
	/* Clones and parts of a function are the function; names are whole. */
	if (!err) {
		CHECK(slack__allows(slack, SLACK_OPEN, WORK + 5));
		CHECK(!slack__allows(slack, SLACK_OPEN, WORK - 1));
		CHECK(!slack__allows(slack, SLACK_CLOSE, WORK + 5));
		CHECK(slack__allows(slack, SLACK_CLOSE, GATE));
		CHECK(!slack__allows(slack, SLACK_OPEN, USER));
	}
	unlink(syms_path);
	unlink(slack_path);
	return err;
}

static void test_slack_file(void)
{
	CHECK_EQ(slack_load("open work\nclose another_name"), 0);
	CHECK_EQ(slack_load("open work.isra.*\nclose another_*\nopen wor\n"), 0);
	CHECK(slack_load("opens work\n") < 0);
	CHECK(slack_load("limit end 5\n") < 0);
	CHECK(slack_load("limit open five\n") < 0);
	CHECK(slack_load("limit open 5 6\n") < 0);
	CHECK(slack_load("limit open\n") < 0);
}

static void test_bad_kallsyms(void)
{
	struct symbols *syms = NULL;
	char path[32];

	synth__write_text("0000000000000000 T entry_SYSCALL_64\n", path);
	CHECK(symbols__load(path, &syms) < 0);
	unlink(path);
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
	test_open_at_the_edges();
	test_interrupts();
	test_fault();
	test_exit_work();
	test_children();
	test_unfinished();
	test_compat();
	test_noted_targets();
	test_slack_file();
	test_bad_kallsyms();
	return check__done();
}
