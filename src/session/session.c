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
#include "base/waiter.h"
#include "capture/kept_windows.h"
#include "gate/gate.h"
#include "rings/memory_room.h"
#include "rings/rings.h"
#include "session/capture_summary.h"
#include "session/plain_capture.h"
#include "session/stream.h"
#include "session/target_cgroups.h"
#include "session/target_tasks.h"
#include "session/traced_cpus.h"
#include "session/workload.h"
#include "snapshot/recorder.h"
#include "snapshot/snapshot.h"
#include "snapshot/snapshot_exec.h"
#include "summary/counters.h"
#include "summary/notify.h"
#include "trace/cpu_trace.h"

/* Users' functions are looked for as so many processes see them; enough for a machine's containers. */
#define MAX_PROCESSES 4096

struct session {
	const struct capture_opts *opts;
	struct target_set targets;   /* with the command */
	enum auxbpf_control control; /* how the gates are moved */
	struct cpu_traces traces;
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
	struct rings *rings;	      /* NULL until the session runs, and with opts->stream */
	struct kept_windows *windows; /* NULL if none are kept */
};

/* Lists targets that run already and may see other files than we do. The command sees ours. */
static size_t list_processes(const struct session *s, int *pids, size_t max)
{
	size_t nr = target_set__tasks(&s->targets, pids, max);

	return s->cgroups ? nr + target_cgroups__pids(s->cgroups, pids + nr, max - nr) : nr;
}

static int open_gate(struct session *s)
{
	int pids[MAX_PROCESSES];
	struct gate_opts opts = {
		.root = s->opts->root,
		.control = s->control,
		.targets = &s->targets,
		.windows = s->opts->windows,
		.named_cgroups = s->opts->named_cgroups,
		.nr_cpus = s->traces.cpus[s->traces.nr - 1].cpu + 1,
		.wait = s->opts->wait,
		.triggers = s->opts->recorder ? &s->opts->recorder->triggers : NULL,
		.limit_samples = capture_opts__limits_samples(s->opts),
		.keep_moves = capture_opts__keeps_moves(s->opts) || capture_opts__asks_for_moves(s->opts),
	};
	size_t nr_pids = list_processes(s, pids, MAX_PROCESSES);
	int err;

	if (s->workload && s->opts->command_is_target)
		s->targets.pids[s->targets.nr_pids++] = opts.command = workload__pid(s->workload);
	err = gate__new(&opts, pids, nr_pids, &s->gate);
	for (size_t i = 0; !err && i < s->traces.nr; i++) {
		err = gate__add_cpu(s->gate, s->traces.cpus[i].cpu, cpu_trace__fd(&s->traces.cpus[i]));
		if (!err && opts.limit_samples)
			err = gate__limit_samples(s->gate, s->traces.cpus[i].cpu, &s->traces.cpus[i].samples,
						  s->opts->samples);
		if (!err)
			err = traced_cpus__enable(&s->traces.cpus[i]);
	}
	return err;
}

/*
 * Drains the rings, which a busy machine fills long before a start is over. Nothing is traced before there
 * are struct rings, or a stream, which drains them itself.
 */
static int drain_meanwhile(struct session *s)
{
	int err = 0;

	if (s->rings)
		return rings__drain(s->rings);
	for (size_t i = 0; !err && !s->stream && i < s->traces.nr_all; i++)
		err = cpu_trace__drain_idle(&s->traces.cpus[i]);
	return err;
}

static void log_unwanted_request(void)
{
	log_warn("SIGUSR2 is ignored: it takes a snapshot of a recorder, and there is none without "
		 "--snapshot-on");
}

/* Handles SIGUSR2; one that comes before the recorder exists waits until it does. */
static int take_request(void *ctx, const struct signalfd_siginfo *info)
{
	struct session *s = ctx;

	if (!s->recorder) {
		log_unwanted_request();
		return 0;
	}
	return recorder__request(s->recorder, info->ssi_pid, info->ssi_uid);
}

/* Waits until the kernel's code is copied; snapshots can be written from then on. */
static int settle_file(struct session *s)
{
	struct pollfd copied = {.fd = capture_file__fd(s->file), .events = POLLIN};
	struct tsc_conv tsc = {0};
	int err = 0, settled;

	if (copied.fd < 0)
		return 0;
	while (!err && poll(&copied, 1, -1) < 0)
		err = errno == EINTR ? 0 : -errno;
	if (err)
		log_err("cannot wait for the copy of the kernel's code: %s", strerror(-err));
	if (!err)
		err = rings__drain(s->rings);
	if (!err)
		err = cpu_trace__clock(&s->traces.cpus[0], &tsc);
	/* Settle in any case, as a thread may wait for it. */
	settled = capture_file__settle(s->file, &tsc);
	return err ? err : settled;
}

