// SPDX-License-Identifier: GPL-2.0-only
#include "session/capture.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/path.h"
#include "kernel/cpu_trace.h"
#include "kernel/gate.h"
#include "session/snapshot.h"
#include "session/wait.h"
#include "session/workload.h"

#define MAX_CPUS 4096

/* What watches the ring of one CPU. */
struct ring_watch {
	struct capture_file *file;
	struct cpu_trace *cpu;
};

struct capture {
	const struct capture_opts *opts;
	struct cpu_trace *cpus;
	size_t nr_cpus;
	struct gate *gate;
	struct capture_file *file;
	struct workload *workload;
	struct waiter *waiter;
	struct ring_watch *rings; /* one a CPU */
	int pidfds[AUXBPF_MAX_PIDS];
	size_t nr_pidfds, nr_ended;
	int children_fd; /* timer that looks whether children of the processes still live */
};

static int read_online_cpus(const char *root, int *cpus, size_t max)
{
	char text[4096];
	int n = path__read(root, text, sizeof(text), "/sys/devices/system/cpu/online");

	if (n >= 0)
		n = parse__cpu_list(text, cpus, (int)max);
	if (n < 0)
		log_err("cannot read which CPUs are online: %s", strerror(-n));
	return n;
}

static int open_cpus(struct capture *c)
{
	int numbers[MAX_CPUS], n = read_online_cpus(c->opts->root, numbers, MAX_CPUS), err;

	if (n < 0)
		return n;
	c->cpus = calloc((size_t)n, sizeof(*c->cpus));
	if (!c->cpus)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		c->nr_cpus++;
		err = cpu_trace__open(&c->cpus[i], numbers[i], c->opts->event, c->opts->aux_size);
		if (!err)
			err = cpu_trace__enable_sideband(&c->cpus[i]);
		if (err)
			return err;
	}
	return 0;
}

static int open_gate(struct capture *c)
{
	int pids[AUXBPF_MAX_PIDS], err;
	struct gate_opts opts = {
		.root = c->opts->root,
		.syscalls = c->opts->syscalls,
		.pids = pids,
		.nr_pids = c->opts->nr_pids,
		.nr_cpus = c->cpus[c->nr_cpus - 1].cpu + 1,
	};

	for (size_t i = 0; i < opts.nr_pids; i++)
		pids[i] = c->opts->pids[i];
	if (c->workload)
		pids[opts.nr_pids++] = workload__pid(c->workload);
	err = gate__new(&opts, &c->gate);
	for (size_t i = 0; !err && i < c->nr_cpus; i++) {
		err = gate__add_cpu(c->gate, c->cpus[i].cpu, c->cpus[i].aux_fd);
		if (!err)
			err = cpu_trace__enable(&c->cpus[i]);
	}
	return err;
}

static int open_pidfds(struct capture *c)
{
	for (size_t i = 0; i < c->opts->nr_pids; i++) {
		int fd = (int)syscall(SYS_pidfd_open, c->opts->pids[i], 0);

		if (fd < 0 && errno == EINVAL)
			log_err("%d is a thread, not a process", c->opts->pids[i]);
		else if (fd < 0)
			log_err("cannot trace process %d: %s", c->opts->pids[i], strerror(errno));
		if (fd < 0)
			return -errno;
		c->pidfds[c->nr_pidfds++] = fd;
	}
	return 0;
}

/* What is drained is shown to the file: it copies the code of BPF programs that may be gone at the end. */
static int drain_ring(void *ctx)
{
	struct ring_watch *watch = ctx;
	size_t old = watch->cpu->sideband.len;
	int err = cpu_trace__drain(watch->cpu);
	const struct buf *sideband = &watch->cpu->sideband;

	if (err)
		return err;
	return capture_file__follow(watch->file, (struct span){sideband->data + old, sideband->len - old});
}

static int workload_ended(void *ctx)
{
	return 1;
}

static int children_ended(void *ctx)
{
	struct capture *c = ctx;
	uint64_t ticks;

	if (read(c->children_fd, &ticks, sizeof(ticks)) < 0)
		return -errno;
	return !gate__live_targets(c->gate);
}

/* The processes of -p are gone; children that were followed may live on, as with strace -f. */
static int wait_for_children(struct capture *c)
{
	const struct itimerspec interval = {{0, 100000000}, {0, 1}};

	c->children_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (c->children_fd < 0 || timerfd_settime(c->children_fd, 0, &interval, NULL))
		return -errno;
	return waiter__add(c->waiter, c->children_fd, children_ended, c);
}

