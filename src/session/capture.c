// SPDX-License-Identifier: GPL-2.0-only
#include "session/capture.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/path.h"
#include "kernel/control.h"
#include "kernel/cpu_trace.h"
#include "kernel/gate.h"
#include "session/snapshot.h"
#include "session/target_cgroups.h"
#include "session/target_tasks.h"
#include "session/wait.h"
#include "session/workload.h"

#define MAX_CPUS 4096
/* By whose eyes a user's function is looked for; enough for the containers of one machine. */
#define MAX_PROCESSES 4096

/* What watches the ring of one CPU. */
struct ring_watch {
	struct capture_file *file;
	struct cpu_trace *cpu;
};

struct capture {
	const struct capture_opts *opts;
	enum auxbpf_control control;
	struct target_set targets; /* with the command */
	struct cpu_trace *cpus;
	size_t nr_cpus;
	struct gate *gate;
	struct capture_file *file;
	struct workload *workload;
	struct target_tasks *tasks;
	struct target_cgroups *cgroups; /* NULL without --cgroup and --container */
	struct container_roots *roots;
	struct waiter *waiter;
	struct ring_watch *rings; /* one a CPU */
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

/* The CPUs of -C, each of which must be online, or all. */
static int choose_cpus(const struct capture_opts *opts, int *cpus, size_t max)
{
	int n = read_online_cpus(opts->root, cpus, max);
	size_t at = 0;

	if (n < 0 || !opts->targets->nr_cpus)
		return n;
	for (size_t i = 0; i < opts->targets->nr_cpus; i++) {
		while (at < (size_t)n && cpus[at] < opts->targets->cpus[i])
			at++;
		if (at == (size_t)n || cpus[at] != opts->targets->cpus[i]) {
			log_err("-C: CPU %d is not online", opts->targets->cpus[i]);
			return -ENODEV;
		}
	}
	memcpy(cpus, opts->targets->cpus, opts->targets->nr_cpus * sizeof(*cpus));
	return (int)opts->targets->nr_cpus;
}

static int open_cpus(struct capture *c, const int *numbers, size_t nr)
{
	int err = 0;

	c->cpus = calloc(nr, sizeof(*c->cpus));
	if (!c->cpus)
		return -ENOMEM;
	for (size_t i = 0; !err && i < nr; i++) {
		c->nr_cpus++;
		err = cpu_trace__open(&c->cpus[i], numbers[i], c->opts->event,
				      control__pauses_event(c->control), c->opts->aux_size);
		if (!err)
			err = cpu_trace__enable_sideband(&c->cpus[i]);
	}
	return err;
}

static int open_trace(struct capture *c)
{
	int cpus[MAX_CPUS], n = choose_cpus(c->opts, cpus, MAX_CPUS), err;

	if (n < 0)
		return n;
	c->control = c->opts->control;
	err = control__choose(c->opts->root, c->opts->event, cpus, (size_t)n, &c->control);
	if (err)
		return err;
	if (c->control == AUXBPF_CONTROL_IOCTL)
		log_warn("the gate is moved from user space (ioctl): it opens and closes late");
	return open_cpus(c, cpus, (size_t)n);
}

/* Those that are there already and may have files of their own. The command sees ours. */
static size_t list_processes(const struct capture *c, int *pids, size_t max)
{
	const struct target_set *targets = &c->targets;
	size_t nr = 0;

	for (size_t i = 0; i < targets->nr_pids && nr < max; i++)
		pids[nr++] = targets->pids[i];
	for (size_t i = 0; i < targets->nr_tids && nr < max; i++)
		pids[nr++] = targets->tids[i];
	return c->cgroups ? nr + target_cgroups__pids(c->cgroups, pids + nr, max - nr) : nr;
}

static int open_gate(struct capture *c)
{
	int pids[MAX_PROCESSES];
	struct gate_opts opts = {
		.root = c->opts->root,
		.control = c->control,
		.targets = &c->targets,
		.windows = c->opts->windows,
		.pids = pids,
		.nr_cpus = c->cpus[c->nr_cpus - 1].cpu + 1,
		.wait = c->opts->wait,
	};
	int err;

	opts.nr_pids = list_processes(c, pids, MAX_PROCESSES);
	if (c->workload && c->opts->command_is_target)
		c->targets.pids[c->targets.nr_pids++] = opts.command = workload__pid(c->workload);
	err = gate__new(&opts, &c->gate);
	for (size_t i = 0; !err && i < c->nr_cpus; i++) {
		err = gate__add_cpu(c->gate, c->cpus[i].cpu, c->cpus[i].aux_fd);
		if (!err && control__pauses_event(c->control))
			err = cpu_trace__enable(&c->cpus[i]);
	}
	return err;
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
	if (!err && c->workload)
		err = waiter__add(c->waiter, workload__pidfd(c->workload), workload_ended, NULL);
	else if (!err)
		err = target_tasks__watch(c->tasks, c->waiter, c->gate);
	if (!err && c->cgroups)
		err = target_cgroups__watch(c->cgroups, c->waiter);
	if (err)
		log_err("cannot watch the traced processes: %s", strerror(-err));
	return err;
}

static int add_cgroups(struct capture *c)
{
	int err = gate__watch_cgroups(c->gate);

	return err ? err : target_cgroups__add(c->cgroups, c->gate);
}

/* What runs in a container is decoded with its programs. */
static void note_roots(struct capture *c)
{
	for (size_t i = 0; i < c->targets.nr_pids; i++)
		container_roots__add_pid(c->roots, (int)c->targets.pids[i]);
	if (c->cgroups)
		target_cgroups__note_roots(c->cgroups);
}

static int start(struct capture *c)
{
	int err = open_trace(c);

	if (!err)
		err = open_gate(c);
	if (!err && c->cgroups)
		err = add_cgroups(c);
	if (!err)
		err = gate__arm(c->gate);
	if (err == -ESRCH)
		log_err("none of the processes to be traced is there any more");
	/* Attaching patches the kernel's text: the copy is made of what will run. */
	if (!err)
		err = snapshot__prepare(c->opts, &c->file);
	if (err)
		return err;
	note_roots(c);
	if (!c->opts->event->exclude_user)
		capture_file__keep_programs(c->file, c->roots);
	return 0;
}

/* Stops the trace; everything that a file needs has been collected then. */
static int stop(struct capture *c)
{
	int err = 0;

	note_roots(c);
	gate__halt(c->gate);
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
	target_tasks__free(c->tasks);
	target_cgroups__free(c->cgroups);
	container_roots__free(c->roots);
	waiter__free(c->waiter);
	workload__free(c->workload);
}

/* What was named must be there. */
static int find_targets(struct capture *c)
{
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

	return !err && opts->targets->by_cgroup ? target_cgroups__new(&cgroups, &c->cgroups) : err;
}

int capture__run(const struct capture_opts *opts)
{
	struct capture c = {.opts = opts, .targets = *opts->targets};
	int status = EXIT_FAILURE, err = 0;

	if (opts->argv)
		err = workload__new(opts->argv, &c.workload);
	if (err)
		return workload__error(opts->argv[0], err);
	if (!container_roots__new(opts->root, &c.roots) && !find_targets(&c) && !waiter__new(&c.waiter) &&
	    !waiter__block_signals(c.waiter))
		status = run(&c);
	release(&c);
	return status;
}
