// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "etm_view.h"

#define INSTRUCTION 4 /* bytes; A64 */
#define BOTH (ORACLE_TRACED_FROM | ORACLE_TRACED_TO)

/* The instruction at `from` was not executed. */
static bool is_interruption(const struct oracle_record *rec)
{
	return rec->kind == ORACLE_EXCEPTION || rec->kind == ORACLE_INTERRUPT;
}

static void forget(struct oracle_record *rec, unsigned int traced)
{
	rec->flags &= (uint8_t)~traced;
}

/* Nothing was executed, or told, between @last and the end of trace: it ends with @last. */
static void end_at(struct oracle_record *last)
{
	forget(last, last->flags & ORACLE_TRACED_FROM ? ORACLE_TRACED_TO : BOTH);
}

/* An exception packet is all that tells of it. */
static bool is_event(const struct oracle_record *rec)
{
	return is_interruption(rec) || rec->kind == ORACLE_SYSCALL;
}

/* The packets have an address where the record leads to. */
static bool tells_target(const struct oracle_record *rec)
{
	return (rec->kind >= ORACLE_IND_JMP && rec->kind <= ORACLE_INTERRUPT) || rec->flags & ORACLE_SYNCED;
}

/* The time behind this is one at which perf stops: trace started there, or the context was told anew. */
static bool is_first_of_times(const struct oracle_record *rec)
{
	return !(rec->flags & ORACLE_TRACED_FROM) || rec->flags & ORACLE_SYNCED;
}

/* One CPU, from record to record. */
struct view {
	uint64_t kernel_start;
	enum etm_pieces pieces;
	struct oracle_record *last;  /* what brought execution to where it is; NULL: that is not traced */
	struct oracle_record *start; /* the last one of all, shown or not */
	struct oracle_record
		*bare[2]; /* what led to the last stretch of code and its end, if perf may drop that */
	bool off;	  /* the buffer has been switched off since */
};

bool etm_pieces__parse(const char *arg, enum etm_pieces *ret)
{
	*ret = strcmp(arg, "all") ? ETM_PIECES_NONE : ETM_PIECES_ALL;
	return *ret == ETM_PIECES_ALL || !strcmp(arg, "none");
}

/* perf takes addresses below the kernel's own code for user mode's, and finds no code there. */
static bool is_unreadable(const struct view *v, uint64_t address)
{
	return address >> 63 && address < v->kernel_start;
}

/* Trace ends at @rec. */
static void view_end(struct view *v, struct oracle_record *rec)
{
	bool nothing_since = rec->kind == ORACLE_UNIT || is_unreadable(v, v->last->to) ||
			     (is_interruption(rec) && rec->from == v->last->to);

	if (nothing_since) {
		forget(rec, BOTH);
		end_at(v->last);
	} else if (is_interruption(rec)) {
		rec->from -= INSTRUCTION;
	}
	v->bare[0] = is_event(rec) && is_first_of_times(v->last) ? v->last : NULL;
	v->bare[1] = rec;
	v->last = NULL;
}

/* Execution goes on at rec->to, traced as before. */
static void view_branch(struct view *v, struct oracle_record *rec)
{
	bool hidden = is_unreadable(v, v->last->to);

	if (hidden && !tells_target(rec)) {
		forget(rec, BOTH);
	} else if (hidden || (is_interruption(rec) && rec->from == v->last->to)) {
		v->last->to = rec->to;
		forget(rec, BOTH);
	} else {
		if (is_interruption(rec))
			rec->from -= INSTRUCTION;
		v->last = rec;
	}
}

static void drop_bare(struct view *v)
{
	end_at(v->bare[0]);
	forget(v->bare[1], BOTH);
	v->bare[0] = NULL;
}

/* Trace starts; perhaps without having ended: the buffer was full. */
static void view_start(struct view *v, struct oracle_record *rec)
{
	if (v->last)
		end_at(v->last);
	if (v->bare[0] && v->off && v->pieces == ETM_PIECES_BUT_LAST)
		drop_bare(v);
	v->last = v->start = rec;
	v->bare[0] = NULL;
	v->off = false;
}

/* The buffer was switched off after trace had ended. */
static void view_off(struct view *v)
{
	v->off = true;
	if (v->pieces == ETM_PIECES_ALL)
		drop_bare(v);
}

static void view_record(struct view *v, struct oracle_record *rec)
{
	unsigned int traced = rec->flags & BOTH;

	if (rec->kind == ORACLE_PASSED)
		rec->kind = ORACLE_JCC;
	if (v->last && traced == ORACLE_TRACED_FROM)
		view_end(v, rec);
	else if (traced == ORACLE_TRACED_FROM) /* with a branch, or where the buffer was full */
		forget(rec, BOTH);
	else if (v->last && traced == BOTH && rec->kind != ORACLE_UNIT)
		view_branch(v, rec);
	else if (traced == ORACLE_TRACED_TO)
		view_start(v, rec);
	else if ((rec->flags & ORACLE_BUFFER_OFF) && v->bare[0])
		view_off(v);
}

/* A branch to where execution would have gone on anyway, as perf shows barriers. */
static bool is_to_next(uint64_t from, uint64_t to)
{
	return from && to == from + INSTRUCTION;
}

/* What can be seen of the trace. */
static bool is_shown(const struct oracle_record *rec)
{
	return oracle_record__is_branch(rec) || rec->kind == ORACLE_UNIT || rec->kind == ORACLE_PASSED;
}

static void view_cpu(struct oracle_log *log, unsigned int cpu, struct view v)
{
	struct oracle_record *end = NULL;
	const struct oracle_record *rec;
	struct oracle_cursor cur;

	oracle_cursor__init(&cur, log, cpu);
	while ((rec = oracle_cursor__next(&cur)))
		if (is_shown(rec))
			view_record(&v, oracle_log__edit(log, rec));
	oracle_cursor__init(&cur, log, cpu);
	while ((rec = oracle_cursor__next(&cur))) {
		if (rec->flags & BOTH)
			end = oracle_log__edit(log, rec);
		if ((rec->flags & BOTH) == BOTH && is_to_next(rec->from, rec->to))
			forget(oracle_log__edit(log, rec), BOTH);
	}
	if (end && (end->flags & BOTH) == ORACLE_TRACED_FROM && v.start < end)
		forget(end, BOTH);
}

void etm_view__log(struct oracle_log *log, uint64_t kernel_start, enum etm_pieces pieces)
{
	for (unsigned int cpu = 0; cpu < oracle_log__nr_cpus(log); cpu++)
		view_cpu(log, cpu, (struct view){.kernel_start = kernel_start, .pieces = pieces});
}

void etm_view__text(struct decode_text *text)
{
	decode_text__drop(text, is_to_next);
}
