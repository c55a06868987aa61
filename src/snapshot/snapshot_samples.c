// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/snapshot_samples.h"
#include "trace/perf_event.h"

#include "base/own_processes.h"
#include "gate/gate_moves.h"
#include "perfdata/backward.h"

/*
 * Limits the samples of one CPU: those of tracepoints are taken only if its gate was open. Of the others
 * those of this process and its helpers are left out, as nobody asks for its own start and its files. Their
 * tracepoints stay, as without a switch other tasks would look as if they ran.
 *
 * Only a BPF program at each sample could keep those of this process out of the rings. But an event with a
 * program loses samples of all tasks (bpf/samples.bpf.h), so without windows there is none. The room is worth
 * less: with cpu-clock on 2 CPUs 0 to 0.5 % of the samples of 2 s were of this process, and 0 to 2.8 % with ten
 * snapshots a second. Right after the start they were up to 24 %, when the rings are not full yet.
 */
struct limited {
	const struct sample_set *set;
	const uint64_t *ids;		/* of its events */
	const struct gate_moves *moves; /* NULL: there is no gate to ask */
	const struct own_process *own;	/* its times are of the events' clock */
	size_t nr_own;
};

static bool is_own(const struct limited *l, uint32_t pid, uint64_t time)
{
	for (size_t i = 0; i < l->nr_own; i++)
		if (l->own[i].pid == pid && l->own[i].begin <= time && time <= l->own[i].end)
			return true;
	return false;
}

static bool takes(const void *ctx, uint32_t pid, uint64_t id, uint64_t time)
{
	const struct limited *l = ctx;

	for (size_t i = 0; i < l->set->nr; i++)
		if (l->ids[i] == id && sample_event__is_shared(&l->set->events[i]))
			return !l->moves || gate_moves__was_open(l->moves, time);
	return !is_own(l, pid, time);
}

/* Samples may go back farther than the trace. */
static void note_time(struct snapshot_gap *gap, uint64_t first)
{
	if (first && first < gap->read && gap->read - first > gap->covered)
		gap->covered = gap->read - first;
}

/* Converts a time: beside a trace the samples have another clock. */
static uint64_t convert(const struct snapshot_job *job, uint64_t time)
{
	return clock_pair__between(&job->clocks[0], &job->clocks[1], time);
}

/* Converts the times of moves, each of which is kept as a time and a bit. */
static void convert_moves(const struct snapshot_job *job, uint64_t *moves)
{
	for (size_t i = 0; i < AUXBPF_GATE_MOVES; i++)
		if (moves[i])
			moves[i] = convert(job, moves[i] >> 1) << 1 | (moves[i] & 1);
}

static size_t list_own(const struct snapshot_job *job, struct own_process own[OWN_PROCESSES_MAX + 1])
{
	size_t nr = own_processes__list(own);

	for (size_t i = 0; i < nr; i++) {
		if (own[i].begin)
			own[i].begin = convert(job, own[i].begin);
		if (own[i].end != UINT64_MAX)
			own[i].end = convert(job, own[i].end);
	}
	return nr;
}

static int sort(struct snapshot_cpu *cpu, struct snapshot_gap *gap, uint64_t since,
		const struct backward_filter *filter, bool with_aux, struct buf *to)
{
	struct backward_stats stats;

	backward__reverse(cpu->samples, PERF_EVENT_SAMPLE_TYPE, since, filter, to, &stats);
	if (buf__error(to))
		return buf__error(to);
	cpu->samples = buf__span(to);
	gap->nr_samples = stats.nr_samples;
	gap->lost = stats.lost;
	note_time(gap, stats.first);
	/* If a trace is copied too, these two are the trace's. */
	if (cpu->ids.aux && !with_aux)
		return 0;
	gap->end = cpu->sampled;
	gap->begin = cpu->sampled - stats.seen;
	return 0;
}

/* Returns from when on samples are wanted and the gate's moves are known. */
static uint64_t oldest(uint64_t read, uint64_t lookback, const struct gate_moves *moves)
{
	uint64_t since = lookback && lookback < read ? read - lookback : 0;
	uint64_t known = moves ? gate_moves__since(moves) : 0;

	return since > known ? since : known;
}

int snapshot_samples__sort(struct snapshot_job *job, const struct sample_set *set, uint64_t lookback)
{
	struct own_process own[OWN_PROCESSES_MAX + 1];
	const size_t nr_own = list_own(job, own);
	int err = 0;

	for (size_t i = 0; !err && i < job->snapshot.nr; i++) {
		struct snapshot_cpu *cpu = &job->snapshot.cpus[i];
		struct limited limited = {.set = set, .ids = cpu->ids.samples, .own = own, .nr_own = nr_own};
		const struct backward_filter filter = {takes, &limited};
		uint64_t *moves = job->moves ? job->moves + i * AUXBPF_GATE_MOVES : NULL;
		struct gate_moves sorted;
		uint64_t back;

		if (moves) {
			convert_moves(job, moves);
			gate_moves__sort(moves, AUXBPF_GATE_MOVES, &sorted);
			limited.moves = &sorted;
		}
		/* The lookback counts from the freeze, which was so long before the reading. */
		back = lookback ? lookback + cpu->late : 0;
		err = sort(cpu, &job->gaps[i], oldest(job->gaps[i].read, back, limited.moves), &filter,
			   set->with_aux, &job->samples[i]);
	}
	return err;
}
