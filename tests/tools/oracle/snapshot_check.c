// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot_check.h"
#include "stretch.h"

/* Bytes of a call instruction, at most. */
#define MAX_CALL 8
#define A64_INSTRUCTION 4

/* One CPU, and the last stretch that was placed on it. */
struct cpu_state {
	struct record_list stream;
	struct stretch last;
	const char *last_name; /* NULL: none yet */
	struct piece
		first; /* not empty: the last one is the first, and may have run later than where it was found */
	bool is_there; /* in the snapshot that is looked at */
	uint64_t gap;  /* branches between the last stretch and the one before it */
};

struct check {
	const struct oracle_log *log;
	const struct snapshot_check_opts *opts;
	struct snapshot_notes notes;
	uint64_t next_note, missed; /* the note of the next snapshot; how many have no snapshot */
	struct cpu_state *cpus;
	unsigned int nr_cpus;
	uint64_t nr_branches;
	uint64_t gaps;	 /* found so far */
	uint64_t *after; /* of the snapshots so far: branches behind the trigger */
	uint64_t nr_after;
	bool wrong;
};

/* What is being looked at. */
struct subject {
	const struct snapshot_file *file;
	const struct snapshot_note *note; /* NULL: there is none */
	unsigned int cpu;
};

static void check__release(struct check *c)
{
	for (unsigned int cpu = 0; c->cpus && cpu < c->nr_cpus; cpu++)
		record_list__release(&c->cpus[cpu].stream);
	free(c->cpus);
	free(c->after);
	snapshot_notes__release(&c->notes);
}

static int check__init(struct check *c, uint64_t nr_files)
{
	c->nr_cpus = oracle_log__nr_cpus(c->log);
	c->cpus = calloc(c->nr_cpus, sizeof(*c->cpus));
	c->after = calloc(nr_files ? nr_files : 1, sizeof(*c->after));
	if (!c->cpus || !c->after)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < c->nr_cpus; cpu++)
		if (traced_stream__collect(&c->cpus[cpu].stream, c->log, cpu))
			return -ENOMEM;
	return c->opts->note ? snapshot_notes__collect(&c->notes, c->log, c->opts->note) : 0;
}

static bool is_wanted(const struct check *c, unsigned int cpu)
{
	return !c->opts->cpus || c->opts->cpus[cpu];
}

/* Begins the line that tells of something wrong. */
static FILE *check__fault(struct check *c, const struct subject *on)
{
	c->wrong = true;
	fprintf(c->opts->out, "%s: cpu %u: WRONG: ", on->file->name, on->cpu);
	return c->opts->out;
}

static void check__print_difference(struct check *c, const struct subject *on, struct piece piece)
{
	FILE *out = check__fault(c, on);
	struct branch_pair pair;
	uint64_t at;

	fprintf(out, "%lu branches were decoded that did not run like this\n", (unsigned long)piece.nr);
	if (!stretch__nearest(&c->cpus[on->cpu].stream, piece, &pair, &at)) {
		fputs("  nothing like it ran traced on this CPU\n", out);
		return;
	}
	fprintf(out, "  where most is equal, a difference at branch %lu of the snapshot:\n",
		(unsigned long)(pair.dec + at - piece.dec));
	branch_pair__print_difference(&pair, at, c->log, c->opts->syms, out);
}

/* The piece ran, but not behind the last stretch of this CPU. */
static void check__print_order(struct check *c, const struct subject *on, struct stretch place)
{
	const struct cpu_state *cpu = &c->cpus[on->cpu];
	FILE *out = check__fault(c, on);

	if (place.end <= cpu->last.first) {
		fprintf(out,
			"what it has ran before what %s has: not in the order in which they were taken\n",
			cpu->last_name);
		return;
	}
	if (place.first < cpu->last.first)
		place.first = cpu->last.first;
	if (place.end > cpu->last.end)
		place.end = cpu->last.end;
	fprintf(out, "%lu branches are in %s too\n", (unsigned long)(place.end - place.first),
		cpu->last_name);
}

/* The place of a piece behind the last stretch of its CPU, if there can be behind its note. */
static bool check__find(const struct check *c, const struct subject *on, struct piece piece,
			struct stretch *ret)
{
	const struct record_list *s = &c->cpus[on->cpu].stream;
	uint64_t from = c->cpus[on->cpu].last.end, end = 0;

	if (on->note && on->note->mark->cpu == on->cpu)
		end = traced_stream__find(s, on->note->mark) + 1;
	return stretch__find(s, piece, from, end, ret) || (end && stretch__find(s, piece, from, 0, ret));
}

