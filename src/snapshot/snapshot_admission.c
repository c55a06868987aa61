// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/snapshot_admission.h"

#include "base/clock.h"
#include "snapshot/snapshot_dir.h"
#include "snapshot/snapshot_store.h"

int snapshot_admission__init(struct snapshot_admission *a, const struct snapshot_limits_opts *opts,
			     const struct trigger_set *rules, const struct gate_triggers *triggers)
{
	*a = (struct snapshot_admission){
		.counts = {.rules = rules, .triggers = triggers},
		.opts = *opts,
	};
	a->opts.nr_rules = trigger_counts__ended(&a->counts) + 1;
	return snapshot_limits__new(&a->opts, &a->counts.limits);
}

void snapshot_admission__open(struct snapshot_admission *a, struct snapshot_dir *dir,
			      struct snapshot_store *store, const struct snapshot_index *index)
{
	a->dir = dir;
	a->disk = (struct snapshot_disk){store, index, a->counts.limits, &a->opts};
	snapshot_disk__init(&a->disk);
}

void snapshot_admission__release(struct snapshot_admission *a)
{
	snapshot_limits__free(a->counts.limits);
	snapshot_disk__release(&a->disk);
	*a = (struct snapshot_admission){0};
}

enum snapshot_verdict snapshot_admission__ask(struct snapshot_admission *a, uint32_t rule, uint64_t time,
					      bool *yields)
{
	const struct snapshot_room room = snapshot_disk__seen(&a->disk);
	enum snapshot_verdict verdict = snapshot_limits__ask(a->counts.limits, rule, time, &room);

	*yields = verdict == SNAPSHOT_TAKE && trigger_counts__yields(&a->counts, rule);
	return verdict;
}

void snapshot_admission__took(struct snapshot_admission *a, uint32_t rule, uint64_t time)
{
	snapshot_limits__took(a->counts.limits, rule, time);
	__atomic_add_fetch(&a->nr_taken, 1, __ATOMIC_RELAXED);
}

void snapshot_admission__miss(struct snapshot_admission *a, uint32_t rule)
{
	trigger_counts__miss(&a->counts, rule);
}

void snapshot_admission__settle(struct snapshot_admission *a, uint32_t rule, enum snapshot_verdict verdict)
{
	/* There may be room by now. */
	if (verdict == SNAPSHOT_DISK || verdict == SNAPSHOT_BYTES)
		snapshot_disk__look(&a->disk);
	trigger_counts__quiet(&a->counts, rule, clock__ns(CLOCK_MONOTONIC), verdict);
}

void snapshot_admission__spare(struct snapshot_admission *a, uint32_t rule, int by, unsigned int nr_free)
{
	trigger_counts__spare(&a->counts, rule, by, nr_free);
}

bool snapshot_admission__is_full(struct snapshot_admission *a)
{
	return snapshot_disk__is_full(&a->disk);
}

void snapshot_admission__look(struct snapshot_admission *a)
{
	snapshot_disk__look(&a->disk);
}

bool snapshot_admission__is_complete(const struct snapshot_admission *a)
{
	const uint64_t max = a->opts.max_count;

	return max && __atomic_load_n(&a->nr_taken, __ATOMIC_RELAXED) >= max;
}

int snapshot_admission__make_room(struct snapshot_admission *a, uint64_t payload)
{
	int moved = snapshot_dir__look(a->dir);

	if (moved > 0)
		moved = snapshot_store__look(a->disk.store);
	if (moved < 0)
		return moved;
	a->writing = payload;
	return (int)snapshot_disk__make_room(&a->disk, payload);
}

bool snapshot_admission__extend(struct snapshot_admission *a, uint64_t payload)
{
	if (!snapshot_disk__extend(&a->disk, payload))
		return false;
	a->writing = payload;
	return true;
}

void snapshot_admission__wrote(struct snapshot_admission *a, const char *name)
{
	snapshot_store__add(a->disk.store, name, a->writing);
	snapshot_disk__trim(&a->disk);
	snapshot_disk__look(&a->disk);
}

void snapshot_admission__unkept(struct snapshot_admission *a, uint32_t rule, int err)
{
	snapshot_disk__look(&a->disk);
	trigger_counts__unkept(&a->counts, rule, err > 0 ? (enum snapshot_verdict)err : SNAPSHOT_TAKE);
}
