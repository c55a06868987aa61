// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "gate_check.h"
#include "gate_own.h"
#include "gate_report.h"
#include "gate_source.h"
#include "gate_target.h"
#include "gate_tasks.h"
#include "gate_window.h"

#define TRACED (ORACLE_TRACED_FROM | ORACLE_TRACED_TO)

/* How many records a new task may take from the switch to its first function; finding its end, not a check.
 */
#define CHILD_REACH 200

struct gate_cpu {
	bool has_gate;
	struct gate_task *task;	    /* NULL before the first record */
	struct record_list foreign; /* the latest branches outside windows, if traced */
	uint64_t interrupted;	    /* where an interrupt hit in them; 0: in none */
};

struct gate_check {
	const struct gate_check_opts *opts;
	struct gate_report report;
	struct gate_targets targets;
	struct gate_tasks tasks;
	struct oracle_merge merge;
	struct gate_cpu *cpus;
	uint64_t children; /* made inside a window and not yet run */
};

/* Traced branches outside windows that are not the way to a task with one. */
static void cpu__flush_foreign(struct gate_check *g, struct gate_cpu *cpu)
{
	if (!cpu->foreign.nr)
		return;
	gate_report__violation(&g->report, cpu->foreign.rec[0],
			       "%lu branches traced outside windows; they begin",
			       (unsigned long)cpu->foreign.nr);
	gate_report__functions(&g->report, &cpu->foreign);
	g->report.foreign += cpu->foreign.nr;
	cpu->foreign.nr = 0;
}

/* An interrupt on the way to a task with a window, or one of its branches. It returns before the switch. */
static bool is_foreign_detour(struct gate_check *g, struct gate_cpu *cpu, const struct oracle_record *rec)
{
	if (!cpu->interrupted) {
		if (rec->kind != ORACLE_INTERRUPT || !cpu->foreign.nr)
			return false;
		cpu->interrupted = rec->from;
		g->report.detours++;
		return true;
	}
	g->report.detour_branches++;
	if (rec->kind == ORACLE_IRET && rec->to == cpu->interrupted)
		cpu->interrupted = 0;
	return true;
}

static int outside_branch(struct gate_check *g, struct gate_cpu *cpu, const struct oracle_record *rec)
{
	if (is_foreign_detour(g, cpu, rec))
		return 0;
	if (rec->flags & TRACED)
		return record_list__add(&cpu->foreign, rec);
	cpu__flush_foreign(g, cpu);
	return 0;
}

static bool is_fork(const struct gate_check *g, const struct oracle_record *rec)
{
	return rec->kind == ORACLE_CALL && slack__allows(g->opts->slack, SLACK_FORK, rec->to) &&
	       !slack__allows(g->opts->slack, SLACK_FORK, rec->from);
}

/* Something that opens the window of a task that has none. */
static void begin_window(struct gate_check *g, struct gate_task *t, const struct oracle_record *rec,
			 enum source_event event)
{
	if (rec->flags & TRACED)
		gate_report__violation(&g->report, rec, "the gate was open before a window");
	gate_window__begin(t, rec, event == SOURCE_CALL ? SLACK_CALL : SLACK_OPEN);
}

/* A branch in a window, with what it did to what the window is open for. */
static int window_branch(struct gate_check *g, struct gate_cpu *cpu, const struct oracle_record *rec,
			 enum source_event event)
{
	struct gate_task *t = cpu->task;
	bool open = g->opts->on_cpu || source__is_open(t);
	int ret = 0;

	if (open && t->closing) /* it opens again before the gate could close */
		gate_window__begin(t, rec, SLACK_NONE);
	if (t->syscall && is_fork(g, rec))
		g->children++;
	if (open || event == SOURCE_NONE)
		ret = gate_window__branch(&g->report, t, rec);
	else if (event == SOURCE_SYSCALL_LOST)
		gate_window__lost(&g->report, t, rec);
	else
		ret = gate_window__last_branch(&g->report, t, rec,
					       event == SOURCE_RETURN ? SLACK_RETURN : SLACK_CLOSE);
	if (event == SOURCE_SYSCALL_LOST)
		return outside_branch(g, cpu, rec);
	return ret > 0 ? outside_branch(g, cpu, rec) : ret;
}

static bool is_own_path(const struct gate_task *t)
{
	return t->in_window && (t->closing || t->path_kind == SLACK_OPEN || t->path_kind == SLACK_CALL);
}

/* On a detour, or back from one that should have led elsewhere. */
static void count_detour(struct gate_check *g, const struct oracle_record *rec, enum detour_event detour)
{
	switch (detour) {
	case DETOUR_BEGINS:
		g->report.detours++;
		break;
	case DETOUR_GOES_ON:
		g->report.detour_branches++;
		break;
	case DETOUR_LOST:
		gate_report__violation(&g->report, rec,
				       "an interrupt inside a window that does not return to it");
		break;
	case DETOUR_TOO_DEEP:
		gate_report__violation(&g->report, rec, "interrupts nest deeper than %u", MAX_DETOURS);
		break;
	case DETOUR_NONE:
		break;
	}
}

