// SPDX-License-Identifier: GPL-2.0-only
#include "gate_own.h"

/* So many branches more than there are different ones are kept before those that came again are left out. */
#define MAX_AGAIN 4096

/* Calls begin on no other detour: interrupts only are within them. */
bool gate_own__is_in(const struct gate_task *t)
{
	return t->nr_detours == 1 && t->detour[0].call;
}

static int own__add(struct gate_task *t, const struct oracle_record *rec)
{
	if (t->own.nr >= 2 * t->own_different + MAX_AGAIN) {
		record_list__unique(&t->own);
		t->own_different = t->own.nr;
	}
	return record_list__add(&t->own, rec);
}

int gate_own__branch(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec, bool was_in)
{
	/* Where an interrupt hits, and how often, is chance. */
	bool near = rec->kind >= ORACLE_JCC && rec->kind <= ORACLE_RET;
	bool is_in = gate_own__is_in(t);
	int err = near && (was_in || is_in) ? own__add(t, rec) : 0;

	if (near && is_in && !was_in)
		gate_report__called(r, rec);
	if (err || t->nr_detours || !t->own.nr)
		return err;
	record_list__unique(&t->own);
	gate_report__own(r, rec, &t->own);
	t->own.nr = t->own_different = 0;
	return 0;
}
