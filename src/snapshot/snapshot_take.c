// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/snapshot_take.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpu_parts.h"
#include "base/log.h"
#include "base/part_threads.h"
#include "gate/gate_kept.h"
#include "trace/aux_copy.h"

struct snapshot_take {
	struct cpu_trace *cpus;
	size_t nr;
	struct gate *gate;
	bool together;
	struct aux_copy *copies; /* one a CPU */
	struct part_threads *threads;
	struct snapshot_job *job; /* the job that is being filled */
	size_t first;		  /* index of the CPU where the trigger fired */
	uint64_t until;		  /* samples are taken up to this, in perf's time */
	struct clock_pair began;
};

int snapshot_take__new(struct cpu_trace *cpus, size_t nr_cpus, struct gate *gate, bool together,
		       struct snapshot_take **ret)
{
	_cleanup_(cleanup__snapshot_take) struct snapshot_take *take = calloc(1, sizeof(*take));
	int err;

	if (!take)
		return -ENOMEM;
	take->cpus = cpus;
	take->nr = nr_cpus;
	take->gate = gate;
	take->together = together;
	cpu_trace__clocks(&cpus[0], &take->began);
	take->copies = calloc(nr_cpus, sizeof(*take->copies));
	if (!take->copies)
		return -ENOMEM;
	err = part_threads__new(cpu_parts__count(nr_cpus), &take->threads);
	if (err) {
		log_err("cannot start the threads that copy the trace: %s", strerror(-err));
		return err;
	}
	if (part_threads__raise(take->threads, THREAD_TAKES))
		log_debug("no real-time priority for the threads that copy the trace");
	*ret = steal_ptr(take);
	return 0;
}

void snapshot_take__free(struct snapshot_take *take)
{
	if (!take)
		return;
	part_threads__free(take->threads);
	free(take->copies);
	free(take);
}

static bool is_frozen(const struct snapshot_take *take, size_t i, uint32_t ticket)
{
	return gate__cpu(take->gate, take->cpus[i].cpu)->frozen == ticket;
}

void snapshot_take__freeze_all(struct snapshot_take *take, uint32_t ticket)
{
	for (size_t i = 0; i < take->nr; i++)
		if (!gate__freeze(take->gate, take->cpus[i].cpu, ticket))
			log_debug("CPU %d is frozen for another snapshot", take->cpus[i].cpu);
}

void snapshot_take__thaw(struct snapshot_take *take, uint32_t ticket)
{
	for (size_t i = 0; i < take->nr; i++)
		if (is_frozen(take, i, ticket) && gate__thaw(take->gate, take->cpus[i].cpu))
			log_debug("the gate of CPU %d moves at its next switch", take->cpus[i].cpu);
}

static bool takes_part(const struct snapshot_take *take, size_t i, uint32_t ticket)
{
	return take->together || is_frozen(take, i, ticket);
}

static void stop(struct snapshot_take *take, size_t i)
{
	int cpu = take->cpus[i].cpu;

	if (gate__close(take->gate, cpu))
		log_debug("the gate of CPU %d was not closed before its event was stopped", cpu);
	gate__hold(take->gate, cpu);
	cpu_trace__stop(&take->cpus[i]);
}

/* Starts the event again and lets the gate move, unless it is frozen for the next snapshot by now. */
static void start(struct snapshot_take *take, size_t i, uint32_t ticket)
{
	struct cpu_trace *t = &take->cpus[i];
	int err = cpu_trace__start(t);

	gate__let_go(take->gate, t->cpu);
	if (err || (is_frozen(take, i, ticket) && gate__thaw(take->gate, t->cpu)))
		log_warn("CPU %d is without trace from now on", t->cpu);
}

/*
 * Copies what must be copied while the CPU is stopped: samples up to @until, and the first part of the trace.
 */
static void begin(struct snapshot_take *take, size_t i, uint64_t until, struct snapshot_cpu *cpu, uint8_t *to)
{
	struct cpu_trace *t = &take->cpus[i];

	if (t->samples.nr) {
		cpu->samples = sample_ring__take(&t->samples, until, to + t->copies_aux * t->ring.aux_size);
		cpu->sampled = t->samples.taken;
	}
	cpu->aux.reference = tsc__read();
	cpu->late = clock__ns(CLOCK_MONOTONIC) - take->job->fired.frozen;
	if (!t->copies_aux)
		return;
	aux_new__find(&t->position, t->ring.aux, ring__aux_head(&t->ring), &cpu->aux);
	aux_position__note(&t->position, t->ring.aux, &cpu->aux);
	aux_copy__begin(&take->copies[i], &t->position, t->ring.aux, &cpu->aux, to);
}

