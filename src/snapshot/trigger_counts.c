// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/trigger_counts.h"

#include "base/log.h"

/* A full directory or disk is looked at again after so many ns. */
#define FULL_TIME 1000000000ull

uint32_t trigger_counts__asked(const struct trigger_counts *rc)
{
	return (uint32_t)rc->rules->nr;
}

uint32_t trigger_counts__ended(const struct trigger_counts *rc)
{
	return trigger_counts__asked(rc) + 1;
}

const struct trigger *trigger_counts__trigger(const struct trigger_counts *rc, uint32_t rule)
{
	static char texts[][8] = {"SIGUSR2", "end"};
	static const struct trigger asked = {.kind = AUXBPF_TRIGGER_USER, .text = texts[0]};
	static const struct trigger ended = {.kind = AUXBPF_TRIGGER_USER, .text = texts[1]};

	if (rule < rc->rules->nr)
		return &rc->rules->all[rule];
	return rule == trigger_counts__asked(rc) ? &asked : &ended;
}

struct auxbpf_trigger_state *trigger_counts__state(struct trigger_counts *rc, uint32_t rule)
{
	if (rule < rc->rules->nr)
		return gate_triggers__state(rc->triggers, rule);
	return rule == trigger_counts__asked(rc) ? &rc->asked : &rc->ended;
}

void trigger_counts__miss(struct trigger_counts *rc, uint32_t rule)
{
	__atomic_add_fetch(&trigger_counts__state(rc, rule)->missed, 1, __ATOMIC_RELAXED);
}

uint64_t trigger_counts__delayed(struct trigger_counts *rc)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < trigger_counts__asked(rc); i++)
		sum += __atomic_load_n(&trigger_counts__state(rc, i)->delayed, __ATOMIC_ACQUIRE);
	return sum;
}

void trigger_counts__miss_delayed(struct trigger_counts *rc)
{
	for (uint32_t i = 0; i < trigger_counts__asked(rc); i++) {
		struct auxbpf_trigger_state *state = trigger_counts__state(rc, i);

		__atomic_add_fetch(&state->missed, __atomic_load_n(&state->delayed, __ATOMIC_RELAXED),
				   __ATOMIC_RELAXED);
	}
}

uint64_t trigger_counts__seen(struct trigger_counts *rc)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i <= trigger_counts__ended(rc); i++)
		sum += __atomic_load_n(&trigger_counts__state(rc, i)->seen, __ATOMIC_RELAXED);
	return sum;
}

uint64_t trigger_counts__missed(struct trigger_counts *rc)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i <= trigger_counts__ended(rc); i++)
		sum += __atomic_load_n(&trigger_counts__state(rc, i)->missed, __ATOMIC_RELAXED);
	return sum;
}

/* Counts what the BPF programs have left out since the last look, for the reason that was valid then. */
static void count_quiet(struct trigger_counts *rc, uint32_t rule)
{
	uint64_t quiet = __atomic_load_n(&trigger_counts__state(rc, rule)->quiet, __ATOMIC_RELAXED);

	if (quiet == rc->counts[rule].quiet)
		return;
	snapshot_limits__add(rc->limits, rule, rc->counts[rule].why, quiet - rc->counts[rule].quiet);
	rc->counts[rule].quiet = quiet;
}

void trigger_counts__quiet(struct trigger_counts *rc, uint32_t rule, uint64_t now,
			   enum snapshot_verdict verdict)
{
	enum snapshot_verdict why;
	uint64_t until = snapshot_limits__quiet_until(rc->limits, rule, now, &why);

	if ((verdict == SNAPSHOT_BYTES || verdict == SNAPSHOT_DISK) && until < now + FULL_TIME) {
		until = now + FULL_TIME;
		why = verdict;
	}
	count_quiet(rc, rule);
	if (until == now)
		return;
	rc->counts[rule].why = why;
	__atomic_store_n(&trigger_counts__state(rc, rule)->quiet_until, until, __ATOMIC_RELAXED);
}

void trigger_counts__spare(struct trigger_counts *rc, uint32_t rule, int by, unsigned int nr_free)
{
	rc->counts[rule].spares += (uint64_t)by;
	for (uint32_t i = 0; i < trigger_counts__asked(rc); i++)
		__atomic_store_n(&trigger_counts__state(rc, i)->yields,
				 rc->rules->nr > 1 && nr_free == 1 && rc->counts[i].spares, __ATOMIC_RELAXED);
}

bool trigger_counts__yields(struct trigger_counts *rc, uint32_t rule)
{
	return __atomic_load_n(&trigger_counts__state(rc, rule)->yields, __ATOMIC_RELAXED);
}

void trigger_counts__unkept(struct trigger_counts *rc, uint32_t rule, enum snapshot_verdict why)
{
	__atomic_add_fetch(&rc->counts[rule].unkept[why], 1, __ATOMIC_RELAXED);
}

/* Returns how many snapshots of the rule are files. */
static uint64_t kept(const struct trigger_counts *rc, uint32_t rule)
{
	uint64_t nr = snapshot_limits__count(rc->limits, rule, SNAPSHOT_TAKE);

	for (int v = 0; v < SNAPSHOT_VERDICTS; v++)
		nr -= rc->counts[rule].unkept[v];
	return nr;
}

/* "; left out: 3 (too many a second)" */
static void describe_skipped(const struct trigger_counts *rc, uint32_t rule, char *text, size_t size)
{
	size_t len = 0;

	*text = '\0';
	for (int v = SNAPSHOT_TAKE + 1; v < SNAPSHOT_VERDICTS && len < size; v++) {
		uint64_t nr = snapshot_limits__count(rc->limits, rule, (enum snapshot_verdict)v) +
			      rc->counts[rule].unkept[v];

		if (nr)
			len += (size_t)snprintf(text + len, size - len, "%s%llu (%s)",
						len ? ", " : "; left out: ", (unsigned long long)nr,
						snapshot_limits__reason((enum snapshot_verdict)v));
	}
}

void trigger_counts__log(struct trigger_counts *rc)
{
	char skipped[320];

	for (uint32_t i = 0; i <= trigger_counts__ended(rc); i++) {
		const struct auxbpf_trigger_state *state = trigger_counts__state(rc, i);
		unsigned long long lost = rc->counts[i].unkept[SNAPSHOT_TAKE], nr;

		count_quiet(rc, i);
		if (i >= trigger_counts__asked(rc) && !state->seen)
			continue;
		describe_skipped(rc, i, skipped, sizeof(skipped));
		nr = kept(rc, i);
		log_info("%s: seen %llu time%s, %llu snapshot%s, missed %llu%s",
			 trigger_counts__trigger(rc, i)->text, (unsigned long long)state->seen,
			 log__plural(state->seen), nr, log__plural(nr), (unsigned long long)state->missed,
			 skipped);
		if (lost)
			log_warn("%s: %llu snapshot%s could not be written",
				 trigger_counts__trigger(rc, i)->text, lost, log__plural(lost));
	}
}
