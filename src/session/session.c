// SPDX-License-Identifier: GPL-2.0-only
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "base/log.h"
#include "base/privileges.h"
#include "base/thread.h"
#include "gate/control.h"
#include "trace/cpu_trace.h"
#include "gate/gate.h"
#include "session/capture_summary.h"
#include "summary/counters.h"
#include "rings/memory_room.h"
#include "summary/notify.h"
#include "session/plain_capture.h"
#include "snapshot/recorder.h"
#include "rings/rings.h"
#include "snapshot/snapshot.h"
#include "snapshot/snapshot_exec.h"
#include "session/stream.h"
#include "session/target_cgroups.h"
#include "session/target_tasks.h"
#include "session/traced_cpus.h"
#include "base/waiter.h"
#include "session/workload.h"

/* By whose eyes a user's function is looked for; enough for the containers of one machine. */
#define MAX_PROCESSES 4096

struct session {
	const struct capture_opts *opts;
	struct target_set targets; /* with the command */
	struct traced_cpus traced;
	struct gate *gate;
	struct snapshot_dir *dir; /* with opts->recorder */
	struct capture_file *file;
	struct workload *workload;
	struct target_tasks *tasks;
	struct target_cgroups *cgroups; /* NULL without --cgroup and --container */
	struct container_roots *roots;	/* NULL without user mode */
	struct snapshot_exec *exec;	/* with opts->recorder->exec */
	struct recorder *recorder;	/* with opts->recorder */
	struct stream *stream;		/* with opts->stream */
	struct waiter *waiter;
	struct rings *rings; /* NULL until the session runs, and with opts->stream */
};

/* Those that are there already and may have files of their own. The command sees ours. */
static size_t list_processes(const struct session *c, int *pids, size_t max)
{
	size_t nr = target_set__tasks(&c->targets, pids, max);

	return c->cgroups ? nr + target_cgroups__pids(c->cgroups, pids + nr, max - nr) : nr;
}

static int open_gate(struct session *c)
{
	int pids[MAX_PROCESSES];
	struct gate_opts opts = {
		.root = c->opts->root,
		.control = c->traced.control,
		.targets = &c->targets,
		.windows = c->opts->windows,
		.named_cgroups = c->opts->named_cgroups,
		.nr_cpus = c->traced.cpus[c->traced.nr - 1].cpu + 1,
		.wait = c->opts->wait,
		.triggers = c->opts->recorder ? &c->opts->recorder->triggers : NULL,
		.limit_samples = capture_opts__limits_samples(c->opts),
		.keep_moves = capture_opts__keeps_moves(c->opts) || capture_opts__asks_for_moves(c->opts),
	};
	size_t nr_pids = list_processes(c, pids, MAX_PROCESSES);
	int err;

	if (c->workload && c->opts->command_is_target)
		c->targets.pids[c->targets.nr_pids++] = opts.command = workload__pid(c->workload);
	err = gate__new(&opts, pids, nr_pids, &c->gate);
	for (size_t i = 0; !err && i < c->traced.nr; i++) {
		err = gate__add_cpu(c->gate, c->traced.cpus[i].cpu, cpu_trace__fd(&c->traced.cpus[i]));
		if (!err && opts.limit_samples)
			err = gate__limit_samples(c->gate, c->traced.cpus[i].cpu, &c->traced.cpus[i].samples,
						  c->opts->samples);
		if (!err)
			err = traced_cpus__enable(&c->traced, i);
	}
	return err;
}

/*
 * A start takes a while, and on a machine that switches all the time the rings would be full long before.
 * Until there is who looks at them, nothing is traced. A reader of the stream drains for itself.
 */
static int drain_meanwhile(struct session *c)
{
	int err = 0;

	if (c->rings)
		return rings__drain(c->rings);
	for (size_t i = 0; !err && !c->stream && i < c->traced.nr_all; i++)
		err = cpu_trace__drain_idle(&c->traced.cpus[i]);
	return err;
}

static void log_unwanted_request(void)
{
	log_warn("SIGUSR2 is ignored: it takes a snapshot of a recorder, and there is none without "
		 "--snapshot-on");
}

/* SIGUSR2; what comes before the recorder is there waits until then. */
static int take_request(void *ctx, const struct signalfd_siginfo *info)
{
	struct session *c = ctx;

	if (!c->recorder) {
		log_unwanted_request();
		return 0;
	}
	return recorder__request(c->recorder, info->ssi_pid, info->ssi_uid);
}

