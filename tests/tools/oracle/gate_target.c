// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "gate_source.h"
#include "gate_target.h"

/* A SYSCALL, SYSENTER or INT 0x80 is no longer: it returns to at most so many bytes behind its beginning. */
#define MAX_SYSCALL 16

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
			if (execs && source__is_syscall(opts, rec) && source__is_exec(opts, rec) &&
			    number_list__has(&targets->noted, rec->pid))
				err = add_once(&targets->execs, rec->pid);
		}
		if (err)
			return err;
	}
	return 0;
}

int gate_targets__init(struct gate_targets *targets, const struct oracle_log *log,
		       const struct gate_check_opts *opts)
{
	int err;

	*targets = (struct gate_targets){.opts = opts};
	err = find_noted(targets, log, false);
	if (!err)
		err = find_noted(targets, log, true);
	return err;
}

void gate_targets__release(struct gate_targets *targets)
{
	free(targets->noted.val);
	free(targets->execs.val);
}

/* A window that needs no system call of a list may be open before the first execve and in it, or not. */
static bool either_until_exec(const struct gate_check_opts *opts)
{
	return opts->on_cpu || opts->range_begin;
}

void gate_targets__new_task(const struct gate_targets *targets, struct gate_task *task, bool running)
{
	const struct gate_check_opts *opts = targets->opts;
	bool always = opts->all || number_list__has(&opts->pids, task->pid);
	bool noted = always || number_list__has(&targets->noted, task->pid);

	task->awaits_exec = !always && number_list__has(&targets->execs, task->pid);
	task->becomes = noted ? MEMBER_YES : MEMBER_NO;
	task->member = task->becomes;
	if (task->awaits_exec && either_until_exec(opts))
		task->member = task->becomes = MEMBER_EITHER;
	else if (task->awaits_exec)
		task->member = MEMBER_NO;
	else if (noted && running && opts->on_cpu)
		task->member = MEMBER_EITHER;
}

/* The task is a target from now on, maybe in the middle of a system call or function. */
static void become_target(const struct gate_check_opts *opts, struct gate_task *task)
{
	task->syscall = false;
	task->user_depth = 0;
	task->nr_frames = 0;
	task->in_range = false;
	task->nr_detours = 0;
	task->settles = !opts->on_cpu;
	task->member = task->settles ? MEMBER_EITHER : MEMBER_YES;
}

void gate_targets__switch_in(const struct gate_targets *targets, struct gate_task *task)
{
	if (task->member != MEMBER_EITHER || task->settles)
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

/* The task executes a program at @rec, or has executed it if it comes back from there to another place. */
static void exec_record(const struct gate_check_opts *opts, struct gate_task *task,
			const struct oracle_record *rec)
{
	if (source__is_syscall(opts, rec) && source__is_exec(opts, rec)) {
		task->exec_at = rec->from;
		task->awaits_exec = either_until_exec(opts);
		if (!task->awaits_exec)
			task->member = task->becomes = MEMBER_YES;
	} else if (task->exec_at && source__is_return_to_user(rec)) {
		task->awaits_exec = rec->to > task->exec_at && rec->to - task->exec_at <= MAX_SYSCALL;
		task->settles = !task->awaits_exec;
	}
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
	} else if (task->awaits_exec) {
		exec_record(opts, task, rec);
	} else if (task->settles && rec->flags & ORACLE_USER_FROM) {
		task->settles = false;
		task->member = task->becomes = MEMBER_YES;
	}
	return was_target && task->member != MEMBER_YES;
}
