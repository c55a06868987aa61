// SPDX-License-Identifier: GPL-2.0-only
#include "session/stream.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "capture/capture_events.h"
#include "capture/capture_opts.h"
#include "session/stream_cpu.h"
#include "summary/status_text.h"

#define CPUS_PER_READER 4
#define STATUS_SECONDS 1

/* A thread that reads the trace, and the CPUs that it reads. */
struct reader {
	struct stream *stream;
	struct waiter *waiter;
	struct reader_cpu *cpus;
	int stop_fd;
	pthread_mutex_t lock; /* held while it reads a CPU; also for @ends */
	bool ends;
	bool runs;
	pthread_t thread;
};

struct reader_cpu {
	struct reader *reader;
	struct stream_cpu *cpu;
};

struct stream {
	struct stream_opts opts;
	struct stream_parts parts;
	struct capture_events desc;
	struct capture_stream *file;
	struct stream_cpu *cpus;
	struct capture_sideband *sideband; /* the records of one round */
	struct buf *records;		   /* the memory of these records */
	struct reader_cpu *reader_cpus;
	struct reader *readers;
	size_t nr_readers;
	int round_fd; /* readers write here to ask for a round */
	int err;      /* an error of a reader */
	bool full;    /* a limit is reached */
	uint64_t begun, shown;
};

static uint64_t bytes_written(const struct stream *s)
{
	uint64_t all = 0;

	for (size_t i = 0; i < s->parts.traces->nr; i++)
		all += __atomic_load_n(&s->cpus[i].written, __ATOMIC_RELAXED);
	return all;
}

static uint64_t nr_gaps(const struct stream *s)
{
	uint64_t all = 0;

	for (size_t i = 0; i < s->parts.traces->nr; i++)
		all += __atomic_load_n(&s->cpus[i].gaps, __ATOMIC_RELAXED);
	return all;
}

/* Writes all records that the rings hold, in order of time. */
static int write_round(struct stream *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->parts.traces->nr_all; i++) {
		buf__truncate(&s->records[i], 0);
		err = stream_cpu__take(&s->cpus[i], &s->records[i]);
		s->sideband[i].records = buf__span(&s->records[i]);
		if (!err)
			err = capture_file__follow(s->parts.file, s->sideband[i].records);
	}
	return err ? err
		   : capture_stream__add_sideband(s->file, s->sideband,
						  (unsigned int)s->parts.traces->nr_all);
}

/* Returns 1 if a limit is reached. */
static int check_limits(struct stream *s)
{
	bool enough = s->opts.max_bytes && bytes_written(s) >= s->opts.max_bytes;

	s->full = enough || capture_stream__room(s->file) < s->opts.keep_free;
	if (enough)
		log_info("as much trace as --max-size allows: the recording ends");
	else if (s->full)
		log_warn("no more is free on the disk than --min-free leaves: the recording ends");
	return s->full;
}

static bool has_program_room(void *ctx, uint64_t total, uint64_t bytes)
{
	struct stream *s = ctx;
	uint64_t free = capture_stream__room(s->file);

	return free >= bytes && free - bytes >= s->opts.keep_free;
}

static int on_round(void *ctx)
{
	struct stream *s = ctx;
	eventfd_t nr;
	int err = __atomic_load_n(&s->err, __ATOMIC_RELAXED);

	eventfd_read(s->round_fd, &nr);
	if (!err)
		err = write_round(s);
	return err ? err : check_limits(s);
}

static int show_status(void *ctx)
{
	struct stream *s = ctx;
	uint64_t bytes = bytes_written(s);
	const struct stream_text text = {
		.time = clock__ns(CLOCK_MONOTONIC) - s->begun,
		.bytes = bytes,
		.rate = (bytes - s->shown) / STATUS_SECONDS,
		.gaps = nr_gaps(s),
	};
	char line[160];

	s->shown = bytes;
	stream_text__format(&text, line, sizeof(line));
	log__status("%s", line);
	return 0;
}

/* Runs in the reader's thread. */
static int read_cpu(void *ctx)
{
	struct reader_cpu *rc = ctx;
	struct reader *r = rc->reader;
	int err;

	pthread_mutex_lock(&r->lock);
	err = stream_cpu__read(rc->cpu, r->ends);
	pthread_mutex_unlock(&r->lock);
	if (err)
		__atomic_store_n(&r->stream->err, err, __ATOMIC_RELAXED);
	eventfd_write(r->stream->round_fd, 1);
	return err;
}

static int stop_reader(void *ctx)
{
	return 1;
}

static void *run(void *arg)
{
	struct reader *r = arg;
	int err = waiter__run(r->waiter);

	if (err)
		log_debug("a reader ends: %s", strerror(-err));
	return NULL;
}

static int start_reader(struct stream *s, struct reader *r, size_t first, size_t nr)
{
	int err = waiter__new(&r->waiter);

	r->stream = s;
	thread__init_lock(&r->lock);
	r->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (!err)
		err = r->stop_fd < 0 ? -errno : waiter__add(r->waiter, r->stop_fd, stop_reader, r);
	for (size_t i = first; !err && i < first + nr; i++) {
		s->reader_cpus[i] = (struct reader_cpu){r, &s->cpus[i]};
		err = waiter__add(r->waiter, s->parts.traces->cpus[i].aux_fd, read_cpu, &s->reader_cpus[i]);
	}
	if (!err)
		err = thread__start(&r->thread, run, r);
	r->runs = !err;
	/* The reader must not fall behind. */
	if (r->runs && thread__raise(r->thread, THREAD_KEEPS_UP))
		log_debug("no real-time priority for the threads that read the trace");
	return err;
}