/* Ends the wait if the kernel's code cannot be copied: no snapshot could be written. */
static int code_is_copied(void *ctx)
{
	struct session *s = ctx;

	waiter__remove(s->waiter, capture_file__fd(s->file));
	return settle_file(s) ? 1 : 0;
}

static int start_recorder(struct session *s)
{
	const struct recorder_parts parts = {
		.capture = s->opts,
		.traces = &s->traces,
		.gate = s->gate,
		.file = s->file,
		.dir = s->dir,
		.rings = s->rings,
		.windows = s->windows,
		.exec = s->exec,
	};
	int err = recorder__new(s->opts->recorder, &parts, s->waiter, &s->recorder);
	int fd = capture_file__fd(s->file);

	if (err)
		return err;
	if (fd >= 0)
		err = waiter__add(s->waiter, fd, code_is_copied, s);
	if (err)
		log_err("cannot watch the copy of the kernel's code: %s", strerror(-err));
	return err;
}

static int start_stream(struct session *s)
{
	const struct stream_parts parts = {
		.capture = s->opts,
		.traces = &s->traces,
		.gate = s->gate,
		.windows = s->windows,
		.file = s->file,
	};

	return stream__new(s->opts->stream, &parts, s->waiter, &s->stream);
}

static int watch_targets(struct session *s)
{
	int err = 0;

	if (s->workload)
		err = workload__watch(s->workload, s->waiter, s->gate);
	else
		err = target_tasks__watch(s->tasks, s->waiter, s->gate);
	if (!err && s->cgroups)
		err = target_cgroups__watch(s->cgroups, s->waiter);
	if (!err && s->rings && capture_opts__look_every(s->opts))
		err = waiter__every(s->waiter, capture_opts__look_every(s->opts), rings__drain, s->rings);
	if (!err && s->opts->max_time)
		err = waiter__end_after(s->waiter, s->opts->max_time);
	if (err)
		log_err("cannot watch the traced processes: %s", strerror(-err));
	return err;
}

static int start_rings(struct session *s)
{
	const struct rings_parts parts = {
		.capture = s->opts,
		.traces = &s->traces,
		.gate = s->gate,
		.spares = s->opts->recorder ? s->opts->recorder->spares : 0,
		.file = s->file,
	};

	return rings__new(&parts, s->waiter, &s->rings);
}

static int watch(struct session *s)
{
	int err = kept_windows__new(s->gate, &s->traces, s->opts->windows, &s->windows);

	if (!err)
		err = s->opts->stream ? start_stream(s) : start_rings(s);
	if (!err)
		err = watch_targets(s);
	return !err && s->opts->recorder ? start_recorder(s) : err;
}

static int add_cgroups(struct session *s)
{
	int err = gate__watch_cgroups(s->gate);

	return err ? err : target_cgroups__add(s->cgroups, s->gate);
}

/* Notes the roots of targets: what runs in a container is decoded with its own programs. */
static void note_roots(struct session *s)
{
	for (size_t i = 0; s->roots && i < s->targets.nr_pids; i++)
		container_roots__add_pid(s->roots, (int)s->targets.pids[i]);
	if (s->cgroups)
		target_cgroups__note_roots(s->cgroups);
}

/* Called after attaching, which patches the kernel's text: the copy must be of the code that will run. */
static int prepare_file(struct session *s)
{
	int pids[MAX_PROCESSES], err;
	size_t nr = list_processes(s, pids, MAX_PROCESSES);

	if (!s->opts->recorder)
		return snapshot__prepare(s->opts, AT_FDCWD, s->opts->output, pids, nr, &s->file);
	err = snapshot_dir__open(s->opts->output, &s->dir);
	return err ? err
		   : snapshot__prepare(s->opts, snapshot_dir__fd(s->dir), "snapshot", pids, nr, &s->file);
}

static int attach(struct session *s)
{
	int err = s->cgroups ? add_cgroups(s) : 0;

	return err ? err : gate__attach(s->gate);
}

/*
 * Comes late, as tracing would make the earlier steps slower. Before this a signal ends auxbpf at once,
 * afterwards it ends the recording.
 */
static int arm(struct session *s)
{
	int err = gate__arm(s->gate);

	if (err == -ESRCH)
		log_err("none of the processes to be traced is there any more");
	return err ? err : waiter__block_signals(s->waiter);
}

