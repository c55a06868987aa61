// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "gate_check.h"
#include "gate_report.h"
#include "gate_tasks.h"
#include "gate_window.h"

#define TRACED (ORACLE_TRACED_FROM | ORACLE_TRACED_TO)

/* How many records a new task may take from the switch to its first function; finding its end, not a check.
 */
#define CHILD_REACH 200

struct gate_cpu {
	struct gate_task *task; /* NULL before the first record */
	struct stretch foreign; /* the latest branches outside windows, if traced */
};

struct gate_check {
	const struct gate_check_opts *opts;
	struct gate_report report;
	struct gate_tasks tasks;
	struct oracle_merge merge;
	struct gate_cpu *cpus;
	struct number_list noted; /* pids that made one of the marks */
	struct number_list execs; /* those of them that execute a program */
	uint64_t children;	  /* made inside a window and not yet run */
};

bool number_list__has(const struct number_list *list, uint32_t val)
{
	for (uint32_t i = 0; i < list->nr; i++)
		if (list->val[i] == val)
			return true;
	return false;
}

int number_list__add(struct number_list *list, uint32_t val)
{
	uint32_t *mem = realloc(list->val, (list->nr + 1) * sizeof(*mem));

	if (!mem)
		return -ENOMEM;
	mem[list->nr++] = val;
	list->val = mem;
	return 0;
}

/* INT 0x80 and no other INT n: they have the vector in nr, which could be a system call's number. */
static bool is_int80(const struct gate_check *g, const struct oracle_record *rec)
{
	uint32_t sym = symbols__find(g->opts->syms, rec->to);

	return rec->kind == ORACLE_SWINT && sym != SYMBOLS_NONE &&
	       strcasestr(symbols__name(g->opts->syms, sym), "int80");
}

static bool is_syscall(const struct gate_check *g, const struct oracle_record *rec)
{
	return rec->kind == ORACLE_SYSCALL || is_int80(g, rec);
}

static bool is_exec(const struct oracle_record *rec)
{
	if (rec->kind == ORACLE_SWINT || rec->flags & ORACLE_COMPAT)
		return rec->nr == 11 || rec->nr == 358; /* execve, execveat */
	return rec->nr == 59 || rec->nr == 322;
}

static bool is_listed_call(const struct gate_check *g, const struct oracle_record *rec)
{
	if (is_int80(g, rec) || (rec->kind == ORACLE_SYSCALL && rec->flags & ORACLE_COMPAT))
		return number_list__has(&g->opts->compat, rec->nr);
	return rec->kind == ORACLE_SYSCALL && number_list__has(&g->opts->syscalls, rec->nr);
}

/* Traced branches outside windows that are not the way to a task with one. */
static void cpu__flush_foreign(struct gate_check *g, struct gate_cpu *cpu)
{
	if (!cpu->foreign.nr)
		return;
	gate_report__violation(&g->report, cpu->foreign.rec[0],
			       "%lu branches traced outside windows; they begin",
			       (unsigned long)cpu->foreign.nr);
	g->report.foreign += cpu->foreign.nr;
	cpu->foreign.nr = 0;
}

static int cpu__add_foreign(struct gate_check *g, struct gate_cpu *cpu, const struct oracle_record *rec)
{
	if (cpu->foreign.nr > slack__limit(g->opts->slack, SLACK_SWITCH_IN))
		cpu__flush_foreign(g, cpu);
	return stretch__add(&cpu->foreign, rec);
}

static int outside_branch(struct gate_check *g, struct gate_cpu *cpu, const struct oracle_record *rec)
{
	struct gate_task *t = cpu->task;

	if (t->awaits_exec && is_syscall(g, rec) && is_exec(rec))
		t->awaits_exec = false;
	if (t->target && !t->awaits_exec && is_listed_call(g, rec)) {
		if (rec->flags & TRACED)
			gate_report__violation(&g->report, rec, "the gate was open before a window");
		gate_window__begin(t, rec, BEGIN_OPEN);
		return 0;
	}
	if (rec->flags & TRACED)
		return cpu__add_foreign(g, cpu, rec);
	cpu__flush_foreign(g, cpu);
	return 0;
}

static bool is_fork(const struct gate_check *g, const struct oracle_record *rec)
{
	return rec->kind == ORACLE_CALL && slack__allows(g->opts->slack, SLACK_FORK, rec->to) &&
	       !slack__allows(g->opts->slack, SLACK_FORK, rec->from);
}

