// SPDX-License-Identifier: GPL-2.0-only
#include "gate_source.h"
#include "gate_window.h"

void gate_window__begin(struct gate_task *t, const struct oracle_record *rec, enum slack_kind kind)
{
	t->in_window = true;
	t->closing = false;
	t->start = rec;
	t->traced = 0;
	t->path_kind = kind;
	t->path.nr = 0;
}

void gate_window__end(struct gate_report *r, struct gate_task *t)
{
	t->in_window = false;
	r->windows++;
}

/* The trace has branches of this one's mode. */
static bool is_judged(const struct gate_report *r, const struct oracle_record *rec)
{
	return r->opts->modes & (rec->flags & ORACLE_USER_FROM ? MODE_USER : MODE_KERNEL);
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
	gate_report__functions(r, &t->path);
}

void gate_window__lost(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec)
{
	if (t->path.nr || !t->traced)
		window__not_traced(r, t, rec);
	else
		gate_report__violation(r, rec, "a window ended without the sys_exit tracepoint");
	gate_window__end(r, t);
}

/* A traced branch: what was not traced before it must have been slack. */
static void window__traced(struct gate_report *r, struct gate_task *t)
{
	if (t->path_kind != SLACK_NONE) {
		gate_report__slack(r, t->path_kind, &t->path);
	} else if (t->path.nr) {
		gate_report__violation(r, t->path.rec[0],
				       "%lu branches inside a window not traced; they begin",
				       (unsigned long)t->path.nr);
		gate_report__functions(r, &t->path);
	}
	t->path_kind = SLACK_NONE;
	t->path.nr = 0;
	t->traced++;
	r->traced++;
}

int gate_window__last_branch(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec,
			     enum slack_kind kind)
{
	bool judged = is_judged(r, rec);

	r->branches += judged;
	if (judged && !(rec->flags & ORACLE_TRACED_FROM)) {
		window__not_traced(r, t, rec);
		gate_window__end(r, t);
		return 1;
	}
	if (judged)
		window__traced(r, t);
	t->closing = true;
	t->path_kind = kind;
	t->path.nr = 0;
	return 0;
}

/* After the last branch: traced up to the gate's closing, which ends the window. */
static int window__closing_branch(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec)
{
	if (source__is_return_to_user(rec) && rec->flags & (ORACLE_TRACED_FROM | ORACLE_TRACED_TO)) {
		gate_report__violation(r, rec, "the gate was open after a window");
		gate_window__end(r, t);
		return 1;
	}
	if (rec->flags & ORACLE_TRACED_FROM)
		return record_list__add(&t->path, rec);
	if (!is_judged(r, rec) && !source__is_return_to_user(rec))
		return 0;
	gate_report__slack(r, t->path_kind, &t->path);
	gate_window__end(r, t);
	return 1;
}

int gate_window__branch(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec)
{
	if (t->closing)
		return window__closing_branch(r, t, rec);
	if (!is_judged(r, rec)) {
		if (rec->flags & ORACLE_TRACED_FROM)
			gate_report__violation(r, rec, "a branch of a mode that is not to be traced");
		return 0;
	}
	r->branches++;
	if (!(rec->flags & ORACLE_TRACED_FROM))
		return record_list__add(&t->path, rec);
	window__traced(r, t);
	return 0;
}

/* The untraced branches before a switch. */
static void window__judge_switch_out(struct gate_report *r, const struct gate_task *t,
				     const struct oracle_record *rec, bool gate_stays)
{
	if (t->path_kind == SLACK_NONE && !gate_stays) {
		gate_report__slack(r, SLACK_SWITCH_OUT, &t->path);
	} else if (t->path.nr) {
		gate_report__violation(r, rec,
				       "%lu branches of a window before a switch to another task not traced",
				       (unsigned long)t->path.nr);
		gate_report__functions(r, &t->path);
	}
}

void gate_window__switch_out(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec,
			     bool gate_stays)
{
	if (t->nr_detours) /* what comes after the detour goes on where it began */
		return;
	if (t->closing) {
		gate_report__slack(r, t->path_kind, &t->path);
		gate_window__end(r, t);
		return;
	}
	window__judge_switch_out(r, t, rec, gate_stays);
	t->path.nr = 0;
	t->path_kind = SLACK_SWITCH_IN;
}
