// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/recorder.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "capture/capture_opts.h"
#include "rings/memory_room.h"
#include "rings/rings.h"
#include "rings/snapshot_sideband.h"
#include "snapshot/snapshot_admission.h"
#include "snapshot/snapshot_exec.h"
#include "snapshot/snapshot_index.h"
#include "snapshot/snapshot_store.h"
#include "snapshot/snapshot_take.h"
#include "snapshot/snapshot_totals.h"
#include "snapshot/snapshot_writer.h"
#include "snapshot/take_thread.h"
#include "summary/status_text.h"

#define STATUS_TIME 500000000 /* ns */

/* ns that a timer of the kernel may be late */
#define DELAY_SLACK 200000000ull

struct recorder {
	const struct recorder_opts *opts;
	struct recorder_parts parts;
	struct snapshot_take *take;
	struct take_thread *thread;
	int done_fd; /* readable: there are as many snapshots as the limits allow */
	struct snapshot_writer *writer;
	struct snapshot_index *index;
	struct snapshot_store *store;
	struct snapshot_admission admission;
	uint64_t armed;	    /* when it was armed, ns of CLOCK_MONOTONIC */
	uint64_t blind;	    /* ns without trace, summed over the CPUs */
	uint64_t missed;    /* missed triggers of all rules, when the last snapshot was taken */
	uint64_t no_memory; /* gate__no_memory() at that time */
	struct snapshot_totals totals;
	unsigned int nr_failed;
};

/* Converts a time of CLOCK_MONOTONIC to the wall clock. */
static struct timespec wall_time(uint64_t monotonic)
{
	uint64_t t = clock__ns(CLOCK_REALTIME) - (clock__ns(CLOCK_MONOTONIC) - monotonic);

	return (struct timespec){.tv_sec = (time_t)(t / 1000000000), .tv_nsec = (long)(t % 1000000000)};
}

static bool shares_buffer(const struct recorder *r)
{
	const struct trace_event *event = r->parts.capture->event;

	return event && event->pmu.ops->shared_buffer;
}

/* Stops, copies and starts the CPUs whose history is wanted. */
static void copy_cpus(struct recorder *r, struct snapshot_job *job)
{
	const struct auxbpf_fired *f = &job->fired;

	if (r->opts->triggers.scope == AUXBPF_SCOPE_ALL || f->all ||
	    f->rule >= trigger_counts__asked(&r->admission.counts) || shares_buffer(r))
		snapshot_take__freeze_all(r->take, f->ticket);
	snapshot_take__copy(r->take, job);
	for (size_t i = 0; i < r->parts.traces->nr; i++)
		__atomic_add_fetch(&r->blind, job->gaps[i].blind, __ATOMIC_RELAXED);
}

/*
 * Notes when each CPU was read. Samples have the clock of triggers, and none is newer than the freeze, so
 * without a trace that counts as the reading.
 */
static void note_times(const struct recorder *r, struct snapshot_job *job)
{
	for (size_t i = 0; i < job->snapshot.nr; i++) {
		struct snapshot_cpu *cpu = &job->snapshot.cpus[i];

		if (!r->parts.capture->event)
			cpu->late = 0;
		job->gaps[i].read = r->parts.capture->event
					    ? tsc_conv__to_time(&job->snapshot.tsc, cpu->aux.reference)
					    : job->fired.frozen;
	}
}

/* Does what need not be done while the trace is off. */
static int complete(struct recorder *r, struct snapshot_job *job)
{
	uint64_t missed = trigger_counts__missed(&r->admission.counts),
		 no_memory = gate__no_memory(r->parts.gate);
	int err = cpu_trace__clock(&r->parts.traces->cpus[0], &job->snapshot.tsc);

	note_times(r, job);
	job->time = wall_time(job->fired.time);
	job->missed = missed - r->missed;
	r->missed = missed;
	job->no_memory = no_memory - r->no_memory;
	r->no_memory = no_memory;
	snapshot_store__name(r->store, &job->time, job->name, sizeof(job->name));
	return err;
}

/* Notes that a snapshot became no file; by any thread. */
static void note_unkept(struct recorder *r, uint32_t rule, int err)
{
	snapshot_admission__unkept(&r->admission, rule, err);
	if (err < 0)
		__atomic_add_fetch(&r->nr_failed, 1, __ATOMIC_RELAXED);
}