static int open_trace(struct session *s)
{
	int err = traced_cpus__open(s->opts, &s->control, &s->traces);

	return err || s->opts->recorder ? err : memory_room__check(s->opts, s->traces.nr_all);
}

static int note_state(struct session *s)
{
	int err = prepare_file(s);

	note_roots(s);
	if (!err && s->roots)
		capture_file__keep_programs(s->file, s->roots);
	return err;
}

/* Keeps only the few privileges that are needed from here on, as names and files of strangers are read. */
static int drop_privileges(struct session *s)
{
	int err;

	/* Without a recorder no thread is real-time, and what is not read in time is lost all the same. */
	if (!s->recorder && thread__favour())
		log_debug("no larger share of the CPU for the thread that empties the rings");
	err = privileges__limit(PRIVILEGES_RECORDER);
	/* Look for the code of our own seccomp filter: we may be traced ourselves. */
	return err ? err : capture_file__look_for_code(s->file);
}

/* The steps of a start, which are shown as each may take a while. */
static const struct {
	const char *what;
	int (*run)(struct session *s);
} steps[] = {
	{"opening the trace of each CPU", open_trace},
	{"loading the BPF programs", open_gate},
	{"attaching the BPF programs", attach},
	{"copying the kernel's code, and what tasks have mapped", note_state},
	{"setting memory aside", watch},
	{"looking for the targets", arm},
	{"dropping privileges", drop_privileges},
};

static int start(struct session *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(steps); i++) {
		const unsigned int errors = log__nr_errors();

		log_debug("%s", steps[i].what);
		log__status("auxbpf: %s ...", steps[i].what);
		err = steps[i].run(s);
		if (!err)
			err = drain_meanwhile(s);
		log__err_unless_said(errors, steps[i].what, err);
	}
	log__clear_status();
	return err;
}

static void log_written(const struct session *s, uint64_t aux_bytes)
{
	capture_summary__log(s->opts, s->gate, s->file, &s->traces, s->targets.nr_cpus > 0, aux_bytes);
	kept_windows__log(s->windows);
}

static int write_capture(struct session *s)
{
	const struct plain_capture capture = {
		.opts = s->opts,
		.file = s->file,
		.traces = &s->traces,
		.sideband = rings__sideband(s->rings),
		.windows = s->windows,
	};
	uint64_t aux_bytes = 0;
	int err = plain_capture__write(&capture, &aux_bytes);

	if (err)
		return err;
	log_written(s, aux_bytes);
	snapshot_sideband__log(capture.sideband);
	rings__log_losses(s->rings);
	return 0;
}

/* Ends the trace; then everything that a file needs has been collected. */
static int end_trace(struct session *s)
{
	int err;

	note_roots(s);
	gate__disarm(s->gate);
	for (size_t i = 0; i < s->traces.nr_all; i++)
		cpu_trace__disable(&s->traces.cpus[i]);
	gate__detach(s->gate);
	err = s->stream ? 0 : rings__drain(s->rings);
	if (err)
		log_err("cannot collect the sideband: %s", strerror(-err));
	return err;
}

static int finish_recorder(struct session *s)
{
	int copied = settle_file(s), err;

	recorder__finish(s->recorder);
	err = end_trace(s);
	if (err)
		return err;
	counters__log(s->gate, s->traces.cpus, s->traces.nr, s->targets.nr_cpus > 0);
	rings__log_losses(s->rings);
	return copied ? copied : recorder__status(s->recorder);
}

static int finish_stream(struct session *s)
{
	uint64_t aux_bytes = 0;
	int err = stream__finish(s->stream, &aux_bytes);

	stream__log(s->stream);
	if (!err)
		log_written(s, aux_bytes);
	return err;
}

static int write_rest(struct session *s)
{
	int err;

	if (s->recorder)
		return finish_recorder(s);
	err = end_trace(s);
	if (err)
		return err;
	return s->stream ? finish_stream(s) : write_capture(s);
}

static int finish(struct session *s)
{
	const unsigned int errors = log__nr_errors();
	int err;

	if (s->stream)
		stream__close(s->stream);
	err = write_rest(s);
	/* Why a snapshot could not be written was logged at that time. */
	if (!s->recorder || !recorder__status(s->recorder))
		log__err_unless_said(errors, "writing what was recorded", err);
	return err;
}

/* Tells those who wait for it that everything is traced from here on. */
static void announce(const struct session *s)
{
	if (s->recorder)
		log_info("armed");
	else if (!s->workload)
		log_info("tracing; Ctrl-C ends it");
	notify__send(s->recorder ? "READY=1\nSTATUS=armed" : "READY=1\nSTATUS=tracing");
}

