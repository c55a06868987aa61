// SPDX-License-Identifier: GPL-2.0-only
#include "gate_window.h"

/* No call instruction is longer: it returns to at most so many bytes behind its beginning. */
#define MAX_CALL 16

void gate_window__begin(struct gate_task *t, const struct oracle_record *rec, enum stretch_begin begin)
{
	t->in_window = true;
	t->closing = false;
	t->start = rec;
	t->traced = 0;
	t->begin = begin;
	t->path.nr = 0;
	t->nr_detours = 0;
}

static void window__end(struct gate_report *r, struct gate_task *t)
{
	t->in_window = false;
	r->windows++;
}

static bool is_return_to_user(const struct oracle_record *rec)
{
	return rec->kind == ORACLE_SYSRET || (rec->kind == ORACLE_IRET && !(rec->to >> 63));
}

static bool is_in(const struct gate_report *r, enum slack_kind kind, uint64_t addr)
{
	return slack__allows(r->opts->slack, kind, addr);
}

/* Says that the latest branches, to the end of the window, were not traced. */
static void window__not_traced(struct gate_report *r, const struct gate_task *t,
			       const struct oracle_record *rec)
{
	if (!t->traced)
		gate_report__violation(r, rec, "a window of %lu branches, none traced; it ended",
				       (unsigned long)t->path.nr);
	else
		gate_report__violation(r, rec, "the last %lu branches of a window not traced; it ended",
				       (unsigned long)t->path.nr);
}

/* The window ends without having been closed. */
static void window__end_open(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec)
{
	if (t->nr_detours)
		gate_report__violation(r, rec, "an interrupt inside a window that does not return to it");
	if (t->closing)
		gate_report__violation(r, rec, "the gate was open after a window");
	else if (t->path.nr || !t->traced)
		window__not_traced(r, t, rec);
	else
		gate_report__violation(r, rec, "a window ended without the sys_exit tracepoint");
	window__end(r, t);
}

static void window__detour(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec,
			   bool call)
{
	r->detours++;
	if (t->nr_detours < MAX_DETOURS)
		t->detour[t->nr_detours++] = (struct detour){.at = rec->from, .call = call};
	else
		gate_report__violation(r, rec, "interrupts nest deeper than %u", MAX_DETOURS);
}

/* A branch on a detour. An interrupt ends with the IRET to where it hit, a call with the return behind it. */
static void window__detour_branch(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec)
{
	const struct detour *last = &t->detour[t->nr_detours - 1];

	r->detour_branches++;
	if (rec->kind == ORACLE_IRET && !last->call && rec->to == last->at)
		t->nr_detours--;
	else if (rec->kind == ORACLE_RET && last->call && rec->to > last->at && rec->to - last->at < MAX_CALL)
		t->nr_detours--;
}

/* The gate's own path lets others run; elsewhere that is the system call's own execution. */
static bool is_preemption(const struct gate_report *r, const struct gate_task *t,
			  const struct oracle_record *rec)
{
	return rec->kind == ORACLE_CALL && (t->closing || t->begin == BEGIN_OPEN) &&
	       is_in(r, SLACK_PREEMPT, rec->to);
}

/* A traced branch: what was not traced before it must have been slack. */
static void window__traced(struct gate_report *r, struct gate_task *t)
{
	if (t->begin == BEGIN_TRACED && t->path.nr)
		gate_report__violation(r, t->path.rec[0],
				       "%lu branches inside a window not traced; they begin",
				       (unsigned long)t->path.nr);
	else if (t->begin == BEGIN_OPEN)
		gate_report__slack(r, SLACK_OPEN, &t->path);
	else if (t->begin == BEGIN_SWITCH_IN)
		gate_report__slack(r, SLACK_SWITCH_IN, &t->path);
	t->begin = BEGIN_TRACED;
	t->path.nr = 0;
	t->traced++;
	r->traced++;
}

/* The branch into the sys_exit tracepoint, up to which all must have been traced. */
static int window__close(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec)
{
	if (rec->flags & ORACLE_TRACED_FROM) {
		window__traced(r, t);
		t->closing = true;
		return 0;
	}
	window__not_traced(r, t, rec);
	window__end(r, t);
	return 1;
}

/* In the sys_exit tracepoint: traced up to the gate's closing, which ends the window. */
static int window__closing_branch(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec)
{
	if (rec->flags & ORACLE_TRACED_FROM)
		return stretch__add(&t->path, rec);
	gate_report__slack(r, SLACK_CLOSE, &t->path);
	window__end(r, t);
	return 1;
}

int gate_window__branch(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec)
{
	if (is_return_to_user(rec)) {
		window__end_open(r, t, rec);
		return 1;
	}
	if (rec->kind == ORACLE_INTERRUPT) {
		window__detour(r, t, rec, false);
		return 0;
	}
	if (t->nr_detours) {
		window__detour_branch(r, t, rec);
		return 0;
	}
	if (is_preemption(r, t, rec)) {
		window__detour(r, t, rec, true);
		return 0;
	}
	if (t->closing)
		return window__closing_branch(r, t, rec);
	if (is_in(r, SLACK_END, rec->from)) {
		window__end_open(r, t, rec);
		return 1;
	}
	r->branches++;
	if (is_in(r, SLACK_EXIT, rec->to) && !is_in(r, SLACK_EXIT, rec->from))
		return window__close(r, t, rec);
	if (!(rec->flags & ORACLE_TRACED_FROM))
		return stretch__add(&t->path, rec);
	window__traced(r, t);
	return 0;
}

void gate_window__switch_out(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec)
{
	if (t->nr_detours) /* what comes after the detour goes on where it began */
		return;
	if (t->closing) {
		gate_report__slack(r, SLACK_CLOSE, &t->path);
		window__end(r, t);
		return;
	}
	if (t->begin == BEGIN_TRACED)
		gate_report__slack(r, SLACK_SWITCH_OUT, &t->path);
	else
		gate_report__violation(r, rec,
				       "%lu branches of a window before a switch to another task not traced",
				       (unsigned long)t->path.nr);
	t->path.nr = 0;
	t->begin = BEGIN_SWITCH_IN;
}