static void copy(struct recorder *r, struct snapshot_job *job, const struct auxbpf_fired *fired)
{
	int err;

	job->fired = *fired;
	copy_cpus(r, job);
	err = complete(r, job);
	if (!err) {
		snapshot_writer__put(r->writer, job);
		return;
	}
	log_err("a snapshot is lost: %s", strerror(-err));
	note_unkept(r, fired->rule, err);
	snapshot_writer__drop(r->writer, job);
}

/* Asks the limits, and takes a job for the snapshot if they allow it and one is free. */
static enum snapshot_verdict begin(struct recorder *r, const struct auxbpf_fired *fired,
				   struct snapshot_job **job)
{
	bool yields;
	enum snapshot_verdict verdict =
		snapshot_admission__ask(&r->admission, fired->rule, fired->time, &yields);

	*job = NULL;
	if (verdict != SNAPSHOT_TAKE)
		return verdict;
	if (!yields)
		*job = snapshot_writer__get(r->writer, fired->rule);
	/* The BPF programs may not know yet that there is no free job. */
	if (*job)
		snapshot_admission__took(&r->admission, fired->rule, fired->time);
	else
		snapshot_admission__miss(&r->admission, fired->rule);
	return verdict;
}

static void take(void *ctx, const struct auxbpf_fired *fired)
{
	struct recorder *r = ctx;
	struct snapshot_job *job;
	enum snapshot_verdict verdict = begin(r, fired, &job);

	if (job)
		copy(r, job, fired);
	else
		snapshot_take__thaw(r->take, fired->ticket);
	snapshot_admission__settle(&r->admission, fired->rule, verdict);
}

bool recorder__is_complete(const struct recorder *r)
{
	return snapshot_admission__is_complete(&r->admission);
}

static void tell_complete(const struct recorder *r)
{
	if (recorder__is_complete(r) && eventfd_write(r->done_fd, 1))
		log_warn("cannot end the recording after its last snapshot: %s", strerror(errno));
}

/* A trigger raised by user space: SIGUSR2 or the end. */
static struct auxbpf_fired own_trigger(struct recorder *r, uint32_t rule)
{
	uint64_t now = clock__ns(CLOCK_MONOTONIC);

	__atomic_add_fetch(&trigger_counts__state(&r->admission.counts, rule)->seen, 1, __ATOMIC_RELAXED);
	return (struct auxbpf_fired){
		.time = now,
		.frozen = now,
		.rule = rule,
		.cpu = (uint32_t)r->parts.traces->cpus[0].cpu,
		.ticket = gate__new_ticket(r->parts.gate),
		.event = {.nr = -1},
	};
}

static void take_asked(void *ctx, uint32_t pid, uint32_t uid)
{
	struct recorder *r = ctx;
	struct auxbpf_fired fired = own_trigger(r, trigger_counts__asked(&r->admission.counts));

	fired.event.values[AUXBPF_FIELD_PID] = pid;
	fired.event.values[AUXBPF_FIELD_UID] = uid;
	fired.event.known = CONDITION_FIELD(AUXBPF_FIELD_PID) | CONDITION_FIELD(AUXBPF_FIELD_UID);
	take(r, &fired);
	tell_complete(r);
}

int recorder__request(struct recorder *r, uint32_t pid, uint32_t uid)
{
	return take_thread__ask(r->thread, pid, uid);
}

static void take_fired(void *ctx)
{
	struct recorder *r = ctx;

	gate_triggers__consume(gate__triggers(r->parts.gate), take, r);
	tell_complete(r);
}

static int is_done(void *ctx)
{
	return 1;
}

/* Waits for triggers that have fired but whose trace still runs on for the time of --after. */
static void take_delayed(struct recorder *r)
{
	struct pollfd fd = {.fd = gate_triggers__fd(gate__triggers(r->parts.gate)), .events = POLLIN};
	uint64_t until = clock__ns(CLOCK_MONOTONIC) + r->opts->triggers.after + DELAY_SLACK, now;

	while (trigger_counts__delayed(&r->admission.counts) && (now = clock__ns(CLOCK_MONOTONIC)) < until) {
		poll(&fd, 1, (int)((until - now) / 1000000) + 1);
		take_fired(r);
	}
	take_fired(r);
	trigger_counts__miss_delayed(&r->admission.counts);
}

