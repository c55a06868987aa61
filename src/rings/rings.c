// SPDX-License-Identifier: GPL-2.0-only
#include "rings/rings.h"
#include "trace/perf_event.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/thread.h"
#include "perfdata/aux_account.h"
#include "rings/gate_moved.h"
#include "rings/gate_rest.h"
#include "rings/look_thread.h"
#include "rings/memory_room.h"
#include "summary/losses.h"

/*
 * After a loss the tasks and BPF programs are read anew at most this often, in ns: reading takes a while, in
 * which as much may be lost again.
 */
#define CATCH_UP_TIME 1000000000ull

/*
 * The least bytes of sideband to keep of a CPU if there are samples: the samples take little room beside the
 * records of many tasks that begin and map, and one may be of a task that has ended.
 */
#define SAMPLE_SIDEBAND (4u << 20)

struct cpu_ring {
	struct rings *rings;
	struct cpu_trace *cpu;
	struct aux_account account;
};

struct rings {
	pthread_mutex_t lock; /* for the fields below, and the CPUs' sideband */
	struct rings_parts parts;
	struct gate_rest *rest;
	struct gate_moved *moved; /* NULL: the gate keeps no moves */
	struct snapshot_sideband *sideband;
	struct look_thread *looks;
	bool is_behind; /* records were lost, or a ring was full: the record of a loss comes only later */
	struct cpu_ring all[];
};

/* Keeps the records that a decoder may ask for. */
static int add(struct rings *rings, size_t i, struct span records)
{
	bool idle = i >= rings->parts.traces->nr || gate_rest__look(rings->rest, i);
	_cleanup_buf_ struct buf left = {0};
	int err;

	if (rings->moved && i < rings->parts.traces->nr && (idle || !records.len))
		gate_moved__skip(rings->moved, i);
	if (!rings->moved || idle || !records.len)
		return snapshot_sideband__add(rings->sideband, (unsigned int)i, records, idle);
	err = gate_moved__filter(rings->moved, i, records, &left);
	return err ? err : snapshot_sideband__add(rings->sideband, (unsigned int)i, buf__span(&left), false);
}

static int keep(struct rings *rings, size_t i, struct span records)
{
	int err = add(rings, i, records);

	capture_file__forget(rings->parts.file, snapshot_sideband__forgotten(rings->sideband));
	return err;
}

static int drain_one(struct cpu_ring *ring)
{
	struct rings *rings = ring->rings;
	struct buf *sideband = &ring->cpu->sideband;
	const uint64_t lost = ring->account.lost;
	const bool full = ring__is_full(&ring->cpu->ring);
	int err = cpu_trace__drain(ring->cpu);
	const struct span records = buf__span(sideband);

	if (!err)
		err = capture_file__follow(rings->parts.file, records);
	aux_account__add(&ring->account, records, PERF_EVENT_SAMPLE_TYPE);
	rings->is_behind |= full || ring->account.lost != lost;
	if (!err)
		err = keep(rings, (size_t)(ring - rings->all), records);
	buf__release(sideband);
	return err;
}

/* Reads the time of the events' clock. */
static int time_now(const struct rings *rings, uint64_t *time)
{
	const struct cpu_trace *cpu = rings->all[0].cpu;
	struct clock_pair now;
	struct tsc_conv conv;
	int err = cpu_trace__clock(cpu, &conv);

	if (err)
		return err;
	if (cpu->aux_fd >= 0 && !conv.cap_zero)
		return -EOPNOTSUPP;
	cpu_trace__clocks(cpu, &now);
	*time = now.perf;
	return 0;
}

/* Drains all rings first: one with few records may have older ones than the ring that has too many. */
static int limit(struct rings *rings)
{
	uint64_t until;
	int err;

	if (time_now(rings, &until))
		until = UINT64_MAX;
	for (size_t i = 0; i < rings->parts.traces->nr_all; i++) {
		err = drain_one(&rings->all[i]);
		if (err)
			return err;
	}
	return snapshot_sideband__limit(rings->sideband, until);
}

static int drain(void *ctx)
{
	struct cpu_ring *ring = ctx;
	struct rings *rings = ring->rings;
	int err;

	pthread_mutex_lock(&rings->lock);
	err = drain_one(ring);
	if (!err && snapshot_sideband__is_full(rings->sideband))
		err = limit(rings);
	pthread_mutex_unlock(&rings->lock);
	return err;
}

int rings__drain(void *ctx)
{
	struct rings *rings = ctx;
	int err = 0;

	for (size_t i = 0; !err && i < rings->parts.traces->nr_all; i++)
		err = drain(&rings->all[i]);
	return err;
}

static int read_living(struct rings *rings, struct task_table **living)
{
	_cleanup_buf_ struct buf tasks = {0};
	int err = capture_file__read_tasks(rings->parts.file, &tasks);

	if (!err)
		err = task_table__new(SIZE_MAX, living);
	return err ? err : task_table__apply(*living, buf__span(&tasks));
}

/*
 * Reads anew which tasks and BPF programs there are: the lost records may have told of some that came, went
 * or mapped something.
 */
