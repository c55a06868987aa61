// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gate's BPF programs as a listener: loaded and armed as by a session, but without trace.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/log.h"
#include "gate/gate.h"
#include "rules/glob.h"
#include "variant.h"

/* A uid that nobody has. */
#define OTHER_UID 64321

struct gate_listener {
	const struct bench *bench;
	struct target_set targets;
	struct window_set windows;
	struct gate_opts opts;
	struct gate *gate;
	int event; /* -1: none */
};

static int fill(struct gate_listener *l, const struct variant *v)
{
	char message[256] = "";
	int err = 0;

	l->targets = (struct target_set){
		.by_task = v->targets & AUXBPF_BY_TASK,
		.pids = {workers__pid(l->bench->workers, WORKER_TARGET)},
		.nr_pids = 1,
		.by_cgroup = v->targets & AUXBPF_BY_CGROUP,
		.by_comm = v->targets & AUXBPF_BY_COMM,
		.by_uid = v->targets & AUXBPF_BY_UID,
		.uids = {OTHER_UID},
		.nr_uids = 1,
	};
	l->windows = (struct window_set){.on_cpu = v->on_cpu, .has_syscalls = v->syscalls};
	l->opts = (struct gate_opts){
		.root = "",
		.control = v->move ? AUXBPF_CONTROL_IOCTL : AUXBPF_CONTROL_TRACEPOINT,
		.targets = &l->targets,
		.windows = &l->windows,
		.nr_cpus = (int)sysconf(_SC_NPROCESSORS_CONF),
	};
	if (l->targets.by_comm)
		err = glob__compile(&l->targets.comms, "bench-t*", message, sizeof(message));
	if (!err && v->syscalls)
		err = syscall_set__add(&l->windows.syscalls, v->syscalls, NULL, message, sizeof(message));
	if (err)
		log_err("%s", message);
	return err;
}

/* Adds the cgroups to the gate; the workers are in the first. */
static int fill_cgroups(struct gate_listener *l, size_t nr)
{
	int err = gate__watch_cgroups(l->gate);

	if (!err)
		err = gate__add_cgroups(l->gate, bench_cgroups__ids(l->bench->cgroups), nr, NULL, 0);
	return err < 0 ? err : 0;
}

/* Adds an event, as the gate can be moved only if there is one. */
static int add_event(struct gate_listener *l)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};
	const int cpu = workers__cpu(l->bench->workers);

	l->event = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (l->event < 0)
		return -errno;
	return gate__add_cpu(l->gate, cpu, l->event);
}

int gate_listener__new(const struct variant *v, const struct bench *bench, struct gate_listener **ret)
{
	_cleanup_(cleanup__gate_listener) struct gate_listener *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->bench = bench;
	l->event = -1;
	err = fill(l, v);
	if (!err)
		err = gate__new(&l->opts, NULL, 0, &l->gate);
	if (!err && v->nr_cgroups)
		err = fill_cgroups(l, v->nr_cgroups);
	if (!err && v->move)
		err = add_event(l);
	if (!err)
		err = gate__attach(l->gate);
	if (!err)
		err = gate__arm(l->gate);
	if (err)
		return err;
	*ret = steal_ptr(l);
	return 0;
}

void gate_listener__free(struct gate_listener *l)
{
	if (l->gate) {
		gate__disarm(l->gate);
		gate__detach(l->gate);
	}
	gate__free(l->gate);
	cleanup__close(&l->event);
	free(l);
}