/* Finds the CPU where the trigger fired. It comes first, as it has been without trace for longest. */
static size_t first_cpu(const struct snapshot_take *take, const struct auxbpf_fired *f)
{
	size_t first = 0;

	while (first < take->nr - 1 && take->cpus[first].cpu != (int)f->cpu)
		first++;
	return first;
}

/* Divides the CPUs into @nr parts. */
static struct cpu_parts parts_of(const struct snapshot_take *take, unsigned int nr)
{
	return (struct cpu_parts){.nr_cpus = take->nr, .nr = nr, .first = take->first};
}

/* Copies the rest while the CPU is stopped again: its trace may have reached what is not copied yet. */
static void finish(struct snapshot_take *take, size_t i, struct snapshot_job *job)
{
	uint32_t ticket = job->fired.ticket;
	uint64_t since = clock__ns(CLOCK_MONOTONIC);

	if (!gate__freeze(take->gate, take->cpus[i].cpu, ticket))
		log_debug("CPU %d is frozen for the next snapshot", take->cpus[i].cpu);
	stop(take, i);
	aux_copy__finish(&take->copies[i], ring__aux_head(&take->cpus[i].ring));
	start(take, i, ticket);
	job->gaps[i].blind += clock__ns(CLOCK_MONOTONIC) - since;
	job->gaps[i].overwritten = take->copies[i].lost;
}

static void stop_part(void *ctx, unsigned int part, unsigned int nr)
{
	struct snapshot_take *take = ctx;
	const struct cpu_parts parts = parts_of(take, nr);
	size_t i;

	for (size_t n = 0; (i = cpu_parts__cpu(&parts, part, n)) < take->nr; n++) {
		take->copies[i] = (struct aux_copy){0};
		if (takes_part(take, i, take->job->fired.ticket))
			stop(take, i);
	}
}

/* A CPU is without trace from the trigger until its turn here is over. */
static void begin_part(struct snapshot_take *take, unsigned int part, unsigned int nr)
{
	const struct auxbpf_fired *f = &take->job->fired;
	const struct cpu_parts parts = parts_of(take, nr);
	size_t i;

	for (size_t n = 0; (i = cpu_parts__cpu(&parts, part, n)) < take->nr; n++) {
		if (!takes_part(take, i, f->ticket))
			continue;
		begin(take, i, take->until, &take->job->snapshot.cpus[i],
		      take->job->mem + i * cpu_trace__size(&take->cpus[i]));
		start(take, i, f->ticket);
		take->job->gaps[i].blind = clock__ns(CLOCK_MONOTONIC) - f->frozen;
	}
}

/* Copies one piece of each CPU's trace. Returns true if there is more. */
static bool go_on(struct snapshot_take *take, unsigned int part, unsigned int nr)
{
	const struct cpu_parts parts = parts_of(take, nr);
	bool more = false;
	size_t i;

	for (size_t n = 0; (i = cpu_parts__cpu(&parts, part, n)) < take->nr; n++) {
		struct aux_copy *copy = &take->copies[i];

		if (!aux_copy__is_done(copy) && !aux_copy__step(copy))
			finish(take, i, take->job);
		more |= !aux_copy__is_done(copy);
	}
	return more;
}

static void copy_part(void *ctx, unsigned int part, unsigned int nr)
{
	struct snapshot_take *take = ctx;

	begin_part(take, part, nr);
	while (go_on(take, part, nr))
		;
}

static size_t nr_frozen(const struct snapshot_take *take, uint32_t ticket)
{
	size_t nr = 0;

	for (size_t i = 0; i < take->nr; i++)
		nr += is_frozen(take, i, ticket);
	return nr;
}

/* This thread alone copies a few CPUs: waking the others takes longer. */
void snapshot_take__copy(struct snapshot_take *take, struct snapshot_job *job)
{
	take->job = job;
	take->first = first_cpu(take, &job->fired);
	job->clocks[0] = take->began;
	cpu_trace__clocks(&take->cpus[0], &job->clocks[1]);
	take->until = clock_pair__to_perf(&job->clocks[1], job->fired.frozen);
	if (nr_frozen(take, job->fired.ticket) <= CPUS_A_PART) {
		stop_part(take, 0, 1);
		copy_part(take, 0, 1);
	} else {
		part_threads__run(take->threads, stop_part, take);
		part_threads__run(take->threads, copy_part, take);
	}
	for (size_t i = 0; i < take->nr; i++) {
		struct snapshot_cpu *cpu = &job->snapshot.cpus[i];

		if (job->moves)
			gate_kept__copy_moves(gate__kept(take->gate), cpu->aux.cpu,
					      job->moves + i * AUXBPF_GATE_MOVES);
		if (take->copies[i].pos)
			cpu->aux = aux_copy__piece(&take->copies[i]);
	}
}
