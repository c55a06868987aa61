// SPDX-License-Identifier: GPL-2.0-only
/* The gate check of targets that change: who becomes one, ceases to be one, and where either is right. */
#include "oracle_gate_synth.h"

#define UMODE ORACLE_USER_FROM
#define NOTE_BEGIN 31
#define NOTE_END 32
#define NOTE_EITHER 35

static uint32_t pids[] = {TARGET};
static uint32_t notes[] = {NOTE};

static struct gate_check_opts on_cpu(void)
{
	return (struct gate_check_opts){.modes = MODE_KERNEL, .on_cpu = true, .expect_windows = -1};
}

static void note(struct synth_log *log, uint32_t pid, uint32_t nr)
{
	synth__add(log, 0, pid, ORACLE_MARK, USER, USER + 2, 0)->nr = nr;
}

/* The task runs, traced or not, between two switches. */
static void turn(struct synth_log *log, unsigned int cpu, uint32_t pid, unsigned int traced)
{
	jump(log, cpu, OTHER, SCHED, traced);
	switch_to(log, cpu, pid);
	jump(log, cpu, pid, WORK, traced);
	jump(log, cpu, pid, WORK, traced);
	if (traced)
		close_gate(log, cpu, pid);
	jump(log, cpu, pid, SCHED, 0);
	switch_to(log, cpu, OTHER);
	jump(log, cpu, OTHER, WORK, 0);
}

/* What a turn of the task after @nr and a switch must be. */
static void test_marks(void)
{
	static const struct {
		uint32_t first, then;
		unsigned int traced;
		int expect;
	} cases[] = {
		{NOTE_BEGIN, 0, BOTH, 0},	 {NOTE_BEGIN, 0, 0, 1}, {NOTE_BEGIN, NOTE_END, 0, 0},
		{NOTE_BEGIN, NOTE_END, BOTH, 1}, {NOTE_END, 0, 0, 1}, /* of a task that is none */
	};

	for (unsigned int i = 0; i < 5; i++) {
		struct gate_check_opts opts = on_cpu();
		struct synth_log *log = log_new();

		opts.begin_note = NOTE_BEGIN;
		opts.end_note = NOTE_END;
		opts.pids = (struct number_list){pids, 1};
		turn(log, 0, CHILD, 0);	    /* not yet a target */
		turn(log, 0, TARGET, BOTH); /* which is one, so that there is a window */
		for (int n = 0; n < 2; n++) {
			uint32_t nr = n ? cases[i].then : cases[i].first;

			if (!nr)
				continue;
			switch_to(log, 0, CHILD);
			note(log, CHILD, nr);
			/* Until the next switch either is right. */
			jump(log, 0, CHILD, WORK, BOTH);
			jump(log, 0, CHILD, WORK, 0);
			switch_to(log, 0, OTHER);
		}
		turn(log, 0, CHILD, cases[i].traced);
		CHECK_EQ(run_opts(log, opts), cases[i].expect);
	}
}

/* While the task is being made a target, switches decide nothing. */
static void test_either(void)
{
	for (int hole = 0; hole < 2; hole++) {
		struct gate_check_opts opts = on_cpu();
		struct synth_log *log = log_new();

		opts.begin_note = NOTE_BEGIN;
		opts.either_note = NOTE_EITHER;
		switch_to(log, 0, CHILD);
		note(log, CHILD, NOTE_EITHER);
		switch_to(log, 0, OTHER);
		turn(log, 0, CHILD, BOTH);
		turn(log, 0, CHILD, 0);
		switch_to(log, 0, CHILD);
		note(log, CHILD, NOTE_BEGIN);
		switch_to(log, 0, OTHER);
		turn(log, 0, CHILD, hole ? 0 : BOTH);
		CHECK_EQ(run_opts(log, opts), hole);
	}
}

/* Before its mark it is none, for all that it becomes. */
static void test_before_mark(void)
{
	struct gate_check_opts opts = on_cpu();
	struct synth_log *log = log_new();

	opts.begin_note = NOTE_BEGIN;
	turn(log, 0, CHILD, BOTH);
	switch_to(log, 0, CHILD);
	note(log, CHILD, NOTE_BEGIN);
	switch_to(log, 0, OTHER);
	turn(log, 0, CHILD, BOTH);
	check_report(run_opts(log, opts), 1, "branches traced outside windows");
}

/* What runs as the log begins may not have been switched to since the gate was armed. */
static void test_running(void)
{
	for (int hole = 0; hole < 2; hole++) {
		struct gate_check_opts opts = on_cpu();
		struct synth_log *log = log_new();

		opts.pids = (struct number_list){pids, 1};
		jump(log, 0, TARGET, WORK, 0);
		jump(log, 0, TARGET, WORK, BOTH);
		switch_to(log, 0, OTHER);
		turn(log, 0, TARGET, hole ? 0 : BOTH);
		CHECK_EQ(run_opts(log, opts), hole);
	}
}

/* Everything, the idle task of each CPU too. */
static void test_all(void)
{
	for (int hole = 0; hole < 3; hole++) {
		struct gate_check_opts opts = on_cpu();
		struct synth_log *log = log_new();

		opts.all = true;
		jump(log, 0, OTHER, WORK, 0);
		jump(log, 1, 0, WORK, 0);
		open_gate(log, 0, OTHER);
		switch_to(log, 0, 0);
		jump(log, 0, 0, WORK, hole == 1 ? 0 : BOTH);
		jump(log, 0, 0, SCHED, BOTH);
		switch_to(log, 0, TARGET);
		jump(log, 0, TARGET, WORK, hole == 2 ? 0 : BOTH);
		jump(log, 0, TARGET, SCHED, BOTH);
		switch_to(log, 0, OTHER);
		jump(log, 0, OTHER, WORK, BOTH);
		jump(log, 1, 0, WORK, 0); /* still the task that ran as the log began */
		CHECK_EQ(run_opts(log, opts), !!hole);
	}
}