static int target_branch(struct gate_check *g, struct gate_cpu *cpu, const struct oracle_record *rec)
{
	struct gate_task *t = cpu->task;
	bool was_own = gate_own__is_in(t);
	enum detour_event detour = source__detour(g->opts, t, rec, is_own_path(t));
	enum source_event event = SOURCE_NONE;

	if (gate_own__branch(&g->report, t, rec, was_own))
		return -ENOMEM;
	if (t->in_window)
		count_detour(g, rec, detour);
	if (detour != DETOUR_NONE && detour != DETOUR_LOST)
		return t->in_window ? 0 : outside_branch(g, cpu, rec);
	if (!g->opts->on_cpu)
		event = source__branch(g->opts, t, rec);
	if (t->in_window)
		return window_branch(g, cpu, rec, event);
	if (!source__is_open(t))
		return outside_branch(g, cpu, rec);
	begin_window(g, t, rec, event);
	return 0;
}

/* The task is a target on a CPU that has no gate: its windows go on, nothing may be traced. */
static int ungated_branch(struct gate_check *g, struct gate_cpu *cpu, const struct oracle_record *rec)
{
	struct gate_task *t = cpu->task;
	enum detour_event detour = source__detour(g->opts, t, rec, false);

	if (!g->opts->on_cpu && (detour == DETOUR_NONE || detour == DETOUR_LOST)) {
		source__branch(g->opts, t, rec);
		if (source__is_open(t) && !t->in_window)
			gate_window__begin(t, rec, SLACK_SWITCH_IN);
		else if (!source__is_open(t) && t->in_window)
			gate_window__end(&g->report, t);
	}
	return outside_branch(g, cpu, rec);
}

static int check_branch(struct gate_check *g, struct gate_cpu *cpu, const struct oracle_record *rec)
{
	struct gate_task *t = cpu->task;

	if (t->member == MEMBER_NO)
		return outside_branch(g, cpu, rec);
	if (t->member == MEMBER_EITHER)
		return 0;
	if (!cpu->has_gate)
		return ungated_branch(g, cpu, rec);
	if (g->opts->on_cpu && !t->in_window) /* it became a target as it ran */
		gate_window__begin(t, rec, SLACK_NONE);
	return target_branch(g, cpu, rec);
}

/* Whether the task that a CPU just switched to runs for the first time. */
static bool is_child(const struct gate_check *g, unsigned int cpu)
{
	struct oracle_cursor ahead = g->merge.cpus[cpu];
	const struct oracle_record *rec;

	for (int i = 0; i < CHILD_REACH && (rec = oracle_cursor__next(&ahead)); i++) {
		if (rec->kind == ORACLE_SWITCH)
			return false;
		if (slack__allows(g->opts->slack, SLACK_CHILD, rec->to))
			return true;
	}
	return false;
}

/* The task's window, if it has one, is not looked at any further. */
static void drop_window(struct gate_check *g, struct gate_task *t)
{
	if (!t->in_window)
		return;
	gate_window__end(&g->report, t);
	g->report.unfinished++;
}

static void task__set_pid(struct gate_check *g, struct gate_task *t, uint32_t pid, bool running)
{
	if (t->in_window && t->start && source__is_exec(g->opts, t->start)) {
		t->pid = pid; /* a thread that executes a program becomes the leader: de_thread() in fs/exec.c
			       */
		return;
	}
	drop_window(g, t);
	gate_task__reset(t, pid);
	gate_targets__new_task(&g->targets, t, running);
}

/* The task of a record, with the record's pid. @is_new: it was not known, or it was another task. */
static struct gate_task *find_task(struct gate_check *g, const struct oracle_record *rec, bool *is_new)
{
	struct gate_task *t = gate_tasks__get(&g->tasks, rec->task);

	*is_new = t && (!t->known || t->pid != rec->pid);
	if (*is_new)
		task__set_pid(g, t, rec->pid, rec->kind != ORACLE_SWITCH);
	return t;
}

/* A target that was made in a system call of a target is in that system call. */
static void inherit_window(struct gate_check *g, struct gate_task *t, const struct oracle_record *rec)
{
	if (!g->children || t->becomes != MEMBER_YES || !is_child(g, rec->cpu))
		return;
	g->children--;
	t->awaits_exec = false;
	t->member = MEMBER_YES;
	t->syscall = true;
	gate_window__begin(t, rec, SLACK_SWITCH_IN);
}

/* The window is open beyond doubt: its task is not on the way to the gate's opening or closing. */
static bool is_settled(const struct gate_task *t)
{
	return t->in_window && t->member == MEMBER_YES && !is_own_path(t);
}