/* A file with a header only, for a run without snapshots. */
static void write_header(struct recorder *r)
{
	struct snapshot_job *job =
		snapshot_writer__get(r->writer, trigger_counts__asked(&r->admission.counts));

	if (!job)
		return;
	job->header_only = true;
	job->fired = (struct auxbpf_fired){
		.time = clock__ns(CLOCK_MONOTONIC),
		.rule = trigger_counts__asked(&r->admission.counts),
	};
	if (complete(r, job))
		snapshot_writer__drop(r->writer, job);
	else
		snapshot_writer__put(r->writer, job);
}

/* Takes what the buffers hold at the end of the recording, if there may be another snapshot. */
static void take_last(struct recorder *r)
{
	struct auxbpf_fired fired;

	if (recorder__is_complete(r))
		return;
	snapshot_writer__wait(r->writer);
	fired = own_trigger(r, trigger_counts__ended(&r->admission.counts));
	take(r, &fired);
}

/* Takes what is left to take when the recording ends. */
static void take_rest(void *ctx)
{
	struct recorder *r = ctx;

	take_fired(r);
	if (r->opts->triggers.after)
		take_delayed(r);
	if (r->opts->at_end)
		take_last(r);
	if (r->parts.capture->samples && !r->admission.nr_taken)
		write_header(r);
}

static void tell_room(void *ctx, uint32_t rule, int by, unsigned int nr_free)
{
	struct recorder *r = ctx;

	snapshot_admission__spare(&r->admission, rule, by, nr_free);
	gate__accept(r->parts.gate, nr_free);
}

static bool is_full(void *ctx)
{
	struct recorder *r = ctx;

	return snapshot_admission__is_full(&r->admission);
}

static void look_for_room(void *ctx)
{
	struct recorder *r = ctx;

	snapshot_admission__look(&r->admission);
}

static int make_room(void *ctx, const struct snapshot_job *job)
{
	struct recorder *r = ctx;

	return snapshot_admission__make_room(
		&r->admission, snapshot_job__payload(job) + capture_file__kernel_bytes(r->parts.file));
}

/*
 * Tells whether there is room for a copy of a program in the snapshot that is being written, which then has
 * @total bytes beside the kernel's files.
 */
static bool has_program_room(void *ctx, uint64_t total, uint64_t bytes)
{
	struct recorder *r = ctx;

	return snapshot_admission__extend(&r->admission, total + capture_file__kernel_bytes(r->parts.file));
}

static void run_exec(struct recorder *r, const char *name, const char *rule)
{
	if (r->parts.exec)
		snapshot_exec__run(r->parts.exec, snapshot_dir__fd(r->parts.dir), name, rule);
}

static void note_written(void *ctx, const struct snapshot_job *job, uint64_t aux_bytes, int err)
{
	struct recorder *r = ctx;
	const struct trigger *rule = trigger_counts__trigger(&r->admission.counts, job->fired.rule);

	if (err) {
		note_unkept(r, job->fired.rule, err);
		return;
	}
	snapshot_admission__wrote(&r->admission, job->name);
	snapshot_totals__log_one(r->parts.capture, job, aux_bytes, rule->text);
	if (job->header_only)
		return;
	snapshot_totals__add(&r->totals, job);
	if (snapshot_index__add(r->index, job, rule))
		log_warn("%s is not in the index", job->name);
	run_exec(r, job->name, rule->text);
}

static void note_removed(void *ctx, const char *name)
{
	struct recorder *r = ctx;

	if (snapshot_index__add_removed(r->index, name))
		log_warn("the index does not say that %s was removed", name);
}

static int show_status(void *ctx)
{
	struct recorder *r = ctx;
	const struct status_text status = {
		.armed = clock__ns(CLOCK_MONOTONIC) - r->armed,
		.seen = trigger_counts__seen(&r->admission.counts),
		.snapshots = __atomic_load_n(&r->totals.nr, __ATOMIC_RELAXED),
		.missed = trigger_counts__missed(&r->admission.counts),
		.bytes = __atomic_load_n(&r->totals.bytes, __ATOMIC_RELAXED),
		.blind = __atomic_load_n(&r->blind, __ATOMIC_RELAXED),
	};
	char text[160];

	status_text__format(&status, text, sizeof(text));
	log__status("auxbpf: %s", text);
	return 0;
}

static int start_status(struct recorder *r, struct waiter *waiter)
{
	r->armed = clock__ns(CLOCK_MONOTONIC);
	return capture_opts__shows_status(r->parts.capture)
		       ? waiter__every(waiter, STATUS_TIME, show_status, r)
		       : 0;
}