/* Finds the place of a piece; if there is none that is right, says what is wrong. */
static bool check__place(struct check *c, const struct subject *on, struct piece piece, struct stretch *ret)
{
	if (check__find(c, on, piece, ret))
		return true;
	if (stretch__find(&c->cpus[on->cpu].stream, piece, 0, 0, ret))
		check__print_order(c, on, *ret);
	else
		check__print_difference(c, on, piece);
	return false;
}

static unsigned long record_of(const struct check *c, const struct subject *on, uint64_t place)
{
	return (unsigned long)oracle_log__index(c->log, c->cpus[on->cpu].stream.rec[place]);
}

static void check__print_stretch(const struct check *c, const struct subject *on, struct stretch place)
{
	fprintf(c->opts->out, "%s: cpu %u: ", on->file->name, on->cpu);
	if (place.end > place.first)
		fprintf(c->opts->out, "records %lu to %lu, ", record_of(c, on, place.first),
			record_of(c, on, place.end - 1));
	fprintf(c->opts->out, "%lu branches", (unsigned long)(place.end - place.first));
}

static unsigned long index_of(const struct check *c, const struct oracle_record *rec)
{
	return (unsigned long)oracle_log__index(c->log, rec);
}

/*
 * Whether the task is put aside for another one, as an interrupt wanted it, where a tracepoint's own code
 * allows that again: preempt_enable_notrace() (include/linux/preempt.h).
 */
static bool is_put_aside(const struct symbols *syms, const struct oracle_record *rec)
{
	static const char name[] = "preempt_schedule_notrace"; /* or its thunk */
	uint32_t to = syms && rec->kind == ORACLE_CALL ? symbols__find(syms, rec->to) : SYMBOLS_NONE;

	return to != SYMBOLS_NONE && !strncmp(symbols__name(syms, to), name, strlen(name));
}

/*
 * Whether @rec is the way back from @away, an interrupt or a call. As perf shows Arm's trace (etm_view.h), an
 * interrupt comes from the instruction before the one to which it returns.
 */
static bool is_back(const struct oracle_record *rec, const struct oracle_record *away)
{
	if (rec->task != away->task)
		return false;
	if (away->kind == ORACLE_INTERRUPT)
		return rec->kind == ORACLE_IRET && rec->to - away->from <= A64_INSTRUCTION;
	return rec->kind == ORACLE_RET && rec->to > away->from && rec->to <= away->from + MAX_CALL;
}

/*
 * Of the branches from @first to before @end those in interrupts that came in between, and what they led to. An
 * interrupt itself may not be shown, so all records of the CPU are looked at; in the log they are in this order.
 */
static uint64_t count_interrupts(const struct symbols *syms, const struct record_list *s, uint64_t first,
				 uint64_t end)
{
	const struct oracle_record *away = NULL;
	uint64_t nr = 0;

	for (const struct oracle_record *rec = s->rec[first]; rec <= s->rec[end - 1]; rec++) {
		if (rec->cpu != s->rec[first]->cpu)
			continue;
		if (!away && (rec->kind == ORACLE_INTERRUPT || is_put_aside(syms, rec)))
			away = rec;
		if (!away)
			continue;
		nr += traced_stream__shows(rec);
		if (is_back(rec, away))
			away = NULL;
	}
	return nr;
}

/* The stretch of the note's CPU ends behind the trigger, and not too far behind. Ends its line. */
static void check__end(struct check *c, const struct subject *on, struct stretch place)
{
	const struct record_list *s = &c->cpus[on->cpu].stream;
	const struct oracle_record *mark = on->note->mark;
	const struct oracle_record *trigger = snapshot_note__trigger(on->note, &c->opts->place);
	uint64_t after, interrupts, from;

	if (!trigger || place.end <= traced_stream__find(s, trigger)) {
		bool early = place.end <= traced_stream__find(s, mark);

		fputc('\n', c->opts->out);
		fprintf(check__fault(c, on),
			early ? "ends before its note, record %lu\n"
			      : "ends behind its note, record %lu, but before the trigger\n",
			index_of(c, mark));
		return;
	}
	from = traced_stream__find(s, trigger);
	interrupts = count_interrupts(c->opts->syms, s, from, place.end);
	after = place.end - from - interrupts;
	c->after[c->nr_after++] = after;
	fprintf(c->opts->out, ", %lu behind the trigger", (unsigned long)after);
	fprintf(c->opts->out, interrupts ? " and %lu in interrupts\n" : "\n", (unsigned long)interrupts);
	if (after > c->opts->max_after)
		fprintf(check__fault(c, on),
			"ends %lu branches behind the trigger, record %lu; at most %lu are right\n",
			(unsigned long)after, index_of(c, trigger), (unsigned long)c->opts->max_after);
}

