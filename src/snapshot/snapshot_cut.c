// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/snapshot_cut.h"

#include <errno.h>

/* Where the last snapshot of a CPU ended. */
struct cpu_end {
	struct aux_resume state;
	uint64_t offset; /* position in all that the CPU has traced */
	uint64_t time;	 /* of the trace's clock */
};

struct snapshot_cut {
	const struct trace_pmu_ops *ops;
	bool timed;
	uint64_t lookback;
	struct cpu_end *ends;
};

int snapshot_cut__new(const struct trace_pmu_ops *ops, size_t nr, bool timed, uint64_t lookback,
		      struct snapshot_cut **ret)
{
	_cleanup_(cleanup__snapshot_cut) struct snapshot_cut *cut = calloc(1, sizeof(*cut));

	if (!cut)
		return -ENOMEM;
	cut->ops = ops;
	cut->timed = timed;
	cut->lookback = lookback;
	cut->ends = calloc(nr, sizeof(*cut->ends));
	if (!cut->ends)
		return -ENOMEM;
	*ret = steal_ptr(cut);
	return 0;
}

void snapshot_cut__free(struct snapshot_cut *cut)
{
	if (!cut)
		return;
	free(cut->ends);
	free(cut);
}

int snapshot_cut__untimed_cpu(const struct trace_pmu *pmu, const struct cpu_trace *cpus, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!trace_pmu__has_kernel_clock(pmu, cpus[i].cpu))
			return cpus[i].cpu;
	return -1;
}

/* Puts in front of the data what was known at the end of the snapshot before, unless there is a gap. */
static int lead_in(const struct snapshot_cut *cut, struct cpu_end *end, struct snapshot_cpu *cpu,
		   struct buf *lead)
{
	const struct cpu_end before = *end;
	const uint64_t behind = aux_piece__end(&cpu->aux);
	struct span data = cpu->aux.data[0];
	int err;

	if (cpu->aux.offset != before.offset)
		end->state.known = false;
	cut->ops->follow(&end->state, data);
	if (!before.state.known || cpu->aux.offset != before.offset)
		return 0;
	err = cut->ops->lead_in(&before.state, before.time, &data, lead);
	cpu->aux.data[0] = buf__span(lead);
	cpu->aux.data[1] = data;
	cpu->aux.offset = behind - aux_piece__len(&cpu->aux);
	return err;
}

/* Converts ns to ticks of the trace's clock, which runs evenly. */
static uint64_t to_ticks(const struct tsc_conv *conv, uint64_t ns)
{
	return conv->mult ? (uint64_t)(((unsigned __int128)ns << conv->shift) / conv->mult) : 0;
}

static void drop_old(const struct snapshot_cut *cut, struct snapshot_cpu *cpu, const struct snapshot_job *job)
{
	const struct tsc_conv *clock = &job->snapshot.tsc;
	uint64_t time = tsc_conv__to_time(clock, cpu->aux.reference);

	/*
	 * The lookback counts back from the freeze, and on a busy machine the reading may come long after it.
	 */
	if (cut->lookback)
		aux_new__cut(&cpu->aux, cut->ops->next_sync,
			     cpu->aux.reference - to_ticks(clock, cut->lookback + cpu->late));
	if (job->since && time)
		aux_new__cut_all(&cpu->aux, cut->ops->next_sync,
				 cpu->aux.reference - to_ticks(clock, time - job->since));
}

static void note_time(const struct snapshot_cut *cut, const struct snapshot_cpu *cpu,
		      const struct tsc_conv *clock, struct snapshot_gap *gap)
{
	struct aux_sync first;
	size_t at = 0;

	if (cut->ops->next_sync(cpu->aux.data, &at, &first) && first.has_time)
		gap->covered =
			tsc_conv__to_time(clock, cpu->aux.reference) - tsc_conv__to_time(clock, first.time);
}

static int apply(struct snapshot_cut *cut, struct snapshot_job *job, size_t i)
{
	struct snapshot_cpu *cpu = &job->snapshot.cpus[i];
	const uint64_t begin = cpu->aux.offset, end = aux_piece__end(&cpu->aux);
	struct snapshot_gap *gap = &job->gaps[i];
	int err = 0;

	gap->begin = gap->end = end;
	if (!aux_piece__len(&cpu->aux))
		return 0;
	if (cut->ops->lead_in)
		err = lead_in(cut, &cut->ends[i], cpu, &job->lead_ins[i]);
	cut->ends[i].offset = end;
	cut->ends[i].time = cpu->aux.reference;
	if (cut->timed) {
		drop_old(cut, cpu, job);
		note_time(cut, cpu, &job->snapshot.tsc, gap);
	}
	gap->begin = cpu->aux.offset;
	/* If the lead-in was not cut off, it stands for bytes that are no longer there. */
	if (cpu->aux.data[0].len && cpu->aux.data[0].data == job->lead_ins[i].data)
		gap->begin = begin;
	return err;
}

int snapshot_cut__apply(struct snapshot_cut *cut, struct snapshot_job *job)
{
	int err = 0;

	job->untimed = !cut->timed;
	for (size_t i = 0; !err && i < job->snapshot.nr; i++)
		err = apply(cut, job, i);
	return err;
}
