// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/snapshot_writer.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/log.h"
#include "base/thread.h"
#include "capture/kept_windows.h"
#include "rings/rings.h"
#include "rings/snapshot_sideband.h"
#include "snapshot/snapshot_cut.h"
#include "snapshot/snapshot_samples.h"

#define LOOK_SECONDS 1

struct snapshot_writer {
	struct snapshot_writer_opts opts;
	struct snapshot_cut *cut; /* NULL: no trace is copied */
	uint64_t *seen;		  /* for each CPU, the time up to which its trace is in snapshots */
	pthread_mutex_t lock;	  /* for the lists and @ends */
	pthread_cond_t work, room;
	struct snapshot_job **jobs; /* all of them */
	unsigned int nr_jobs;
	struct snapshot_job *idle;
	unsigned int nr_idle;
	struct snapshot_job *first, **last; /* waiting to be written, in order */
	bool ends;
	pthread_t thread;
	bool runs;
};

static void add_idle(struct snapshot_writer *w, struct snapshot_job *job)
{
	job->next = w->idle;
	w->idle = job;
	w->nr_idle++;
}

static void release(struct snapshot_writer *w, struct snapshot_job *job)
{
	snapshot_job__reset(job);
	pthread_mutex_lock(&w->lock);
	add_idle(w, job);
	pthread_cond_signal(&w->room);
	w->opts.room(w->opts.ctx, job->fired.rule, -1, w->nr_idle);
	pthread_mutex_unlock(&w->lock);
}

/*
 * Waits, with the lock, for work. If there is no room it looks for some meanwhile, so that the first trigger
 * that finds room is not lost.
 */
