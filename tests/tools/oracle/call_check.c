// SPDX-License-Identifier: GPL-2.0-only
#include "call_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "call_report.h"

/* No call instruction is longer. */
#define LONGEST_CALL 16

/* Calls of an address that is in the instruction are this long. */
#define SHORT_CALL 5

#define ARM_VECTORS "vectors" /* where exceptions and interrupts go to on Arm */

#define CONTEXT 6 /* marks that are shown around a difference */

/* A call that has not returned. */
struct call_site {
	uint64_t from;
	bool was_traced; /* it is in the list */
	bool may_repeat; /* a return may go to @from itself */
	bool is_signal;	 /* a handler of a signal, to which the kernel went: nobody called it */
	const struct oracle_record
		*hidden; /* of an interrupt: the branch whose target it came at, if there is one */
	bool is_user;	 /* it was made in user mode */
	bool is_switch;	 /* it was made while one task went and another came */
};

struct task {
	int32_t tid;
	struct call_site *sites;
	size_t nr, cap;
	bool is_interrupted; /* its last record was a branch to the handler of the next one */
};

struct checker {
	const struct oracle_log *log;
	const struct oracle_record *at; /* the record of the log that is followed */
	const struct call_check_opts *opts;
	struct task *tasks;
	size_t nr_tasks;
	struct call_lists ran;
};

static struct task *get_task(struct checker *c, int32_t tid)
{
	struct task *grown;