/* Waits until the kernel's code is copied; snapshots can be written from then on. */
static int settle_file(struct session *c)
{
	struct pollfd copied = {.fd = capture_file__fd(c->file), .events = POLLIN};
	struct tsc_conv tsc = {0};
	int err = 0, settled;

	if (copied.fd < 0)
		return 0;
	while (!err && poll(&copied, 1, -1) < 0)
		err = errno == EINTR ? 0 : -errno;
	if (err)
		log_err("cannot wait for the copy of the kernel's code: %s", strerror(-err));
	if (!err)
		err = rings__drain(c->rings);
	if (!err)
		err = cpu_trace__clock(&c->traced.cpus[0], &tsc);
	/* In any case: a thread may wait for it. */
	settled = capture_file__settle(c->file, &tsc);
	return err ? err : settled;
}

/* If the code cannot be had no snapshot ever will be written. */
static int code_is_copied(void *ctx)
{
	struct session *c = ctx;

	waiter__remove(c->waiter, capture_file__fd(c->file));
	return settle_file(c) ? 1 : 0;
}

static int start_recorder(struct session *c)
{
	const struct recorder_parts parts = {
		.capture = c->opts,
		.cpus = c->traced.cpus,
		.nr_cpus = c->traced.nr,
		.nr_all = c->traced.nr_all,
		.gate = c->gate,
		.file = c->file,
		.dir = c->dir,
		.rings = c->rings,
		.exec = c->exec,
	};
	int err = recorder__new(c->opts->recorder, &parts, c->waiter, &c->recorder);
	int fd = capture_file__fd(c->file);

	if (err)
		return err;
	if (fd >= 0)
		err = waiter__add(c->waiter, fd, code_is_copied, c);
	if (err)
		log_err("cannot watch the copy of the kernel's code: %s", strerror(-err));
	return err;
}

static int start_stream(struct session *c)
{
	const struct stream_parts parts = {
		.capture = c->opts,
		.cpus = c->traced.cpus,
		.nr_cpus = c->traced.nr,
		.nr_all = c->traced.nr_all,
		.gate = c->gate,
		.file = c->file,
	};

	return stream__new(c->opts->stream, &parts, c->waiter, &c->stream);
}

static int watch_targets(struct session *c)
{
	int err = 0;

	if (c->workload)
		err = workload__watch(c->workload, c->waiter, c->gate);
	else
		err = target_tasks__watch(c->tasks, c->waiter, c->gate);
	if (!err && c->cgroups)
		err = target_cgroups__watch(c->cgroups, c->waiter);
	if (!err && c->rings && capture_opts__look_every(c->opts))
		err = waiter__every(c->waiter, capture_opts__look_every(c->opts), rings__drain, c->rings);
	if (!err && c->opts->max_time)
		err = waiter__end_after(c->waiter, c->opts->max_time);
	if (err)
		log_err("cannot watch the traced processes: %s", strerror(-err));
	return err;
}

static int start_rings(struct session *c)
{
	const struct rings_parts parts = {
		.capture = c->opts,
		.cpus = c->traced.cpus,
		.nr_cpus = c->traced.nr,
		.nr_all = c->traced.nr_all,
		.gate = c->gate,
		.spares = c->opts->recorder ? c->opts->recorder->spares : 0,
		.file = c->file,
	};

	return rings__new(&parts, c->waiter, &c->rings);
}

static int watch(struct session *c)
{
	int err = c->opts->stream ? start_stream(c) : start_rings(c);

	if (!err)
		err = watch_targets(c);
	return !err && c->opts->recorder ? start_recorder(c) : err;
}

static int add_cgroups(struct session *c)
{
	int err = gate__watch_cgroups(c->gate);

	return err ? err : target_cgroups__add(c->cgroups, c->gate);
}

/* What runs in a container is decoded with its programs. */
static void note_roots(struct session *c)
{
	for (size_t i = 0; c->roots && i < c->targets.nr_pids; i++)
		container_roots__add_pid(c->roots, (int)c->targets.pids[i]);
	if (c->cgroups)
		target_cgroups__note_roots(c->cgroups);
}

/* Attaching patches the kernel's text: the copy is made of what will run. */
static int prepare_file(struct session *c)
{
	int pids[MAX_PROCESSES], err;
	size_t nr = list_processes(c, pids, MAX_PROCESSES);

	if (!c->opts->recorder)
		return snapshot__prepare(c->opts, AT_FDCWD, c->opts->output, pids, nr, &c->file);
	err = snapshot_dir__open(c->opts->output, &c->dir);
	return err ? err
		   : snapshot__prepare(c->opts, snapshot_dir__fd(c->dir), "snapshot", pids, nr, &c->file);
}

static int attach(struct session *c)
{
	int err = c->cgroups ? add_cgroups(c) : 0;

	return err ? err : gate__attach(c->gate);
}

/*
 * Last: what is done before need not be traced, which would make it slower. Until then a signal ends auxbpf at
 * once, from then on the recording.
 */
static int arm(struct session *c)
{
	int err = gate__arm(c->gate);

	if (err == -ESRCH)
		log_err("none of the processes to be traced is there any more");
	return err ? err : waiter__block_signals(c->waiter);
}

