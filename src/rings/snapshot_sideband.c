// SPDX-License-Identifier: GPL-2.0-only
#include "rings/snapshot_sideband.h"
#include "trace/perf_event.h"

#include <errno.h>
#include <pthread.h>

#include "base/log.h"
#include "base/thread.h"
#include "trace/cpu_trace.h"

struct snapshot_sideband {
	pthread_mutex_t lock;
	struct sideband_log *log;
	size_t max, max_maps;
	uint64_t forgotten; /* records older than this were said to be of no use */
	bool pinned;	    /* nothing is dropped for the limit */
	bool told;	    /* the log has said that mappings are left out */
};

int snapshot_sideband__new(unsigned int nr, size_t max, size_t max_maps, struct span tasks,
			   struct snapshot_sideband **ret)
{
	_cleanup_(cleanup__snapshot_sideband) struct snapshot_sideband *ss = calloc(1, sizeof(*ss));
	int err;

	if (!ss)
		return -ENOMEM;
	thread__init_lock(&ss->lock);
	ss->max = max < SNAPSHOT_SIDEBAND_LEAST ? SNAPSHOT_SIDEBAND_LEAST : max;
	ss->max_maps = max_maps;
	err = sideband_log__new(nr, PERF_EVENT_SAMPLE_TYPE, max_maps, &ss->log);
	if (!err)
		err = sideband_log__seed(ss->log, tasks);
	if (!err)
		*ret = steal_ptr(ss);
	return err;
}

void snapshot_sideband__free(struct snapshot_sideband *ss)
{
	if (!ss)
		return;
	sideband_log__free(ss->log);
	pthread_mutex_destroy(&ss->lock);
	free(ss);
}

static void tell_left_out(struct snapshot_sideband *ss)
{
	if (ss->told || !sideband_log__left_out(ss->log))
		return;
	ss->told = true;
	log_warn("processes have mapped more than there is room for, of %zu MiB: of those with most of it, "
		 "mappings are left out, whose code has no names",
		 ss->max_maps >> 20);
}

int snapshot_sideband__add(struct snapshot_sideband *ss, unsigned int i, struct span records, bool idle)
{
	int err;

	pthread_mutex_lock(&ss->lock);
	err = idle ? sideband_log__add_idle(ss->log, i, records) : sideband_log__add(ss->log, i, records);
	tell_left_out(ss);
	pthread_mutex_unlock(&ss->lock);
	return err;
}

bool snapshot_sideband__is_full(struct snapshot_sideband *ss)
{
	bool full;

	pthread_mutex_lock(&ss->lock);
	full = !ss->pinned && sideband_log__is_over(ss->log, ss->max);
	pthread_mutex_unlock(&ss->lock);
	return full;
}

int snapshot_sideband__limit(struct snapshot_sideband *ss, uint64_t until)
{
	int err = 0;

	pthread_mutex_lock(&ss->lock);
	if (!ss->pinned)
		err = sideband_log__limit(ss->log, ss->max, until);
	tell_left_out(ss);
	pthread_mutex_unlock(&ss->lock);
	return err;
}

void snapshot_sideband__begin_refresh(struct snapshot_sideband *ss, uint64_t time)
{
	pthread_mutex_lock(&ss->lock);
	sideband_log__begin_refresh(ss->log, time);
	pthread_mutex_unlock(&ss->lock);
}

void snapshot_sideband__give_up_refresh(struct snapshot_sideband *ss)
{
	pthread_mutex_lock(&ss->lock);
	sideband_log__give_up_refresh(ss->log);
	pthread_mutex_unlock(&ss->lock);
}

int snapshot_sideband__refresh(struct snapshot_sideband *ss, const struct task_table *living,
			       struct span programs)
{
	int err;

	pthread_mutex_lock(&ss->lock);
	err = sideband_log__refresh(ss->log, living, programs);
	pthread_mutex_unlock(&ss->lock);
	return err;
}

uint64_t snapshot_sideband__pin(struct snapshot_sideband *ss)
{
	uint64_t since;

	pthread_mutex_lock(&ss->lock);
	ss->pinned = true;
	since = sideband_log__limited(ss->log);
	pthread_mutex_unlock(&ss->lock);
	return since;
}

int snapshot_sideband__copy(struct snapshot_sideband *ss, uint64_t from, uint64_t until,
			    struct sideband_log **ret)
{
	int err;

	pthread_mutex_lock(&ss->lock);
	err = sideband_log__copy(ss->log, from, until, ret);
	ss->pinned = false;
	pthread_mutex_unlock(&ss->lock);
	return err;
}

int snapshot_sideband__forget(struct snapshot_sideband *ss, uint64_t before)
{
	int err;

	pthread_mutex_lock(&ss->lock);
	err = sideband_log__fold(ss->log, before);
	if (!err && before > ss->forgotten)
		ss->forgotten = before;
	pthread_mutex_unlock(&ss->lock);
	return err;
}

void snapshot_sideband__log(struct snapshot_sideband *ss)
{
	uint64_t left_out;

	pthread_mutex_lock(&ss->lock);
	left_out = sideband_log__left_out(ss->log);
	pthread_mutex_unlock(&ss->lock);
	if (left_out)
		log_warn("%llu mapping%s of processes that have very many %s left out",
			 (unsigned long long)left_out, log__plural(left_out), left_out == 1 ? "was" : "were");
}

uint64_t snapshot_sideband__forgotten(struct snapshot_sideband *ss)
{
	uint64_t forgotten;

	pthread_mutex_lock(&ss->lock);
	forgotten = sideband_log__limited(ss->log);
	if (forgotten < ss->forgotten)
		forgotten = ss->forgotten;
	pthread_mutex_unlock(&ss->lock);
	return forgotten;
}