/* The first piece of later snapshots is not bound to anything before it: where it ran last in front of the next one. */
static void place_first(struct cpu_state *cpu, struct stretch next)
{
	struct stretch place;

	while (cpu->first.nr && stretch__find(&cpu->stream, cpu->first, cpu->last.first + 1, 0, &place) &&
	       place.end <= next.first)
		cpu->last = place;
	cpu->first.nr = 0;
}

static void check__piece(struct check *c, const struct subject *on, struct piece piece)
{
	struct cpu_state *cpu = &c->cpus[on->cpu];
	struct stretch place;

	if (!check__place(c, on, piece, &place))
		return;
	check__print_stretch(c, on, place);
	if (on->note && on->note->mark->cpu == on->cpu)
		check__end(c, on, place);
	else
		fputc('\n', c->opts->out);
	cpu->is_there = true;
	place_first(cpu, place);
	if (!cpu->last_name && c->opts->later)
		cpu->first = piece;
	cpu->gap = cpu->first.nr ? 0 : place.first - cpu->last.end;
	cpu->last = place;
	cpu->last_name = on->file->name;
	c->nr_branches += place.end - place.first;
}

/* How many branches at the begin of a piece, which is no stretch, are one. */
static uint64_t longest_stretch(const struct check *c, const struct subject *on, struct piece piece)
{
	uint64_t is = 0, is_not = piece.nr;
	struct stretch place;

	while (is_not - is > 1) {
		piece.nr = is + (is_not - is) / 2;
		if (check__find(c, on, piece, &place))
			is = piece.nr;
		else
			is_not = piece.nr;
	}
	return is;
}

/* A piece with gaps in it, as far as these are allowed. */
static void check__pieces(struct check *c, const struct subject *on, struct piece piece)
{
	struct stretch place;

	while (c->gaps < c->opts->gaps && !check__find(c, on, piece, &place)) {
		struct piece part = {.dec = piece.dec, .nr = longest_stretch(c, on, piece)};

		if (!part.nr)
			break;
		c->gaps++;
		check__piece(c, on, part);
		piece.dec += part.nr;
		piece.nr -= part.nr;
	}
	check__piece(c, on, piece);
}

/* How many branches there are up to where trace begins again without having ended. */
static uint64_t up_to_unshown_end(struct piece piece)
{
	uint64_t i = 1;

	while (i < piece.nr && (piece.dec[i].from || !piece.dec[i - 1].to))
		i++;
	return i;
}

/* Between the last stretch and the one before it is an end of trace and nothing else. */
static bool is_one_end_missing(const struct cpu_state *cpu)
{
	const unsigned int both = ORACLE_TRACED_FROM | ORACLE_TRACED_TO;

	return cpu->gap == 1 && (cpu->stream.rec[cpu->last.first - 1]->flags & both) == ORACLE_TRACED_FROM;
}

/* A piece of a buffer that CPUs share: part by part. */
static void check__parts(struct check *c, const struct subject *on, struct piece piece)
{
	const struct cpu_state *cpu = &c->cpus[on->cpu];
	uint64_t nr = up_to_unshown_end(piece);

	for (bool first = true; piece.nr; first = false, nr = up_to_unshown_end(piece)) {
		struct subject part = *on;

		if (nr < piece.nr)
			part.note = NULL;
		check__piece(c, &part, (struct piece){.dec = piece.dec, .nr = nr});
		if (!first && !c->wrong && !is_one_end_missing(cpu))
			fprintf(check__fault(c, on), "%lu branches are missing where trace begins again\n",
				(unsigned long)cpu->gap);
		piece.dec += nr;
		piece.nr -= nr;
	}
}

static void check__cpu(struct check *c, const struct subject *on)
{
	struct piece piece;

	if (!is_wanted(c, on->cpu))
		return;
	piece.dec = decode_text__branches(on->file->text, on->cpu, &piece.nr);
	if (piece.nr && on->cpu >= c->nr_cpus)
		fprintf(check__fault(c, on), "the log has no such CPU\n");
	else if (piece.nr && c->opts->shared_sink)
		check__parts(c, on, piece);
	else if (piece.nr)
		check__pieces(c, on, piece);
	else if (on->note && on->note->mark->cpu == on->cpu)
		fprintf(check__fault(c, on), "no branches of the CPU of its note, record %lu\n",
			index_of(c, on->note->mark));
}

/* Of the snapshot that is looked at, the time of the newest branch. */
static uint64_t newest(const struct check *c)
{
	uint64_t time = 0;

	for (unsigned int i = 0; i < c->nr_cpus; i++) {
		const struct cpu_state *cpu = &c->cpus[i];
		const uint64_t end =
			cpu->is_there && cpu->last.end ? cpu->stream.rec[cpu->last.end - 1]->tsc : 0;

		time = end > time ? end : time;
	}
	return time;
}