static void wait_once(struct snapshot_writer *w)
{
	struct timespec until;

	if (!w->opts.is_full(w->opts.ctx)) {
		pthread_cond_wait(&w->work, &w->lock);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += LOOK_SECONDS;
	if (pthread_cond_clockwait(&w->work, &w->lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
		return;
	pthread_mutex_unlock(&w->lock);
	w->opts.look(w->opts.ctx);
	pthread_mutex_lock(&w->lock);
}

static struct snapshot_job *wait_for_work(struct snapshot_writer *w)
{
	struct snapshot_job *job;

	pthread_mutex_lock(&w->lock);
	while (!w->first && !w->ends)
		wait_once(w);
	job = w->first;
	if (job)
		w->first = job->next;
	if (!w->first)
		w->last = &w->first;
	pthread_mutex_unlock(&w->lock);
	return job;
}

/* Drains the rings; nothing of that is dropped until the sideband is copied. */
static int drain(struct snapshot_writer *w, struct snapshot_job *job)
{
	int err;

	job->since = snapshot_sideband__pin(rings__sideband(w->opts.rings));
	capture_file__wait(w->opts.file);
	err = rings__drain(w->opts.rings);
	if (err)
		log_err("the snapshot %s is lost, the rings cannot be drained: %s", job->name,
			strerror(-err));
	return err;
}

/* Adds the sideband: single records from the first moment that decodes, and the state before that. */
static int add_sideband(struct snapshot_writer *w, struct snapshot_job *job)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = NULL;
	int err = drain(w, job);

	if (!err && w->cut)
		err = snapshot_cut__apply(w->cut, job);
	if (!err && w->opts.capture->samples)
		err = snapshot_samples__sort(job, w->opts.capture->samples, w->opts.lookback);
	if (!err)
		err = snapshot_sideband__copy(rings__sideband(w->opts.rings), snapshot_job__begin(job),
					      snapshot_job__end(job), &log);
	return err ? err : snapshot_job__set_sideband(job, log);
}

/*
 * Adds the windows: those in the time of the trace and the samples, and those that no snapshot tells of yet, as far
 * back as the lookback goes.
 */
static void add_windows(struct snapshot_writer *w, struct snapshot_job *job)
{
	const uint64_t begin = snapshot_job__begin(job), end = snapshot_job__end(job);
	const uint64_t back = w->opts.lookback && end != UINT64_MAX ? end - w->opts.lookback : 0;
	const struct window_span range = {
		.begin = begin, .new_from = back < begin ? back : begin, .end = end};

	kept_windows__read(w->opts.windows, &range, &job->snapshot.windows);
}

/* Forgets the sideband that no later snapshot needs. */
static void forget_sideband(struct snapshot_writer *w, const struct snapshot_job *job)
{
	uint64_t before = UINT64_MAX;

	for (size_t i = 0; i < w->opts.traces->nr; i++) {
		if (job->gaps[i].blind)
			w->seen[i] = job->gaps[i].read;
		if (w->seen[i] < before)
			before = w->seen[i];
	}
	if (snapshot_sideband__forget(rings__sideband(w->opts.rings), before))
		log_debug("no memory to sum up old records of tasks");
}

static void *run(void *arg)
{
	struct snapshot_writer *w = arg;
	struct snapshot_job *job;

	/* The last job is the first to be taken, and was populated before the first trigger. */
	for (unsigned int i = 0; i + 1 < w->nr_jobs; i++)
		snapshot_job__populate(w->jobs[i]);
	while ((job = wait_for_work(w))) {
		uint64_t bytes = 0;
		int err = add_sideband(w, job);

		if (!err)
			add_windows(w, job);
		if (!err)
			err = w->opts.make_room(w->opts.ctx, job);
		if (!err)
			err = snapshot__write(w->opts.capture, w->opts.file, job->name, &job->snapshot,
					      &bytes);
		job->nr_gaps = capture_file__gaps(w->opts.file);
		w->opts.written(w->opts.ctx, job, bytes, err);
		forget_sideband(w, job);
		release(w, job);
	}
	return NULL;
}

static int make_jobs(struct snapshot_writer *w)
{
	const struct snapshot_writer_opts *o = &w->opts;

	w->jobs = calloc(o->spares, sizeof(struct snapshot_job *));
	if (!w->jobs)
		return -ENOMEM;
	while (w->nr_jobs < o->spares) {
		int err = snapshot_job__new(o->traces, capture_opts__keeps_moves(o->capture),
					    &w->jobs[w->nr_jobs]);

		if (!err)
			err = snapshot_job__map(w->jobs[w->nr_jobs++]);
		if (err)
			return err;
		add_idle(w, w->jobs[w->nr_jobs - 1]);
	}
	snapshot_job__populate(w->jobs[w->nr_jobs - 1]);
	o->room(o->ctx, 0, 0, w->nr_idle);
	return 0;
}

/*
 * Tells whether the trace of all CPUs has times of the kernel's clock. Warns once, with the first CPU that
 * has not.
 */
static bool is_timed(const struct snapshot_writer_opts *o)
{
	int cpu = snapshot_cut__untimed_cpu(&o->capture->event->pmu, o->traces->cpus, o->traces->nr);

	if (cpu >= 0 && o->lookback)
		log_warn("the times in the trace of CPU %d are of another clock than the kernel's: "
			 "--lookback leaves nothing out, a snapshot has all that is new in the "
			 "buffers",
			 cpu);
	return cpu < 0;
}

static int start(struct snapshot_writer *w)
{
	int err = thread__start(&w->thread, run, w);

	w->runs = !err;
	if (err)
		log_err("cannot start the thread that writes snapshots: %s", strerror(-err));
	return err;
}

int snapshot_writer__new(const struct snapshot_writer_opts *opts, struct snapshot_writer **ret)
{
	_cleanup_(cleanup__snapshot_writer) struct snapshot_writer *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->opts = *opts;
	w->last = &w->first;
	thread__init_lock(&w->lock);
	pthread_cond_init(&w->work, NULL);
	pthread_cond_init(&w->room, NULL);
	w->seen = calloc(opts->traces->nr, sizeof(*w->seen));
	if (!w->seen)
		return -ENOMEM;
	err = capture_opts__copies_aux(opts->capture)
		      ? snapshot_cut__new(opts->capture->event->pmu.ops, opts->traces->nr, is_timed(opts),
					  opts->lookback, &w->cut)
		      : 0;
	if (!err)
		err = make_jobs(w);
	if (!err)
		err = start(w);
	if (!err)
		*ret = steal_ptr(w);
	return err;
}

struct snapshot_job *snapshot_writer__get(struct snapshot_writer *w, uint32_t rule)
{
	struct snapshot_job *job;

	pthread_mutex_lock(&w->lock);
	job = w->idle;
	if (job) {
		w->idle = job->next;
		w->nr_idle--;
		job->fired.rule = rule;
		w->opts.room(w->opts.ctx, rule, 1, w->nr_idle);
	}
	pthread_mutex_unlock(&w->lock);
	return job;
}

void snapshot_writer__wait(struct snapshot_writer *w)
{
	pthread_mutex_lock(&w->lock);
	while (!w->idle)
		pthread_cond_wait(&w->room, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

void snapshot_writer__put(struct snapshot_writer *w, struct snapshot_job *job)
{
	job->next = NULL;
	pthread_mutex_lock(&w->lock);
	*w->last = job;
	w->last = &job->next;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
}

void snapshot_writer__drop(struct snapshot_writer *w, struct snapshot_job *job)
{
	release(w, job);
}

void snapshot_writer__free(struct snapshot_writer *w)
{
	if (!w)
		return;
	if (w->runs) {
		pthread_mutex_lock(&w->lock);
		w->ends = true;
		pthread_cond_signal(&w->work);
		pthread_mutex_unlock(&w->lock);
		pthread_join(w->thread, NULL);
	}
	for (unsigned int i = 0; i < w->nr_jobs; i++)
		snapshot_job__free(w->jobs[i]);
	free(w->jobs);
	snapshot_cut__free(w->cut);
	free(w->seen);
	pthread_cond_destroy(&w->work);
	pthread_cond_destroy(&w->room);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