/* The limits are those of the options, or what there is memory for. */
static int start_admission(struct recorder *r)
{
	struct snapshot_limits_opts limits = r->opts->limits;
	const struct cpu_traces *traces = r->parts.traces;
	int err = memory_room__find(r->parts.capture, r->opts->spares,
				    traces->nr * (uint64_t)cpu_trace__size(&traces->cpus[0]),
				    &limits.max_bytes);

	return err ? err
		   : snapshot_admission__init(&r->admission, &limits, r->opts->triggers.rules,
					      gate__triggers(r->parts.gate));
}

static int prepare(struct recorder *r, struct waiter *waiter)
{
	const struct snapshot_writer_opts writer = {
		.capture = r->parts.capture,
		.file = r->parts.file,
		.traces = r->parts.traces,
		.spares = r->opts->spares,
		.lookback = r->opts->triggers.lookback,
		.rings = r->parts.rings,
		.windows = r->parts.windows,
		.room = tell_room,
		.is_full = is_full,
		.look = look_for_room,
		.make_room = make_room,
		.written = note_written,
		.ctx = r,
	};
	int err = start_admission(r);

	if (!err)
		err = snapshot_take__new(r->parts.traces->cpus, r->parts.traces->nr, r->parts.gate,
					 shares_buffer(r), &r->take);
	if (!err)
		err = snapshot_store__open(r->parts.dir, note_removed, r, &r->store);
	if (!err)
		err = snapshot_index__open(r->parts.dir, r->parts.capture->root, !r->parts.capture->no_sync,
					   r->admission.opts.max_bytes, &r->index);
	if (!err)
		snapshot_admission__open(&r->admission, r->parts.dir, r->store, r->index);
	capture_file__limit_programs(r->parts.file, has_program_room, r);
	if (!err)
		err = waiter__add(waiter, r->done_fd, is_done, r);
	if (!err)
		err = start_status(r, waiter);
	return err ? err : snapshot_writer__new(&writer, &r->writer);
}

static int start_thread(struct recorder *r)
{
	const struct take_thread_opts opts = {
		.fd = gate_triggers__fd(gate__triggers(r->parts.gate)),
		.fired = take_fired,
		.asked = take_asked,
		.last = take_rest,
		.ctx = r,
	};

	return take_thread__new(&opts, &r->thread);
}

int recorder__new(const struct recorder_opts *opts, const struct recorder_parts *parts, struct waiter *waiter,
		  struct recorder **ret)
{
	_cleanup_(cleanup__recorder) struct recorder *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->opts = opts;
	r->parts = *parts;
	r->done_fd = eventfd(0, EFD_CLOEXEC);
	if (r->done_fd < 0)
		return -errno;
	err = prepare(r, waiter);
	if (!err)
		err = start_thread(r);
	if (err)
		return err;
	/* This thread must empty the rings in time: on a busy machine they fill up fast. */
	if (thread__raise(pthread_self(), THREAD_KEEPS_UP))
		log_debug("no real-time priority for the thread that empties the rings");
	*ret = steal_ptr(r);
	return 0;
}

void recorder__finish(struct recorder *r)
{
	unsigned int removed;

	log__clear_status();
	take_thread__end(r->thread);
	gate__accept(r->parts.gate, false);
	snapshot_writer__free(steal_ptr(r->writer));
	removed = snapshot_store__removed(r->store);
	trigger_counts__log(&r->admission.counts);
	snapshot_totals__log(&r->totals, r->parts.capture->output, trigger_counts__seen(&r->admission.counts),
			     trigger_counts__missed(&r->admission.counts));
	snapshot_sideband__log(rings__sideband(r->parts.rings));
	if (removed)
		log_info("%u snapshot%s, the oldest, %s removed: the directory was full", removed,
			 log__plural(removed), removed == 1 ? "was" : "were");
}

int recorder__status(const struct recorder *r)
{
	return r->nr_failed ? -EIO : 0;
}

void recorder__free(struct recorder *r)
{
	if (!r)
		return;
	take_thread__free(r->thread);
	cleanup__close(&r->done_fd);
	snapshot_writer__free(r->writer);
	snapshot_take__free(r->take);
	snapshot_index__close(r->index);
	snapshot_store__free(r->store);
	snapshot_admission__release(&r->admission);
	free(r);
}
