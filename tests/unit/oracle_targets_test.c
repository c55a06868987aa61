// SPDX-License-Identifier: GPL-2.0-only
/* Whose windows the gate check looks at: children, programs executed, tasks that die and tasks that say so.
 */
#include "oracle_gate_synth.h"

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

static void make_child(struct synth_log *log)
{
	synth__add(log, 0, TARGET, ORACLE_CALL, WORK, WAKE_NEW, BOTH);
	jump(log, 0, TARGET, WAKE_NEW, BOTH);
}

static void test_children(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, CLONE);
	make_child(log);
	child(log, BOTH);
	leave(log, 0, TARGET);
	CHECK_EQ(run_for(log, CLONE, 0, 2), 0);
	/* It may begin later than its maker's window ends. */
	log = log_new();
	enter(log, 0, TARGET, CLONE);
	make_child(log);
	leave(log, 0, TARGET);
	child(log, BOTH);
	CHECK_EQ(run_for(log, CLONE, 0, 2), 0);
	/* Not traced from its beginning on. */
	log = log_new();
	enter(log, 0, TARGET, CLONE);
	make_child(log);
	child(log, 0);
	leave(log, 0, TARGET);
	CHECK_EQ(run_for(log, CLONE, 0, 2), 1);
	/* Made outside a window: it has none. */
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	child(log, BOTH);
	leave(log, 0, TARGET);
	CHECK_EQ(run_for(log, UNAME, 0, 1), 1);
	CHECK(strstr(report, "branches traced outside windows"));
	log = log_new();
	enter(log, 0, TARGET, UNAME);
	leave(log, 0, TARGET);
	switch_to(log, 1, CHILD);
	synth__add(log, 1, CHILD, ORACLE_RET, SCHED, FORK, 0);
	jump(log, 1, CHILD, WORK, 0);
	CHECK_EQ(run_for(log, UNAME, 0, 1), 0);
}

/* A thread that executes a program gets another pid in its window; in no other call does that happen. */
static void test_pid_changes(void)
{
	for (int exec = 0; exec < 2; exec++) {
		struct synth_log *log = log_new();
		uint32_t nr = exec ? EXECVE : UNAME;

		enter(log, 0, CHILD, nr);
		close_gate(log, 0, CHILD);
		jump(log, 0, CHILD, SCHED, 0);
		switch_to(log, 0, OTHER);
		open_gate(log, 0, OTHER);
		switch_to(log, 0, TARGET);
		log->rec[log->nr - 1].task = log->rec[0].task;
		work(log, 0, TARGET);
		leave(log, 0, TARGET);
		CHECK_EQ(run_for(log, nr, 0, 1), !exec);
	}
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

/* A recorder's child becomes its command with its first execve; what it did before is the recorder's. */
static void test_noted_targets(void)
{
	for (int execs = 0; execs < 2; execs++) {
		struct synth_log *log = log_new();

		call(log, 0, OTHER, UNAME);
		jump(log, 0, OTHER, ENTRY, 0);
		to_user(log, 0, OTHER);
		if (execs) {
			call(log, 0, OTHER, EXECVE);
			to_user(log, 0, OTHER);
		}
		enter(log, 0, OTHER, UNAME);
		leave(log, 0, OTHER);
		synth__add(log, 0, OTHER, ORACLE_MARK, USER, USER + 2, 0)->nr = NOTE;
		CHECK_EQ(run(log), !execs);
		CHECK(strstr(report, execs ? "windows 1 (0 unfinished)" : "none traced"));
	}
}

/* The same by Arm's number of execve. */
static void test_noted_targets_of_arm(void)
{
	static const uint32_t numbers[] = {221, EXECVE};

	for (int i = 0; i < 2; i++) {
		uint32_t notes[] = {NOTE}, nr = UNAME;
		struct gate_check_opts opts = {
			.arm = true,
			.modes = MODE_KERNEL,
			.notes = {notes, 1},
			.syscalls = {&nr, 1},
			.expect_windows = -1,
		};
		struct synth_log *log = log_new();

		call(log, 0, OTHER, UNAME);
		to_user(log, 0, OTHER);
		call(log, 0, OTHER, numbers[i]);
		to_user(log, 0, OTHER);
		enter(log, 0, OTHER, UNAME);
		leave(log, 0, OTHER);
		synth__add(log, 0, OTHER, ORACLE_MARK, USER, USER + 2, 0)->nr = NOTE;
		CHECK_EQ(run_opts(log, opts), i);
	}
}

/* That execve is a window itself if it is in the list. */
static void test_first_execve(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, OTHER, EXECVE);
	synth__add(log, 0, OTHER, ORACLE_MARK, USER, USER + 2, 0)->nr = NOTE;
	leave(log, 0, OTHER);
	CHECK_EQ(run_for(log, EXECVE, 0, 1), 0);
}

/* A child made in a window counts from its beginning, whatever it executes later. */
static void test_noted_child(void)
{
	struct synth_log *log = log_new();

	enter(log, 0, TARGET, CLONE);
	make_child(log);
	open_gate(log, 1, OTHER);
	switch_to(log, 1, OTHER + 1);
	synth__add(log, 1, OTHER + 1, ORACLE_RET, SCHED, FORK, 0);
	jump(log, 1, OTHER + 1, WORK, 0); /* not traced */
	leave(log, 1, OTHER + 1);
	call(log, 1, OTHER + 1, EXECVE);
	to_user(log, 1, OTHER + 1);
	synth__add(log, 1, OTHER + 1, ORACLE_MARK, USER, USER + 2, 0)->nr = NOTE;
	leave(log, 0, TARGET);
	CHECK_EQ(run_for(log, CLONE, 0, 2), 1);
	CHECK(strstr(report, "of the switch-in slack is in no function of its list"));
}

int main(void)
{
	test_children();
	test_pid_changes();
	test_unfinished();
	test_noted_targets();
	test_noted_targets_of_arm();
	test_first_execve();
	test_noted_child();
	return check__done();
}
