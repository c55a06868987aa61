// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "snapshot_note.h"

static int snapshot_notes__add(struct snapshot_notes *notes, struct snapshot_note note)
{
	struct snapshot_note *mem = realloc(notes->note, (notes->nr + 1) * sizeof(*mem));

	if (!mem)
		return -ENOMEM;
	mem[notes->nr++] = note;
	notes->note = mem;
	return 0;
}

static int by_tsc(const void *a, const void *b)
{
	const struct snapshot_note *x = a, *y = b;

	return (x->mark->tsc > y->mark->tsc) - (x->mark->tsc < y->mark->tsc);
}

int snapshot_notes__collect(struct snapshot_notes *notes, const struct oracle_log *log, uint32_t number)
{
	for (unsigned int cpu = 0; cpu < oracle_log__nr_cpus(log); cpu++) {
		const struct oracle_record *rec;
		struct oracle_cursor cur;

		oracle_cursor__init(&cur, log, cpu);
		while ((rec = oracle_cursor__next(&cur))) {
			if (rec->kind != ORACLE_MARK || rec->nr != number)
				continue;
			if (snapshot_notes__add(notes, (struct snapshot_note){.mark = rec, .behind = cur}))
				return -ENOMEM;
		}
	}
	if (notes->nr)
		qsort(notes->note, notes->nr, sizeof(*notes->note), by_tsc);
	return 0;
}

void snapshot_notes__release(struct snapshot_notes *notes)
{
	free(notes->note);
	*notes = (struct snapshot_notes){0};
}

/* A branch from elsewhere into one of the functions. */
static bool enters(const struct trigger_place *place, const struct oracle_record *rec)
{
	uint32_t to;

	if (!oracle_record__is_branch(rec))
		return false;
	to = symbols__find(place->syms, rec->to);
	for (uint32_t i = 0; to != SYMBOLS_NONE && i < place->functions.nr; i++)
		if (symbols__find(place->syms, place->functions.val[i]) == to)
			return symbols__find(place->syms, rec->from) != to;
	return false;
}

/* Up to the switch back to the task: the first branch into one of the functions since the switch before. */
static const struct oracle_record *find_switch_in(const struct snapshot_note *note,
						  const struct trigger_place *place)
{
	struct oracle_cursor cur = note->behind;
	const struct oracle_record *rec, *first = NULL;
	uint64_t left = 0; /* when the task left the CPU, 0 while it is there */

	while ((rec = oracle_cursor__next(&cur))) {
		bool is_own = rec->task == note->mark->task;

		if (rec->kind == ORACLE_SWITCH) {
			if (is_own && left && rec->tsc - left >= place->off_cpu)
				return first;
			first = NULL;
			left = is_own ? 0 : left ? left : rec->tsc;
		} else if (!first && enters(place, rec)) {
			first = rec;
		}
	}
	return NULL;
}

const struct oracle_record *snapshot_note__trigger(const struct snapshot_note *note,
						   const struct trigger_place *place)
{
	struct oracle_cursor cur = note->behind;
	const struct oracle_record *rec;

	if (!place->functions.nr)
		return note->mark;
	if (place->off_cpu)
		return find_switch_in(note, place);
	while ((rec = oracle_cursor__next(&cur)))
		if (rec->task == note->mark->task && enters(place, rec))
			return rec;
	return NULL;
}