static int open_trace(struct session *c)
{
	int err = traced_cpus__open(c->opts, &c->traced);

	return err || c->opts->recorder ? err : memory_room__check(c->opts, c->traced.nr_all);
}

static int note_state(struct session *c)
{
	int err = prepare_file(c);

	note_roots(c);
	if (!err && c->roots)
		capture_file__keep_programs(c->file, c->roots);
	return err;
}

/* Recording and writing need few privileges, and they read the names and files of strangers. */
static int drop_privileges(struct session *c)
{
	int err;

	/* There are no real-time threads, and what is not read in time is lost all the same. */
	if (!c->recorder && thread__favour())
		log_debug("no larger share of the CPU for the thread that empties the rings");
	err = privileges__limit(PRIVILEGES_RECORDER);
	/* Our own seccomp filter: we may be traced ourselves. */
	return err ? err : capture_file__look_for_code(c->file);
}

/* Each takes a while somewhere, and is shown. */
static const struct {
	const char *what;
	int (*run)(struct session *c);
} steps[] = {
	{"opening the trace of each CPU", open_trace},
	{"loading the BPF programs", open_gate},
	{"attaching the BPF programs", attach},
	{"copying the kernel's code, and what tasks have mapped", note_state},
	{"setting memory aside", watch},
	{"looking for the targets", arm},
	{"dropping privileges", drop_privileges},
};

static int start(struct session *c)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(steps); i++) {
		const unsigned int errors = log__nr_errors();

		log_debug("%s", steps[i].what);
		log__status("auxbpf: %s ...", steps[i].what);
		err = steps[i].run(c);
		if (!err)
			err = drain_meanwhile(c);
		log__err_unless_said(errors, steps[i].what, err);
	}
	log__clear_status();
	return err;
}

static void log_written(const struct session *c, uint64_t aux_bytes)
{
	capture_summary__log(c->opts, c->gate, c->file, &c->traced, c->targets.nr_cpus > 0, aux_bytes);
}

static int write_capture(struct session *c)
{
	const struct plain_capture capture = {
		.opts = c->opts,
		.file = c->file,
		.cpus = c->traced.cpus,
		.nr_cpus = c->traced.nr,
		.nr_all = c->traced.nr_all,
		.paused = control__pauses_event(c->traced.control),
		.sideband = rings__sideband(c->rings),
	};
	uint64_t aux_bytes = 0;
	int err = plain_capture__write(&capture, &aux_bytes);

	if (err)
		return err;
	log_written(c, aux_bytes);
	snapshot_sideband__log(capture.sideband);
	rings__log_losses(c->rings);
	return 0;
}

/* Everything that a file needs has been collected then. */
static int end_trace(struct session *c)
{
	int err;

	note_roots(c);
	gate__disarm(c->gate);
	for (size_t i = 0; i < c->traced.nr_all; i++)
		cpu_trace__disable(&c->traced.cpus[i]);
	gate__detach(c->gate);
	err = c->stream ? 0 : rings__drain(c->rings);
	if (err)
		log_err("cannot collect the sideband: %s", strerror(-err));
	return err;
}

static int finish_recorder(struct session *c)
{
	int copied = settle_file(c), err;

	recorder__finish(c->recorder);
	err = end_trace(c);
	if (err)
		return err;
	counters__log(c->gate, c->traced.cpus, c->traced.nr, c->targets.nr_cpus > 0);
	rings__log_losses(c->rings);
	return copied ? copied : recorder__status(c->recorder);
}

static int finish_stream(struct session *c)
{
	uint64_t aux_bytes = 0;
	int err = stream__finish(c->stream, &aux_bytes);

	stream__log(c->stream);
	if (!err)
		log_written(c, aux_bytes);
	return err;
}

static int write_rest(struct session *c)
{
	int err;

	if (c->recorder)
		return finish_recorder(c);
	err = end_trace(c);
	if (err)
		return err;
	return c->stream ? finish_stream(c) : write_capture(c);
}

static int finish(struct session *c)
{
	const unsigned int errors = log__nr_errors();
	int err;

	if (c->stream)
		stream__close(c->stream);
	err = write_rest(c);
	/* What snapshots failed of was said when they did. */
	if (!c->recorder || !recorder__status(c->recorder))
		log__err_unless_said(errors, "writing what was recorded", err);
	return err;
}

/* A signal that only auxbpf got is meant for the command too, as with strace and perf. */
static int command_status(struct session *c)
{
	bool sent;
	int status = 0, signal = waiter__signal(c->waiter, &sent);

	if (!c->workload)
		return EXIT_SUCCESS;
	if (signal && sent)
		kill(workload__pid(c->workload), signal);
	while (workload__status(c->workload, 1, &status) == -EINTR)
		;
	return status;
}