static int look_anew(struct rings *rings)
{
	_cleanup_(cleanup__task_table) struct task_table *living = NULL;
	_cleanup_buf_ struct buf programs = {0};
	uint64_t time;
	int err = time_now(rings, &time);

	if (err)
		return err;
	snapshot_sideband__begin_refresh(rings->sideband, time);
	err = read_living(rings, &living);
	if (!err)
		err = capture_file__read_programs(rings->parts.file, &programs);
	if (!err)
		err = rings__drain(rings);
	if (!err)
		return snapshot_sideband__refresh(rings->sideband, living, buf__span(&programs));
	snapshot_sideband__give_up_refresh(rings->sideband);
	return err;
}

static bool is_behind(struct rings *rings)
{
	bool behind;

	pthread_mutex_lock(&rings->lock);
	behind = rings->is_behind;
	pthread_mutex_unlock(&rings->lock);
	return behind;
}

/* Returns the flag and clears it before the look, as it may be set again meanwhile. */
static bool was_behind(struct rings *rings)
{
	bool behind;

	pthread_mutex_lock(&rings->lock);
	behind = rings->is_behind;
	rings->is_behind = false;
	pthread_mutex_unlock(&rings->lock);
	return behind;
}

/* Runs in the look thread. */
static void look_and_tell(void *ctx)
{
	struct rings *rings = ctx;
	int err;

	if (!was_behind(rings))
		return;
	log_debug("a ring was full: looking which tasks and BPF programs there are");
	err = look_anew(rings);
	if (err)
		log_warn("a ring was full, and which tasks and BPF programs there are cannot be read: %s",
			 strerror(-err));
	else
		log_debug("which tasks and BPF programs there are is known again");
}

static int catch_up(void *ctx)
{
	struct rings *rings = ctx;

	if (is_behind(rings))
		look_thread__ask(rings->looks);
	return 0;
}

/* Returns how many bytes of sideband to keep of a CPU: as many as its trace may have, if there is room. */
static size_t sideband_max(const struct rings_parts *parts)
{
	const struct capture_opts *opts = parts->capture;
	const struct cpu_traces *traces = parts->traces;
	const size_t size = cpu_trace__size(&traces->cpus[0]);
	const uint64_t spares = parts->spares * traces->nr * (uint64_t)size;

	return memory_room__sideband(opts->root, traces->nr_all, spares + memory_room__windows(opts),
				     opts->samples && size < SAMPLE_SIDEBAND ? SAMPLE_SIDEBAND : size);
}

static int prepare_sideband(struct rings *rings)
{
	const struct rings_parts *parts = &rings->parts;
	const struct cpu_traces *traces = parts->traces;
	int err = gate_rest__new(parts->gate, traces->cpus, traces->nr, &rings->rest);

	if (!err && capture_opts__asks_for_moves(parts->capture))
		err = gate_moved__new(parts->gate, traces->cpus, traces->nr, &rings->moved);
	if (err)
		return err;
	err = snapshot_sideband__new((unsigned int)traces->nr_all, sideband_max(parts),
				     memory_room__maps(parts->capture->root),
				     capture_file__tasks(parts->file), &rings->sideband);
	if (!err)
		capture_file__drop_tasks(parts->file);
	return err;
}

int rings__new(const struct rings_parts *parts, struct waiter *waiter, struct rings **ret)
{
	_cleanup_(cleanup__rings) struct rings *rings =
		calloc(1, sizeof(*rings) + parts->traces->nr_all * sizeof(rings->all[0]));
	int err;

	if (!rings)
		return -ENOMEM;
	thread__init_lock(&rings->lock);
	rings->parts = *parts;
	err = prepare_sideband(rings);
	for (size_t i = 0; !err && i < parts->traces->nr_all; i++) {
		rings->all[i] = (struct cpu_ring){.rings = rings, .cpu = &parts->traces->cpus[i]};
		err = waiter__add(waiter, cpu_trace__fd(&parts->traces->cpus[i]), drain, &rings->all[i]);
	}
	if (!err)
		err = look_thread__new(look_and_tell, rings, &rings->looks);
	if (!err)
		err = waiter__every(waiter, CATCH_UP_TIME, catch_up, rings);
	if (err)
		log_err("cannot watch the rings: %s", strerror(-err));
	else
		*ret = steal_ptr(rings);
	return err;
}

struct snapshot_sideband *rings__sideband(const struct rings *rings)
{
	return rings->sideband;
}

void rings__log_losses(const struct rings *rings)
{
	for (size_t i = 0; i < rings->parts.traces->nr_all; i++) {
		const struct cpu_ring *ring = &rings->all[i];

		losses__log_records(ring->cpu->cpu, ring->account.lost);
		losses__log_stops(ring->cpu->cpu, ring->account.truncated);
	}
}

void rings__free(struct rings *rings)
{
	if (!rings)
		return;
	look_thread__free(rings->looks);
	snapshot_sideband__free(rings->sideband);
	gate_moved__free(rings->moved);
	gate_rest__free(rings->rest);
	pthread_mutex_destroy(&rings->lock);
	free(rings);
}