static void switch_windows(struct gate_check *g, struct gate_cpu *cpu, struct gate_task *next,
			   const struct oracle_record *rec)
{
	struct gate_task *prev = cpu->task;
	bool stays = false;

	if (cpu->interrupted)
		gate_report__violation(&g->report, rec,
				       "an interrupt on the way to a window that does not return");
	cpu->interrupted = 0;
	if (g->opts->on_cpu && next->member == MEMBER_YES && !next->in_window)
		gate_window__begin(next, rec, SLACK_SWITCH_IN);
	if (prev && prev->in_window) {
		stays = is_settled(prev) && prev->path_kind == SLACK_NONE && is_settled(next);
		gate_window__switch_out(&g->report, prev, rec, stays);
	}
	if (stays && next != prev && !next->nr_detours)
		next->path_kind = SLACK_NONE;
	if (next->in_window || next->member == MEMBER_EITHER) {
		gate_report__slack(&g->report, SLACK_SWITCH_IN, &cpu->foreign);
		cpu->foreign.nr = 0;
	}
}

static int switch_task(struct gate_check *g, struct gate_cpu *cpu, const struct oracle_record *rec)
{
	bool is_new;
	struct gate_task *next = find_task(g, rec, &is_new);

	if (!next)
		return -ENOMEM;
	gate_targets__switch_in(&g->targets, next);
	if (is_new && !g->opts->on_cpu)
		inherit_window(g, next, rec);
	gate_report__count_switch(&g->report, cpu->task, next);
	if (cpu->has_gate)
		switch_windows(g, cpu, next, rec);
	cpu__flush_foreign(g, cpu);
	cpu->task = next;
	return 0;
}

static int check_record(struct gate_check *g, const struct oracle_record *rec)
{
	struct gate_cpu *cpu = &g->cpus[rec->cpu];
	bool is_new;

	if (rec->kind == ORACLE_SWITCH)
		return switch_task(g, cpu, rec);
	/* From its first switch on, a CPU's task is the one switched to: `current` changes a little later. */
	if (!cpu->task) {
		cpu->task = find_task(g, rec, &is_new);
		if (!cpu->task)
			return -ENOMEM;
	}
	if (gate_targets__record(&g->targets, cpu->task, rec))
		drop_window(g, cpu->task);
	/*
	 * The trace ends here, if it is not the interrupt of a full buffer that stops it for a while; of a quiet
	 * task, the untraced branch that would show it is not in the log.
	 */
	if (rec->kind == ORACLE_UNIT && !(rec->flags & ORACLE_TRACED_TO) && !cpu->task->in_window &&
	    !cpu->interrupted)
		cpu__flush_foreign(g, cpu);
	return oracle_record__is_branch(rec) ? check_branch(g, cpu, rec) : 0;
}

static void finish_task(struct gate_check *g, struct gate_task *t)
{
	if (!t->in_window)
		return;
	if (t->closing)
		gate_report__slack(&g->report, t->path_kind, &t->path);
	else if (!t->traced && (t->path.nr || !g->opts->on_cpu))
		gate_report__violation(&g->report, t->start,
				       "a window without an end in the log, none of it traced");
	drop_window(g, t);
}

static void finish(struct gate_check *g)
{
	for (unsigned int cpu = 0; cpu < g->merge.nr_cpus; cpu++)
		cpu__flush_foreign(g, &g->cpus[cpu]);
	for (uint32_t i = 0; i < g->tasks.nr_slots; i++)
		if (g->tasks.slot[i])
			finish_task(g, g->tasks.slot[i]);
}

static int check_all(struct gate_check *g, const struct oracle_log *log)
{
	const struct oracle_record *rec;
	int err = oracle_merge__init(&g->merge, log);

	g->cpus = calloc(oracle_log__nr_cpus(log), sizeof(*g->cpus));
	if (!err)
		err = gate_report__init(&g->report, log, g->opts);
	if (err || !g->cpus)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < oracle_log__nr_cpus(log); cpu++)
		g->cpus[cpu].has_gate = !g->opts->cpus.nr || number_list__has(&g->opts->cpus, cpu);
	while ((rec = oracle_merge__next(&g->merge))) {
		err = check_record(g, rec);
		if (err)
			return err;
	}
	finish(g);
	return gate_report__finish(&g->report);
}

static void gate_check__release(struct gate_check *g)
{
	for (unsigned int cpu = 0; g->cpus && cpu < g->merge.nr_cpus; cpu++)
		record_list__release(&g->cpus[cpu].foreign);
	free(g->cpus);
	gate_targets__release(&g->targets);
	gate_tasks__release(&g->tasks);
	gate_report__release(&g->report);
	oracle_merge__release(&g->merge);
}

int gate_check__run(const struct oracle_log *log, const struct gate_check_opts *opts)
{
	struct gate_check g = {.opts = opts};
	int err = gate_targets__init(&g.targets, log, opts);

	if (!err)
		err = check_all(&g, log);
	gate_check__release(&g);
	return err;
}