/* Only some CPUs have a gate. */
static void test_cpus(void)
{
	uint32_t cpus[] = {0};

	for (int wrong = 0; wrong < 3; wrong++) {
		struct gate_check_opts opts = on_cpu();
		struct synth_log *log = log_new();

		opts.pids = (struct number_list){pids, 1};
		opts.cpus = (struct number_list){cpus, 1};
		turn(log, 0, TARGET, BOTH);
		turn(log, 1, TARGET, wrong == 1 ? BOTH : 0);
		turn(log, 0, TARGET, wrong == 2 ? 0 : BOTH);
		CHECK_EQ(run_opts(log, opts), !!wrong);
	}
}

/* A system call that goes on on a CPU without a gate, and ends on one with it. */
static void test_cpus_syscall(void)
{
	uint32_t cpus[] = {0}, nr = UNAME;

	for (int hole = 0; hole < 2; hole++) {
		struct synth_log *log = log_new();
		struct gate_check_opts opts = {
			.modes = MODE_KERNEL,
			.pids = {pids, 1},
			.cpus = {cpus, 1},
			.syscalls = {&nr, 1},
			.expect_windows = 2,
		};

		call(log, 1, TARGET, UNAME); /* a window where there is no gate */
		jump(log, 1, TARGET, WORK, 0);
		synth__add(log, 1, TARGET, ORACLE_CALL, WORK + 0x40, SYS_EXIT, 0);
		to_user(log, 1, TARGET);
		switch_to(log, 1, OTHER);
		switch_to(log, 0, TARGET);
		enter(log, 0, TARGET, UNAME);
		close_gate(log, 0, TARGET);
		jump(log, 0, TARGET, SCHED, 0);
		switch_to(log, 0, OTHER);
		switch_to(log, 1, TARGET);
		jump(log, 1, TARGET, WORK, 0);
		switch_to(log, 1, OTHER);
		jump(log, 0, OTHER, SCHED, BOTH);
		switch_to(log, 0, TARGET);
		if (hole)
			jump(log, 0, TARGET, WORK, 0);
		work(log, 0, TARGET);
		leave(log, 0, TARGET);
		CHECK_EQ(run_opts(log, opts), hole);
	}
}

/* The recorder's child: on the CPU either is right before it executes its program, and in that. */
static void test_first_exec(void)
{
	for (int hole = 0; hole < 2; hole++) {
		struct gate_check_opts opts = on_cpu();
		struct synth_log *log = log_new();

		opts.notes = (struct number_list){notes, 1};
		switch_to(log, 0, TARGET);
		jump(log, 0, TARGET, WORK, 0);
		note(log, TARGET, NOTE);
		/* One that fails, and one that does not. */
		synth__add(log, 0, TARGET, ORACLE_SYSCALL, USER, ENTRY, UMODE)->nr = EXECVE;
		jump(log, 0, TARGET, WORK, 0);
		to_user(log, 0, TARGET);
		synth__add(log, 0, TARGET, ORACLE_SYSCALL, USER, ENTRY, UMODE)->nr = EXECVE;
		jump(log, 0, TARGET, WORK, 0);
		open_gate(log, 0, TARGET);
		jump(log, 0, TARGET, WORK, BOTH);
		synth__add(log, 0, TARGET, ORACLE_IRET, ENTRY + 0x80, USER + 0x8000, FROM);
		synth__add(log, 0, TARGET, ORACLE_SYSCALL, USER, ENTRY, TO | UMODE)->nr = UNAME;
		if (hole)
			jump(log, 0, TARGET, WORK, 0);
		jump(log, 0, TARGET, WORK, BOTH);
		CHECK_EQ(run_opts(log, opts), hole);
	}
}

/* In a listed system call as it becomes a target: that one may be traced or not, the next must be. */
static void test_becomes_target_in_call(void)
{
	for (int hole = 0; hole < 2; hole++) {
		uint32_t nr = UNAME;
		struct synth_log *log = log_new();
		struct gate_check_opts opts = {
			.modes = MODE_KERNEL,
			.begin_note = NOTE_BEGIN,
			.syscalls = {&nr, 1},
			.expect_windows = 1,
		};

		switch_to(log, 0, TARGET);
		note(log, TARGET, NOTE_BEGIN);
		call(log, 0, TARGET, UNAME);
		switch_to(log, 0, OTHER);
		switch_to(log, 0, TARGET);
		jump(log, 0, TARGET, WORK, BOTH);
		jump(log, 0, TARGET, WORK, 0);
		to_user(log, 0, TARGET);
		enter(log, 0, TARGET, UNAME);
		if (hole)
			jump(log, 0, TARGET, WORK, 0);
		work(log, 0, TARGET);
		leave(log, 0, TARGET);
		CHECK_EQ(run_opts(log, opts), hole);
	}
}

int main(void)
{
	test_marks();
	test_either();
	test_before_mark();
	test_running();
	test_all();
	test_cpus();
	test_cpus_syscall();
	test_first_exec();
	test_becomes_target_in_call();
	return check__done();
}
