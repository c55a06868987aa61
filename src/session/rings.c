// SPDX-License-Identifier: GPL-2.0-only
#include "session/rings.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/thread.h"
#include "pure/aux_account.h"
#include "session/losses.h"

/* To read what there is takes a while, in which as much may be lost again. */
#define CATCH_UP_TIME 1000000000ull

struct cpu_ring {
	struct rings *rings;
	struct cpu_trace *cpu;
	size_t shown; /* bytes of its records that were shown */
	struct aux_account account;
};

struct rings {
	pthread_mutex_t lock; /* of the rest, and of the CPUs' sideband */
	struct capture_file *file;
	struct recorder *recorder; /* NULL: all is kept */
	bool is_behind; /* records were lost, or may have been: the next one that comes will tell, in its time */
	size_t nr;
	struct cpu_ring all[];
};

static int drain_one(struct cpu_ring *ring)
{
	struct rings *rings = ring->rings;
	struct buf *sideband = &ring->cpu->sideband;
	const uint64_t lost = ring->account.lost;
	const bool full = ring__is_full(&ring->cpu->ring);
	int err = cpu_trace__drain(ring->cpu);
	const struct span new = {sideband->data + ring->shown, sideband->len - ring->shown};

	if (!err)
		err = capture_file__follow(rings->file, new);
	aux_account__add(&ring->account, new, CPU_TRACE_SAMPLE_TYPE);
	ring->shown = sideband->len;
	rings->is_behind |= full || ring->account.lost != lost;
	if (err || !rings->recorder)
		return err;
	err = recorder__follow(rings->recorder, (size_t)(ring - rings->all), new);
	buf__release(sideband);
	ring->shown = 0;
	return err;
}

static int drain(void *ctx)
{
	struct cpu_ring *ring = ctx;
	int err;

	pthread_mutex_lock(&ring->rings->lock);
	err = drain_one(ring);
	pthread_mutex_unlock(&ring->rings->lock);
	return err;
}

int rings__drain(void *ctx)
{
	struct rings *rings = ctx;
	int err = 0;

	for (size_t i = 0; !err && i < rings->nr; i++)
		err = drain(&rings->all[i]);
	return err;
}

int rings__new(struct cpu_trace *cpus, size_t nr, struct capture_file *file, struct waiter *waiter,
	       struct rings **ret)
{
	_cleanup_(cleanup__rings) struct rings *rings =
		calloc(1, sizeof(*rings) + nr * sizeof(rings->all[0]));
	int err = 0;

	if (!rings)
		return -ENOMEM;
	thread__init_lock(&rings->lock);
	rings->file = file;
	rings->nr = nr;
	for (size_t i = 0; !err && i < nr; i++) {
		rings->all[i] = (struct cpu_ring){.rings = rings, .cpu = &cpus[i]};
		err = waiter__add(waiter, cpu_trace__fd(&cpus[i]), drain, &rings->all[i]);
	}
	if (!err)
		*ret = steal_ptr(rings);
	return err;
}

/* What lives now, and when that is. */
static int look(struct rings *rings, struct buf *tasks, uint64_t *time)
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
	return capture_file__read_tasks(rings->file, tasks);
}

/* Of tasks that began, ended or mapped something meanwhile nothing else will tell. */
static int look_anew(struct rings *rings)
{
	_cleanup_buf_ struct buf tasks = {0};
	uint64_t time;
	int err = look(rings, &tasks, &time);

	if (!err)
		err = rings__drain(rings);
	return err ? err : recorder__refresh(rings->recorder, buf__span(&tasks), time);
}

/* Another thread that drains may set it again meanwhile. */
static bool was_behind(struct rings *rings)
{
	bool behind;

	pthread_mutex_lock(&rings->lock);
	behind = rings->is_behind;
	rings->is_behind = false;
	pthread_mutex_unlock(&rings->lock);
	return behind;
}

static int catch_up(void *ctx)
{
	struct rings *rings = ctx;
	int err;

	if (!was_behind(rings))
		return 0;
	/* To read all of /proc takes long, in which a real-time thread would keep others from the CPU. */
	thread__lower(pthread_self());
	err = look_anew(rings);
	if (thread__raise(pthread_self(), THREAD_KEEPS_UP))
		log_debug("no real-time priority any more for the thread that empties the rings");
	if (err)
		log_warn("a ring was full, and which tasks there are cannot be read: %s", strerror(-err));
	else
		log_debug("a ring was full; which tasks there are was read anew");
	return 0;
}

int rings__set_recorder(struct rings *rings, struct recorder *recorder, struct waiter *waiter)
{
	rings->recorder = recorder;
	return waiter__every(waiter, CATCH_UP_TIME, catch_up, rings);
}

void rings__log_losses(const struct rings *rings)
{
	for (size_t i = 0; i < rings->nr; i++) {
		const struct cpu_ring *ring = &rings->all[i];

		losses__log_records(ring->cpu->cpu, ring->account.lost);
		losses__log_stops(ring->cpu->cpu, ring->account.truncated);
	}
}

void rings__free(struct rings *rings)
{
	if (!rings)
		return;
	pthread_mutex_destroy(&rings->lock);
	free(rings);
}