/* From here on whatever counts is seen, and who waits for that may go on. */
static void announce(const struct session *c)
{
	if (c->recorder)
		log_info("armed");
	else if (!c->workload)
		log_info("tracing; Ctrl-C ends it");
	notify__send(c->recorder ? "READY=1\nSTATUS=armed" : "READY=1\nSTATUS=tracing");
}

static int wait_for_end(struct session *c)
{
	int err = waiter__run(c->waiter);

	if (err)
		log_err("cannot wait for the traced processes: %s", strerror(-err));
	if (waiter__is_over(c->waiter))
		log_info("the time of --max-time is over: the recording ends");
	if (c->recorder && recorder__is_complete(c->recorder))
		log_info("as many snapshots as --max-snapshots allows: the recording ends");
	notify__send("STOPPING=1\nSTATUS=writing");
	return err;
}

/* SIGUSR2 that came since the recording ended. */
static void log_unheard_request(const struct session *c)
{
	if (!waiter__has_unheard(c->waiter))
		return;
	if (c->recorder)
		log_warn("SIGUSR2 came after the recording had ended: there is no snapshot for it");
	else
		log_unwanted_request();
}

/* All is written; who does not want to wait ends auxbpf. */
static void wait_for_exec(struct session *c)
{
	waiter__unblock_signals(c->waiter);
	snapshot_exec__free(steal_ptr(c->exec));
}

/* The command goes on. */
static bool is_at_limit(const struct session *c)
{
	return waiter__is_over(c->waiter) || (c->recorder && recorder__is_complete(c->recorder)) ||
	       (c->stream && stream__is_full(c->stream));
}

static int run(struct session *c)
{
	int err = start(c);
	bool sent, failed;

	if (err)
		return EXIT_FAILURE;
	announce(c);
	err = c->workload ? workload__start(c->workload) : 0;
	if (err)
		return workload__exec_error(c->opts->argv[0], err);
	err = wait_for_end(c);
	/* A second signal ends auxbpf at once, also while it writes; the first one where only the command
	 * goes on. */
	if (waiter__signal(c->waiter, &sent) || is_at_limit(c))
		waiter__unblock_signals(c->waiter);
	failed = finish(c) || err;
	if (c->recorder)
		wait_for_exec(c);
	log_unheard_request(c);
	return failed ? EXIT_FAILURE : command_status(c);
}

static void release(struct session *c)
{
	recorder__free(c->recorder);
	snapshot_exec__free(c->exec);
	stream__free(c->stream);
	rings__free(c->rings); /* a look for tasks that is under way goes on until then */
	gate__free(c->gate);
	traced_cpus__release(&c->traced);
	capture_file__free(c->file);
	snapshot_dir__free(c->dir);
	target_tasks__free(c->tasks);
	target_cgroups__free(c->cgroups);
	container_roots__free(c->roots);
	waiter__free(c->waiter);
	workload__free(c->workload);
}

/* What was named must be there. */
static int find_targets(struct session *c)
{
	const unsigned int errors = log__nr_errors();
	const struct capture_opts *opts = c->opts;
	const struct target_cgroups_opts cgroups = {
		.root = opts->root,
		.cgroups = opts->cgroups,
		.nr_cgroups = opts->nr_cgroups,
		.containers = opts->containers,
		.nr_containers = opts->nr_containers,
		.wait = opts->wait,
		.roots = c->roots,
	};
	int err = target_tasks__new(opts->root, opts->targets, &c->tasks);

	if (!err && opts->targets->by_cgroup)
		err = target_cgroups__new(&cgroups, &c->cgroups);
	log__err_unless_said(errors, "looking for the targets", err);
	return err;
}

static int make_waiter(struct session *c)
{
	int err = waiter__new(&c->waiter);

	if (err)
		log_err("cannot wait for anything: %s", strerror(-err));
	else
		waiter__on_signal(c->waiter, SIGUSR2, take_request, c);
	return err;
}

int session__run(const struct capture_opts *opts)
{
	const unsigned int errors = log__nr_errors();
	struct session c = {.opts = opts, .targets = *opts->targets};
	int status = EXIT_FAILURE, err = 0;

	if (opts->argv)
		err = workload__new(opts->argv, &c.workload);
	if (err)
		return workload__error(opts->argv[0], err);
	/* Threads that start from here on have no more privileges than they need. */
	privileges__limit_threads(capture_opts__writes_to_others(opts));
	if (opts->recorder && opts->recorder->exec)
		err = snapshot_exec__new(opts->recorder->exec, &c.exec);
	if (!err && capture_opts__has_user(opts))
		err = container_roots__new(opts->root, &c.roots);
	log__err_unless_said(errors, "setting memory aside", err);
	if (!err && !find_targets(&c) && !make_waiter(&c))
		status = run(&c);
	release(&c);
	return status;
}