	for (size_t i = 0; i < c->nr_tasks; i++) {
		if (c->tasks[i].tid == tid)
			return &c->tasks[i];
	}
	grown = reallocarray(c->tasks, c->nr_tasks + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	c->tasks = grown;
	grown[c->nr_tasks] = (struct task){.tid = tid};
	return &grown[c->nr_tasks++];
}

static int push(struct task *t, struct call_site site)
{
	size_t cap = t->cap ? t->cap * 2 : 64;

	if (t->nr == t->cap) {
		struct call_site *grown = reallocarray(t->sites, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		t->sites = grown;
		t->cap = cap;
	}
	t->sites[t->nr++] = site;
	return 0;
}

static const char *name_of(const struct checker *c, uint64_t addr)
{
	uint32_t symbol = symbols__find(c->opts->syms, addr);

	return symbol == SYMBOLS_NONE ? CALL_LIST_USER : symbols__name(c->opts->syms, symbol);
}

/* Adds a mark to what ran; @function NULL: a return. */
static int tell(struct checker *c, int32_t tid, const char *function)
{
	struct call_list *list = call_lists__get(&c->ran, tid);

	return list ? call_list__add(list, function, oracle_log__index(c->log, c->at)) : -ENOMEM;
}

static bool is_call(const struct oracle_record *rec)
{
	return rec->kind == ORACLE_CALL || rec->kind == ORACLE_IND_CALL;
}

/*
 * A call to one of the next instructions of the same function, which only reads its own address, or is never returned
 * from. In user mode, of which there are no symbols, it is one to the very next instruction.
 */
static bool is_call_ahead(const struct checker *c, const struct oracle_record *rec)
{
	uint32_t from = symbols__find(c->opts->syms, rec->from), to = symbols__find(c->opts->syms, rec->to);

	return from == to && rec->to - rec->from <= (to == SYMBOLS_NONE ? SHORT_CALL : LONGEST_CALL);
}

/* A decoder sees a branch as one if both of its ends are traced. */
static bool is_traced(const struct oracle_record *rec)
{
	return rec->flags & ORACLE_TRACED_FROM && rec->flags & ORACLE_TRACED_TO;
}

/* Whether a call is made by CALL_LIST_SWITCH, or by what that calls. */
static bool is_in_switch(const struct checker *c, const struct task *t, const struct oracle_record *rec)
{
	return (t->nr && t->sites[t->nr - 1].is_switch) || !strcmp(name_of(c, rec->from), CALL_LIST_SWITCH);
}

static int call(struct checker *c, struct task *t, const struct oracle_record *rec, bool may_repeat,
		const struct oracle_record *hidden)
{
	struct call_site site = {
		.from = rec->from,
		.may_repeat = may_repeat,
		.hidden = hidden,
		.is_user = rec->flags & ORACLE_USER_FROM,
		.is_switch = is_in_switch(c, t, rec),
	};
	int err;

	if (!may_repeat && is_call_ahead(c, rec))
		return 0;
	site.was_traced = is_traced(rec) && !site.is_switch;
	err = push(t, site);
	return err || !site.was_traced ? err : tell(c, t->tid, name_of(c, rec->to));
}

/* Tells of the return from a call, if both are in the trace. */
static int tell_return(struct checker *c, const struct task *t, const struct call_site *site,
		       const struct oracle_record *rec)
{
	return site->was_traced && is_traced(rec) ? tell(c, t->tid, NULL) : 0;
}

static bool returns_behind(const struct call_site *site, uint64_t to)
{
	return to - site->from <= LONGEST_CALL && (to != site->from || site->may_repeat);
}

/*
 * The kernel goes to user mode, not to where it was called: to a handler of a signal. The system call or the interrupt
 * is over; the handler is, when the kernel goes back to where that was.
 */
static int go_to_handler(struct checker *c, struct task *t, const struct oracle_record *rec)
{
	struct call_site over;
	size_t i = t->nr;

	while (i && !t->sites[i - 1].is_user)
		i--;
	if (!i || t->sites[i - 1].is_signal)
		return 0;
	t->nr = i;
	over = t->sites[i - 1];
	t->sites[i - 1].is_signal = t->sites[i - 1].may_repeat = true;
	t->sites[i - 1].hidden = NULL;
	return tell_return(c, t, &over, rec);
}

/* The end of an exception of the kernel's that goes on elsewhere than where it came from. */
static int fix_up(struct checker *c, struct task *t, const struct oracle_record *rec)
{
	struct call_site over;
	size_t i = t->nr;

	while (i && !t->sites[i - 1].may_repeat)
		i--;
	if (!i || t->sites[i - 1].is_user)
		return 0;
	t->nr = i - 1;
	over = t->sites[t->nr];
	return tell_return(c, t, &over, rec);
}

static bool is_kernel(uint64_t addr)
{
	return (int64_t)addr < 0;
}

/* Finds the newest call that a return to @to is behind; returns its place + 1, 0: none. */
static size_t find_call(const struct task *t, uint64_t to)
{
	size_t i = t->nr;

	while (i && !returns_behind(&t->sites[i - 1], to))
		i--;
	return i;
}

/* Finds the interrupt that @rec ends, if it hides a branch and @rec goes to its target. Returns its place + 1, or 0. */
static size_t find_hiding(const struct task *t, const struct oracle_record *rec)
{
	size_t i = t->nr;

	while (i && !t->sites[i - 1].may_repeat)
		i--;
	if (!i || !t->sites[i - 1].hidden || rec->kind == ORACLE_RET)
		return 0;
	return returns_behind(&t->sites[i - 1], rec->to) ? 0 : i;
}

/* Ends an interrupt at the first instruction of what was called: perf shows that call where the interrupt goes back. */
static int begin_called(struct checker *c, struct task *t, const struct oracle_record *rec, size_t interrupt)
{
	const struct call_site over = t->sites[interrupt - 1];
	struct oracle_record branch = *rec;
	int err;

	t->nr = interrupt - 1;
	err = tell_return(c, t, &over, rec);
	branch.from = over.from;
	return err ? err : call(c, t, &branch, false, NULL);
}

/* Ends a call, and an interrupt, if there is one, that hides the return from it. */
static int end_call(struct checker *c, struct task *t, const struct oracle_record *rec, size_t interrupt,
		    size_t found)
{
	const struct call_site site = t->sites[found - 1];
	int err = 0;

	if (interrupt > found && t->sites[interrupt - 1].hidden->kind == ORACLE_RET)
		err = tell_return(c, t, &t->sites[interrupt - 1], rec);
	t->nr = found - 1;
	return err || site.is_signal ? err : tell_return(c, t, &site, rec);
}

static int go_back(struct checker *c, struct task *t, const struct oracle_record *rec)
{
	size_t interrupt = find_hiding(t, rec), found;

	if (interrupt && is_call(t->sites[interrupt - 1].hidden))
		return begin_called(c, t, rec, interrupt);
	found = find_call(t, rec->to);
	if (found)
		return end_call(c, t, rec, interrupt, found);
	/* A new task begins with a return from the switch to it. */
	while (t->nr && t->sites[t->nr - 1].is_switch)
		t->nr--;
	if (rec->kind == ORACLE_RET)
		return 0;
	return is_kernel(rec->to) ? fix_up(c, t, rec) : go_to_handler(c, t, rec);
}

/* Of a branch and an interrupt behind it perf shows one, from the branch; the log has both still (etm_view.h, 2.). */
static int interrupt(struct checker *c, struct task *t, const struct oracle_record *rec)
{
	bool is_branch =
		rec->kind != ORACLE_INTERRUPT && rec->kind != ORACLE_EXCEPTION && rec->kind != ORACLE_SYSCALL;
	bool was_branch = t->is_interrupted;

	t->is_interrupted = is_branch;
	return was_branch && !is_branch ? 0 : call(c, t, rec, true, is_branch ? rec : NULL);
}

static int follow(struct checker *c, const struct oracle_record *rec)
{
	struct task *t;

	if (!oracle_record__is_branch(rec))
		return 0;
	t = get_task(c, (int32_t)rec->pid);
	if (!t)
		return -ENOMEM;
	c->at = rec;
	if (!strcmp(name_of(c, rec->to), ARM_VECTORS) && strcmp(name_of(c, rec->from), ARM_VECTORS))
		return interrupt(c, t, rec);
	t->is_interrupted = false;
	switch (rec->kind) {
	case ORACLE_CALL:
	case ORACLE_IND_CALL:
		return call(c, t, rec, false, NULL);
	case ORACLE_SYSCALL:
	case ORACLE_SWINT:
	case ORACLE_EXCEPTION:
	case ORACLE_INTERRUPT:
		return call(c, t, rec, true, NULL);
	case ORACLE_RET:
	case ORACLE_SYSRET:
	case ORACLE_IRET:
		return go_back(c, t, rec);
	default:
		return 0;
	}
}

static int read_log(struct checker *c)
{
	_cleanup_oracle_merge_ struct oracle_merge merge = {0};
	const struct oracle_record *rec;
	int err = oracle_merge__init(&merge, c->log);

	while (!err && (rec = oracle_merge__next(&merge)))
		err = follow(c, rec);
	return err;
}

static bool has_name(const char *name, void *ctx)
{
	return !strcmp(name, ctx);
}

/* The name of a BPF program without its tag, which need not be the same in kallsyms (seen on 7.3). */
static const char *without_tag(const char *name)
{
	static const char prefix[] = "bpf_prog_";
	const char *rest =
		strncmp(name, prefix, sizeof(prefix) - 1) ? NULL : strchr(name + sizeof(prefix) - 1, '_');

	return rest ? rest : name;
}

/* Functions at one address have several names, of which perf and kallsyms need not take the same. */
static bool is_same(const struct checker *c, const struct call_mark *a, const struct call_mark *b)
{
	uint64_t addr;

	if (!a->function || !b->function)
		return !a->function && !b->function;
	/* kallsyms has no name for the kernel's filters of system calls. */
	if (!strcmp(a->function, "seccomp_filter") ||
	    !strcmp(without_tag(a->function), without_tag(b->function)))
		return true;
	return symbols__address(c->opts->syms, b->function, &addr) &&
	       symbols__any_alias(c->opts->syms, symbols__find(c->opts->syms, addr), has_name, a->function);
}

static void show(const struct checker *c, const char *what, const struct call_list *list, size_t at)
{
	size_t begin = at > CONTEXT ? at - CONTEXT : 0;

	for (size_t i = begin; i < list->nr && i < at + CONTEXT; i++)
		fprintf(c->opts->out, "  %s %s %lu: %s%s\n", i == at ? ">" : " ", what,
			(unsigned long)list->marks[i].place, list->marks[i].function ? "call of " : "return",
			list->marks[i].function ? list->marks[i].function : "");
}

static int compare(const struct checker *c, const struct call_list *shown, const struct call_list *ran)
{
	size_t i = 0;

	while (i < shown->nr && i < ran->nr && is_same(c, &shown->marks[i], &ran->marks[i]))
		i++;
	if (i == shown->nr && i == ran->nr)
		return 0;
	fprintf(c->opts->out,
		"task %d: %zu calls are shown, %zu ran; they differ after %zu calls and returns\n",
		shown->tid, shown->nr_calls, ran->nr_calls, i);
	show(c, "line", shown, i);
	show(c, "record", ran, i);
	return -EBADMSG;
}

/* The idle tasks have one number, and a list of each CPU. */
static bool is_wanted(const struct checker *c, int32_t tid)
{
	const struct number_list *tids = c->opts->tids;

	return tid && (!tids->nr || number_list__has(tids, (uint32_t)tid));
}

/* Compares what is shown and what ran of one task: one list, or both, may have nothing of it. */
static int compare_task(struct checker *c, struct call_lists *shown, int32_t tid)
{
	struct call_list *a = call_lists__get(shown, tid), *b = call_lists__get(&c->ran, tid);

	if (!a || !b)
		return -ENOMEM;
	return is_wanted(c, tid) ? compare(c, a, b) : 0;
}

static int compare_all(struct checker *c, struct call_lists *shown)
{
	size_t nr = 0, nr_tasks = 0;
	int err = 0;

	/* What the report has nothing of is an empty list there. */
	for (size_t i = 0; i < c->ran.nr; i++) {
		if (!call_lists__get(shown, c->ran.lists[i].tid))
			return -ENOMEM;
	}
	for (size_t i = 0; i < shown->nr; i++) {
		int bad = compare_task(c, shown, shown->lists[i].tid);

		err = bad ? bad : err;
		nr += is_wanted(c, shown->lists[i].tid) ? shown->lists[i].nr_calls : 0;
		nr_tasks += is_wanted(c, shown->lists[i].tid);
	}
	fprintf(c->opts->out, "%zu calls of %zu tasks compared: %s\n", nr, nr_tasks,
		err ? "WRONG" : "the same");
	if (!err && nr < c->opts->least) {
		fprintf(c->opts->out, "at least %lu were to be there\n", (unsigned long)c->opts->least);
		return -EBADMSG;
	}
	return err;
}

int call_check__run(const struct oracle_log *log, const struct call_check_opts *opts)
{
	struct checker c = {.log = log, .opts = opts};
	struct call_lists shown = {0};
	int err = call_report__read(opts->report, &shown);

	if (!err)
		err = read_log(&c);
	if (!err)
		err = compare_all(&c, &shown);
	for (size_t i = 0; i < c.nr_tasks; i++)
		free(c.tasks[i].sites);
	free(c.tasks);
	call_lists__release(&c.ran);
	call_lists__release(&shown);
	return err;
}