/* What is missing in front of the CPU's stretch is older than the time to look back. */
static void check__begin(struct check *c, const struct subject *on, uint64_t end)
{
	const struct cpu_state *cpu = &c->cpus[on->cpu];
	uint64_t missing;

	if (!cpu->is_there || !cpu->gap)
		return;
	missing = cpu->stream.rec[cpu->last.first - 1]->tsc;
	if (missing + c->opts->back <= end)
		return;
	fprintf(check__fault(c, on),
		"%lu branches in front of it are in no snapshot, the last one %ld ticks before the end; "
		"only what is older than %lu may be missing\n",
		(unsigned long)cpu->gap, (long)(end - missing), (unsigned long)c->opts->back);
}

static void check__file(struct check *c, const struct snapshot_file *file, const struct snapshot_note *note)
{
	unsigned int nr = decode_text__nr_cpus(file->text);
	const uint64_t before = c->nr_branches;
	uint64_t errors = decode_text__nr_errors(file->text);

	if (nr < c->nr_cpus)
		nr = c->nr_cpus;
	if (errors) {
		fprintf(c->opts->out, "%s: WRONG: the decoder reported %lu errors, the first: %s\n",
			file->name, (unsigned long)errors, decode_text__first_error(file->text));
		c->wrong = true;
	}
	for (unsigned int cpu = 0; cpu < c->nr_cpus; cpu++)
		c->cpus[cpu].is_there = false;
	for (unsigned int cpu = 0; cpu < nr; cpu++)
		check__cpu(c, &(struct subject){.file = file, .note = note, .cpu = cpu});
	for (unsigned int cpu = 0; c->opts->back && cpu < c->nr_cpus; cpu++)
		check__begin(c, &(struct subject){.file = file, .note = note, .cpu = cpu}, newest(c));
	if (!c->wrong && c->nr_branches - before < c->opts->least) {
		fprintf(c->opts->out, "%s: WRONG: %lu branches, at least %lu are to be there\n", file->name,
			(unsigned long)(c->nr_branches - before), (unsigned long)c->opts->least);
		c->wrong = true;
	}
}

/* Whether a snapshot that may be that of a note ends behind the next one. */
static bool ends_behind_next(const struct check *c, const struct snapshot_file *file,
			     const struct snapshot_note *note)
{
	const struct subject on = {.file = file, .note = note, .cpu = note[1].mark->cpu};
	struct stretch place;
	struct piece piece;

	piece.dec = decode_text__branches(file->text, on.cpu, &piece.nr);
	if (!piece.nr || !check__find(c, &on, piece, &place))
		return false;
	return place.end > traced_stream__find(&c->cpus[on.cpu].stream, note[1].mark);
}

/* The note of the next snapshot: those that have none, as far as that is allowed, are left out. */
static const struct snapshot_note *check__next_note(struct check *c, const struct snapshot_file *file)
{
	while (c->missed < c->opts->missed && c->next_note + 1 < c->notes.nr &&
	       ends_behind_next(c, file, &c->notes.note[c->next_note])) {
		c->next_note++;
		c->missed++;
	}
	return c->next_note < c->notes.nr ? &c->notes.note[c->next_note++] : NULL;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void check__summary(struct check *c, uint64_t nr_files)
{
	FILE *out = c->opts->out;

	if (c->opts->note && c->notes.nr != nr_files + c->opts->missed) {
		fprintf(out, "WRONG: %lu snapshots and %lu missed, but %lu notes %u\n",
			(unsigned long)nr_files, (unsigned long)c->opts->missed, (unsigned long)c->notes.nr,
			c->opts->note);
		c->wrong = true;
	}
	if (c->nr_after) {
		qsort(c->after, c->nr_after, sizeof(*c->after), by_value);
		fprintf(out, "branches behind the trigger: min %lu, median %lu, max %lu\n",
			(unsigned long)c->after[0], (unsigned long)c->after[c->nr_after / 2],
			(unsigned long)c->after[c->nr_after - 1]);
	}
	if (!c->wrong && !c->nr_branches) {
		fputs("nothing was traced: no branch to compare\n", out);
		c->wrong = true;
	}
	fprintf(out, "snapshots: %s, %lu files, %lu branches\n", c->wrong ? "WRONG" : "right",
		(unsigned long)nr_files, (unsigned long)c->nr_branches);
}

int snapshot_check__run(const struct oracle_log *log, const struct snapshot_file *files, uint64_t nr,
			const struct snapshot_check_opts *opts)
{
	_cleanup_(check__release) struct check c = {.log = log, .opts = opts};
	int err = check__init(&c, nr);

	if (err)
		return err;
	for (uint64_t i = 0; i < nr; i++)
		check__file(&c, &files[i], check__next_note(&c, &files[i]));
	check__summary(&c, nr);
	return c.wrong;
}
