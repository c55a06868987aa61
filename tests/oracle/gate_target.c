// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "gate_source.h"
#include "gate_target.h"

static int add_once(struct number_list *list, uint32_t val)
{
	return number_list__has(list, val) ? 0 : number_list__add(list, val);
}

static int find_noted(struct gate_targets *targets, const struct oracle_log *log, bool execs)
{
	const struct gate_check_opts *opts = targets->opts;

	for (unsigned int cpu = 0; opts->notes.nr && cpu < oracle_log__nr_cpus(log); cpu++) {
		const struct oracle_record *rec;
		struct oracle_cursor cur;
		int err = 0;

		oracle_cursor__init(&cur, log, cpu);
		while (!err && (rec = oracle_cursor__next(&cur))) {
			if (!execs && rec->kind == ORACLE_MARK && number_list__has(&opts->notes, rec->nr))
				err = add_once(&targets->noted, rec->pid);
			if (execs && source__is_syscall(opts, rec) && source__is_exec(rec) &&
			    number_list__has(&targets->noted, rec->pid))
				err = add_once(&targets->execs, rec->pid);
		}
		if (err)
			return err;
	}
	return 0;
}

/* The TSC of the first mark @note of all CPUs. */
static int find_time(const struct oracle_log *log, uint32_t note, uint64_t *tsc)
{
	bool found = false;

	for (unsigned int cpu = 0; cpu < oracle_log__nr_cpus(log); cpu++) {
		const struct oracle_record *rec;
		struct oracle_cursor cur;

		oracle_cursor__init(&cur, log, cpu);
		while ((rec = oracle_cursor__next(&cur))) {
			if (rec->kind != ORACLE_MARK || rec->nr != note || (found && rec->tsc >= *tsc))
				continue;
			*tsc = rec->tsc;
			found = true;
			break;
		}
	}
	if (found)
		return 0;
	fprintf(stderr, "oracle-check: the log has no mark %u\n", note);
	return -EINVAL;
}

int gate_targets__init(struct gate_targets *targets, const struct oracle_log *log,
		       const struct gate_check_opts *opts)
{
	int err;

	*targets = (struct gate_targets){.opts = opts, .done = UINT64_MAX};
	err = find_noted(targets, log, false);
	if (!err)
		err = find_noted(targets, log, true);
	if (!err && opts->armed_note)
		err = find_time(log, opts->armed_note, &targets->armed);
	if (!err && opts->done_note)
		err = find_time(log, opts->done_note, &targets->done);
	return err;
}

void gate_targets__release(struct gate_targets *targets)
{
	free(targets->noted.val);
	free(targets->execs.val);
}

void gate_targets__new_task(const struct gate_targets *targets, struct gate_task *task, bool running)
{
	const struct gate_check_opts *opts = targets->opts;
	bool always = opts->all || number_list__has(&opts->pids, task->pid);
	bool noted = always || number_list__has(&targets->noted, task->pid);

	task->awaits_exec = !always && number_list__has(&targets->execs, task->pid);
	task->becomes = noted ? MEMBER_YES : MEMBER_NO;
	task->member = task->becomes;
	if (task->awaits_exec && opts->on_cpu)
		task->member = task->becomes = MEMBER_EITHER;
	else if (task->awaits_exec)
		task->member = MEMBER_NO;
	else if (noted && (targets->armed || (running && opts->on_cpu)))
		task->member = MEMBER_EITHER;
}

/* The task is a target from now on, maybe in the middle of a system call or function. */
static void become_target(const struct gate_check_opts *opts, struct gate_task *task)
{
	task->syscall = false;
	task->user_depth = 0;
	task->nr_frames = 0;
	task->nr_detours = 0;
	task->settles = !opts->on_cpu;
	task->member = task->settles ? MEMBER_EITHER : MEMBER_YES;
}

void gate_targets__switch_in(const struct gate_targets *targets, struct gate_task *task, uint64_t tsc)
{
	if (task->member != MEMBER_EITHER || task->settles || tsc < targets->armed || tsc >= targets->done)
		return;
	if (task->becomes == MEMBER_YES)
		become_target(targets->opts, task);
	else
		task->member = task->becomes;
}

static bool has_mark(const struct oracle_record *rec, uint32_t note)
{
	return note && rec->kind == ORACLE_MARK && rec->nr == note;
}

static void await_switch(struct gate_task *task, enum gate_member becomes)
{
	if (task->member == becomes && becomes != MEMBER_EITHER)
		return;
	task->member = MEMBER_EITHER;
	task->becomes = becomes;
	task->settles = false;
	task->awaits_exec = false;
}

bool gate_targets__record(const struct gate_targets *targets, struct gate_task *task,
			  const struct oracle_record *rec)
{
	const struct gate_check_opts *opts = targets->opts;
	bool was_target = task->member == MEMBER_YES;

	if (has_mark(rec, opts->begin_note)) {
		await_switch(task, MEMBER_YES);
	} else if (has_mark(rec, opts->end_note)) {
		await_switch(task, MEMBER_NO);
	} else if (has_mark(rec, opts->either_note)) {
		await_switch(task, MEMBER_EITHER);
	} else if (rec->tsc >= targets->done && was_target) {
		task->member = MEMBER_EITHER;
	} else if (task->awaits_exec && source__is_syscall(opts, rec) && source__is_exec(rec)) {
		task->awaits_exec = false;
		task->member = MEMBER_YES;
		task->becomes = MEMBER_YES;
	} else if (task->settles && rec->flags & ORACLE_USER_FROM) {
		task->settles = false;
		task->member = MEMBER_YES;
	}
	return was_target && task->member != MEMBER_YES;
}