static int wait_for_end(struct session *s)
{
	int err = waiter__run(s->waiter);

	if (err)
		log_err("cannot wait for the traced processes: %s", strerror(-err));
	if (waiter__is_over(s->waiter))
		log_info("the time of --max-time is over: the recording ends");
	if (s->recorder && recorder__is_complete(s->recorder))
		log_info("as many snapshots as --max-snapshots allows: the recording ends");
	notify__send("STOPPING=1\nSTATUS=writing");
	return err;
}

/* Warns of a SIGUSR2 that came after the recording ended. */
static void log_unheard_request(const struct session *s)
{
	if (!waiter__has_unheard(s->waiter))
		return;
	if (s->recorder)
		log_warn("SIGUSR2 came after the recording had ended: there is no snapshot for it");
	else
		log_unwanted_request();
}

/* All is written; let Ctrl-C end the wait for --exec. */
static void wait_for_exec(struct session *s)
{
	waiter__unblock_signals(s->waiter);
	snapshot_exec__free(steal_ptr(s->exec));
}

/* Tells whether a limit ended the recording while the command runs. */
static bool is_at_limit(const struct session *s)
{
	return waiter__is_over(s->waiter) || (s->recorder && recorder__is_complete(s->recorder)) ||
	       (s->stream && stream__is_full(s->stream));
}

static int run(struct session *s)
{
	int err = start(s);
	bool sent, failed;

	if (err)
		return EXIT_FAILURE;
	announce(s);
	err = s->workload ? workload__start(s->workload) : 0;
	if (err)
		return workload__exec_error(s->opts->argv[0], err);
	err = wait_for_end(s);
	/* A second signal ends auxbpf at once, even while it writes; so does the first after a limit. */
	if (waiter__signal(s->waiter, &sent) || is_at_limit(s))
		waiter__unblock_signals(s->waiter);
	failed = finish(s) || err;
	if (s->recorder)
		wait_for_exec(s);
	log_unheard_request(s);
	if (failed)
		return EXIT_FAILURE;
	return s->workload ? workload__end_status(s->workload, s->waiter) : EXIT_SUCCESS;
}

static void release(struct session *s)
{
	recorder__free(s->recorder);
	snapshot_exec__free(s->exec);
	stream__free(s->stream);
	rings__free(s->rings); /* waits for a look for tasks that is under way */
	kept_windows__free(s->windows);
	gate__free(s->gate);
	traced_cpus__release(&s->traces);
	capture_file__free(s->file);
	snapshot_dir__free(s->dir);
	target_tasks__free(s->tasks);
	target_cgroups__free(s->cgroups);
	container_roots__free(s->roots);
	waiter__free(s->waiter);
	workload__free(s->workload);
}

/* Looks for the targets that were named, which must be there. */
static int find_targets(struct session *s)
{
	const unsigned int errors = log__nr_errors();
	const struct capture_opts *opts = s->opts;
	const struct target_cgroups_opts cgroups = {
		.root = opts->root,
		.cgroups = opts->cgroups,
		.nr_cgroups = opts->nr_cgroups,
		.containers = opts->containers,
		.nr_containers = opts->nr_containers,
		.wait = opts->wait,
		.roots = s->roots,
	};
	int err = target_tasks__new(opts->root, opts->targets, &s->tasks);

	if (!err && opts->targets->by_cgroup)
		err = target_cgroups__new(&cgroups, &s->cgroups);
	log__err_unless_said(errors, "looking for the targets", err);
	return err;
}

static int make_waiter(struct session *s)
{
	int err = waiter__new(&s->waiter);

	if (err)
		log_err("cannot wait for anything: %s", strerror(-err));
	else
		waiter__on_signal(s->waiter, SIGUSR2, take_request, s);
	return err;
}

int session__run(const struct capture_opts *opts)
{
	const unsigned int errors = log__nr_errors();
	struct session s = {.opts = opts, .targets = *opts->targets};
	int status = EXIT_FAILURE, err = 0;

	if (opts->argv)
		err = workload__new(opts->argv, opts->user, &s.workload);
	if (err)
		return workload__error(opts->argv[0], err);
	/* Threads that start from here on have only the privileges that they need. */
	privileges__limit_threads(capture_opts__writes_to_others(opts));
	if (opts->recorder && opts->recorder->exec)
		err = snapshot_exec__new(opts->recorder->exec, &s.exec);
	if (!err && capture_opts__has_user(opts))
		err = container_roots__new(opts->root, &s.roots);
	log__err_unless_said(errors, "setting memory aside", err);
	if (!err && !find_targets(&s) && !make_waiter(&s))
		status = run(&s);
	release(&s);
	return status;
}