/* One of the processes of -p ended. */
static int process_ended(void *ctx)
{
	struct capture *c = ctx;

	for (size_t i = 0; i < c->nr_pidfds; i++) {
		if (c->pidfds[i] < 0 || syscall(SYS_pidfd_send_signal, c->pidfds[i], 0, NULL, 0) == 0)
			continue;
		waiter__remove(c->waiter, c->pidfds[i]);
		cleanup__close(&c->pidfds[i]);
		c->pidfds[i] = -1;
		c->nr_ended++;
	}
	return c->nr_ended == c->nr_pidfds && !c->workload ? wait_for_children(c) : 0;
}

static int watch(struct capture *c)
{
	int err = 0;

	c->rings = calloc(c->nr_cpus, sizeof(*c->rings));
	if (!c->rings)
		return -ENOMEM;
	for (size_t i = 0; !err && i < c->nr_cpus; i++) {
		c->rings[i] = (struct ring_watch){.file = c->file, .cpu = &c->cpus[i]};
		err = waiter__add(c->waiter, c->cpus[i].aux_fd, drain_ring, &c->rings[i]);
	}
	for (size_t i = 0; !err && i < c->nr_pidfds; i++)
		err = waiter__add(c->waiter, c->pidfds[i], process_ended, c);
	if (!err && c->workload)
		err = waiter__add(c->waiter, workload__pidfd(c->workload), workload_ended, NULL);
	if (err)
		log_err("cannot watch the traced processes: %s", strerror(-err));
	return err;
}

static int start(struct capture *c)
{
	int err = open_cpus(c);

	if (!err)
		err = open_gate(c);
	if (!err)
		err = gate__arm(c->gate);
	if (err == -ESRCH)
		log_err("none of the processes to be traced is there any more");
	/* Attaching patches the kernel's text: the copy is made of what will run. */
	return err ? err : snapshot__prepare(c->opts, &c->file);
}

/* Stops the trace; everything that a file needs has been collected then. */
static int stop(struct capture *c)
{
	int err = 0;

	for (size_t i = 0; i < c->nr_cpus; i++)
		cpu_trace__disable(&c->cpus[i]);
	gate__disarm(c->gate);
	for (size_t i = 0; !err && i < c->nr_cpus; i++)
		err = drain_ring(&c->rings[i]);
	return err;
}

static int finish(struct capture *c)
{
	int err = stop(c);

	if (err) {
		log_err("cannot collect the sideband: %s", strerror(-err));
		return err;
	}
	return snapshot__write(c->opts, c->file, c->cpus, c->nr_cpus, c->gate);
}

/* A signal that only auxbpf got is meant for the command too, as with strace and perf. */
static int command_status(struct capture *c)
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

static int run(struct capture *c)
{
	int err = start(c);
	bool sent;

	if (!err)
		err = watch(c);
	if (err)
		return EXIT_FAILURE;
	if (c->workload) {
		err = workload__start(c->workload);
		if (err)
			return workload__exec_error(c->opts->argv[0], err);
	} else {
		log_info("tracing; Ctrl-C ends it");
	}
	err = waiter__run(c->waiter);
	if (err)
		log_err("cannot wait for the traced processes: %s", strerror(-err));
	/* A second signal ends auxbpf at once, also while it writes. */
	if (waiter__signal(c->waiter, &sent))
		waiter__unblock_signals(c->waiter);
	if (finish(c) || err)
		return EXIT_FAILURE;
	return command_status(c);
}

static void release(struct capture *c)
{
	gate__free(c->gate);
	for (size_t i = 0; i < c->nr_cpus; i++)
		cpu_trace__close(&c->cpus[i]);
	free(c->cpus);
	free(c->rings);
	capture_file__free(c->file);
	for (size_t i = 0; i < c->nr_pidfds; i++)
		cleanup__close(&c->pidfds[i]);
	cleanup__close(&c->children_fd);
	waiter__free(c->waiter);
	workload__free(c->workload);
}

int capture__run(const struct capture_opts *opts)
{
	struct capture c = {.opts = opts, .children_fd = -1};
	int status = EXIT_FAILURE, err = 0;

	if (opts->argv)
		err = workload__new(opts->argv, &c.workload);
	if (err)
		return workload__error(opts->argv[0], err);
	if (!open_pidfds(&c) && !waiter__new(&c.waiter) && !waiter__block_signals(c.waiter))
		status = run(&c);
	release(&c);
	return status;
}