static int window_branch(struct gate_check *g, struct gate_cpu *cpu, const struct oracle_record *rec)
{
	int ret;

	if (is_fork(g, rec))
		g->children++;
	ret = gate_window__branch(&g->report, cpu->task, rec);
	return ret > 0 ? outside_branch(g, cpu, rec) : ret;
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

static void task__set_pid(struct gate_check *g, struct gate_task *t, uint32_t pid)
{
	if (t->in_window && t->start && is_exec(t->start)) {
		t->pid = pid; /* a thread that executes a program becomes the leader: de_thread() in fs/exec.c
			       */
		return;
	}
	if (t->in_window) {
		g->report.windows++;
		g->report.unfinished++;
	}
	gate_task__reset(t, pid);
	t->target = number_list__has(&g->opts->pids, pid) || number_list__has(&g->noted, pid);
	t->awaits_exec = number_list__has(&g->execs, pid) && !number_list__has(&g->opts->pids, pid);
}

/* The task of a record, with the record's pid. @is_new: it was not known, or it was another task. */
static struct gate_task *find_task(struct gate_check *g, const struct oracle_record *rec, bool *is_new)
{
	struct gate_task *t = gate_tasks__get(&g->tasks, rec->task);

	*is_new = t && t->pid != rec->pid;
	if (*is_new)
		task__set_pid(g, t, rec->pid);
	return t;
}

static int switch_task(struct gate_check *g, struct gate_cpu *cpu, const struct oracle_record *rec)
{
	bool is_new;
	struct gate_task *next = find_task(g, rec, &is_new);

	if (!next)
		return -ENOMEM;
	if (cpu->task && cpu->task->in_window)
		gate_window__switch_out(&g->report, cpu->task, rec);
	if (is_new && g->children && next->target && is_child(g, rec->cpu)) {
		g->children--;
		next->awaits_exec = false;
		gate_window__begin(next, rec, BEGIN_SWITCH_IN);
	}
	if (next->in_window) {
		gate_report__slack(&g->report, SLACK_SWITCH_IN, &cpu->foreign);
		cpu->foreign.nr = 0;
	}
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
	/* The trace ends here; of a quiet task, the untraced branch that would show it is not in the log. */
	if (rec->kind == ORACLE_UNIT && !(rec->flags & ORACLE_TRACED_TO) &&
	    !(cpu->task && cpu->task->in_window))
		cpu__flush_foreign(g, cpu);
	if (!oracle_record__is_branch(rec))
		return 0;
	/* From its first switch on, a CPU's task is the one switched to: `current` changes a little later. */
	if (!cpu->task) {
		cpu->task = find_task(g, rec, &is_new);
		if (!cpu->task)
			return -ENOMEM;
	}
	return cpu->task->in_window ? window_branch(g, cpu, rec) : outside_branch(g, cpu, rec);
}

static void finish_task(struct gate_check *g, struct gate_task *t)
{
	if (!t->in_window)
		return;
	if (!t->traced)
		gate_report__violation(&g->report, t->start,
				       "a window without an end in the log, none of it traced");
	g->report.windows++;
	g->report.unfinished++;
}

static void finish(struct gate_check *g)
{
	for (unsigned int cpu = 0; cpu < g->merge.nr_cpus; cpu++)
		cpu__flush_foreign(g, &g->cpus[cpu]);
	for (uint32_t i = 0; i < g->tasks.nr_slots; i++)
		if (g->tasks.slot[i])
			finish_task(g, g->tasks.slot[i]);
}

static int add_once(struct number_list *list, uint32_t val)
{
	return number_list__has(list, val) ? 0 : number_list__add(list, val);
}

/* Tasks that made a NOTE mark of the list are targets, from their first execve on if they make one. */
static int find_noted(struct gate_check *g, const struct oracle_log *log, bool execs)
{
	for (unsigned int cpu = 0; g->opts->notes.nr && cpu < oracle_log__nr_cpus(log); cpu++) {
		const struct oracle_record *rec;
		struct oracle_cursor cur;
		int err = 0;

		oracle_cursor__init(&cur, log, cpu);
		while (!err && (rec = oracle_cursor__next(&cur))) {
			if (!execs && rec->kind == ORACLE_MARK && number_list__has(&g->opts->notes, rec->nr))
				err = add_once(&g->noted, rec->pid);
			if (execs && is_syscall(g, rec) && is_exec(rec) &&
			    number_list__has(&g->noted, rec->pid))
				err = add_once(&g->execs, rec->pid);
		}
		if (err)
			return err;
	}
	return 0;
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
		stretch__release(&g->cpus[cpu].foreign);
	free(g->cpus);
	free(g->noted.val);
	free(g->execs.val);
	gate_tasks__release(&g->tasks);
	gate_report__release(&g->report);
	oracle_merge__release(&g->merge);
}

int gate_check__run(const struct oracle_log *log, const struct gate_check_opts *opts)
{
	struct gate_check g = {.opts = opts};
	int err = find_noted(&g, log, false);

	if (!err)
		err = find_noted(&g, log, true);
	if (!err)
		err = check_all(&g, log);
	gate_check__release(&g);
	return err;
}