static int start_readers(struct stream *s)
{
	size_t nr = s->parts.traces->nr, first = 0;
	int err = 0;

	while (!err && first < nr) {
		size_t few = nr - first < CPUS_PER_READER ? nr - first : CPUS_PER_READER;

		err = start_reader(s, &s->readers[s->nr_readers++], first, few);
		first += few;
	}
	return err;
}

static int alloc(struct stream *s)
{
	size_t nr = s->parts.traces->nr, nr_all = s->parts.traces->nr_all;

	s->cpus = calloc(nr_all, sizeof(*s->cpus));
	s->sideband = calloc(nr_all, sizeof(*s->sideband));
	s->records = calloc(nr_all, sizeof(*s->records));
	s->reader_cpus = calloc(nr, sizeof(*s->reader_cpus));
	s->readers = calloc(nr, sizeof(*s->readers));
	return s->cpus && s->sideband && s->records && s->reader_cpus && s->readers ? 0 : -ENOMEM;
}

static int begin_file(struct stream *s)
{
	const struct stream_parts *p = &s->parts;
	int err = capture_events__init(&s->desc, p->capture, p->traces->nr, p->traces->nr_all);

	if (err)
		return err;
	for (size_t i = 0; i < p->traces->nr_all; i++) {
		const struct cpu_trace *t = &p->traces->cpus[i];

		capture_events__set_cpu(&s->desc, i, t->cpu,
					&(struct capture_event_ids){t->aux_id, t->sideband_id, NULL});
	}
	err = cpu_trace__clock(&p->traces->cpus[0], &s->desc.desc.tsc);
	capture_file__limit_programs(p->file, has_program_room, s);
	return err ? err : capture_stream__new(p->file, NULL, &s->desc.desc, &s->file);
}

static void prepare_cpus(struct stream *s)
{
	for (size_t i = 0; i < s->parts.traces->nr_all; i++) {
		s->cpus[i] = (struct stream_cpu){
			.trace = &s->parts.traces->cpus[i],
			.ops = s->parts.capture->event->pmu.ops,
			.gate = s->parts.gate,
			.file = s->file,
			.tsc = s->desc.desc.tsc,
			.idx = (uint32_t)i,
		};
		thread__init_lock(&s->cpus[i].lock);
	}
}

static int start_status(struct stream *s, struct waiter *waiter)
{
	s->begun = clock__ns(CLOCK_MONOTONIC);
	return capture_opts__shows_status(s->parts.capture)
		       ? waiter__every(waiter, STATUS_SECONDS * 1000000000ull, show_status, s)
		       : 0;
}

static int prepare(struct stream *s, struct waiter *waiter)
{
	int err = alloc(s);

	if (!err)
		err = begin_file(s);
	if (err)
		return err;
	prepare_cpus(s);
	s->round_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = s->round_fd < 0 ? -errno : waiter__add(waiter, s->round_fd, on_round, s);
	for (size_t i = s->parts.traces->nr; !err && i < s->parts.traces->nr_all; i++)
		err = waiter__add(waiter, cpu_trace__fd(&s->parts.traces->cpus[i]), on_round, s);
	if (!err)
		err = start_status(s, waiter);
	if (!err && capture_opts__look_every(s->parts.capture))
		err = waiter__every(waiter, capture_opts__look_every(s->parts.capture), on_round, s);
	return err ? err : start_readers(s);
}

int stream__new(const struct stream_opts *opts, const struct stream_parts *parts, struct waiter *waiter,
		struct stream **ret)
{
	_cleanup_(cleanup__stream) struct stream *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->opts = *opts;
	s->parts = *parts;
	s->round_fd = -1;
	err = prepare(s, waiter);
	if (!err)
		*ret = steal_ptr(s);
	return err;
}

bool stream__is_full(const struct stream *s)
{
	return s->full;
}

void stream__close(struct stream *s)
{
	log__clear_status();
	for (size_t i = 0; i < s->nr_readers; i++) {
		pthread_mutex_lock(&s->readers[i].lock);
		s->readers[i].ends = true;
		pthread_mutex_unlock(&s->readers[i].lock);
	}
}

static void end_reader(struct reader *r)
{
	if (r->runs && !eventfd_write(r->stop_fd, 1))
		pthread_join(r->thread, NULL);
	r->runs = false;
}

int stream__finish(struct stream *s, uint64_t *aux_bytes)
{
	struct capture_windows windows;
	int err;

	for (size_t i = 0; i < s->nr_readers; i++)
		end_reader(&s->readers[i]);
	err = s->err;
	for (size_t i = 0; !err && i < s->parts.traces->nr; i++)
		err = stream_cpu__read(&s->cpus[i], true);
	if (!err)
		err = write_round(s);
	kept_windows__read(s->parts.windows, NULL, &windows);
	if (!err)
		err = capture_stream__add_windows(s->file, &windows);
	return err ? err : capture_stream__finish(s->file, aux_bytes);
}

void stream__log(const struct stream *s)
{
	for (size_t i = 0; i < s->parts.traces->nr_all; i++)
		stream_cpu__log(&s->cpus[i]);
}

void stream__free(struct stream *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nr_readers; i++) {
		end_reader(&s->readers[i]);
		waiter__free(s->readers[i].waiter);
		cleanup__close(&s->readers[i].stop_fd);
	}
	for (size_t i = 0; s->records && i < s->parts.traces->nr_all; i++)
		buf__release(&s->records[i]);
	for (size_t i = 0; s->cpus && i < s->parts.traces->nr_all; i++)
		buf__release(&s->cpus[i].gap_ends);
	capture_stream__free(s->file);
	capture_events__release(&s->desc);
	cleanup__close(&s->round_fd);
	free(s->cpus);
	free(s->sideband);
	free(s->records);
	free(s->reader_cpus);
	free(s->readers);
	free(s);
}
