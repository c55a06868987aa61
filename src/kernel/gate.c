// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/gate.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "auxbpf.skel.h"
#include "base/log.h"
#include "kernel/perf_event.h"
#include "kernel/tracefs.h"

struct gate {
	struct auxbpf_bpf *skel;
	struct bpf_link *mark_link;
	struct auxbpf_cpu *cpus; /* the mmapped map, nr_cpus entries */
	size_t cpus_size;
	int *sibling_fds; /* two a CPU, -1 where there is none */
	int nr_cpus;
	uint64_t printk_id;
	struct tracefs_printk printk;
};

/* libbpf's own messages are one level lower in the log; its warnings matter when loading failed. */
static int _printf_format_(2, 0) print_libbpf(enum libbpf_print_level level, const char *fmt, va_list args)
{
	char line[512];
	size_t len;

	if (log__level() < LOG_DEBUG || level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(line, sizeof(line), fmt, args);
	len = strlen(line);
	if (len && line[len - 1] == '\n')
		line[len - 1] = '\0';
	log_debug("%s", line);
	return 0;
}

/*
 * The strings that move the gate are this session's alone: two recorders must not hear each other. Short, and
 * different in the first letter, because comparing them is part of every window's trace.
 */
static int make_strings(struct auxbpf_bpf *skel)
{
	uint32_t token;

	if (getrandom(&token, sizeof(token), 0) != sizeof(token))
		return -errno;
	snprintf(skel->rodata->gate_open_string, AUXBPF_GATE_STRING, "+auxbpf%08x", token);
	snprintf(skel->rodata->gate_close_string, AUXBPF_GATE_STRING, "-auxbpf%08x", token);
	return 0;
}

static int configure(struct gate *gate, const struct gate_opts *opts)
{
	struct auxbpf_bpf *skel = gate->skel;

	for (int nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++) {
		if (opts->syscalls->native[nr])
			skel->rodata->syscalls[nr / 64] |= 1ull << (nr % 64);
		if (opts->syscalls->compat[nr])
			skel->rodata->compat_syscalls[nr / 64] |= 1ull << (nr % 64);
	}
	skel->rodata->restart_syscall_nr = syscall__restart_nr();
	skel->rodata->compat_restart_syscall_nr = syscall__compat_restart_nr();
	skel->rodata->nr_target_pids = (uint32_t)opts->nr_pids;
	for (size_t i = 0; i < opts->nr_pids; i++)
		skel->rodata->target_pids[i] = opts->pids[i];
	bpf_map__set_max_entries(skel->maps.cpus, (uint32_t)opts->nr_cpus);
	return make_strings(skel);
}

static void log_load_error(int err)
{
	if (err == -EPERM)
		log_err("cannot load the BPF programs: not permitted; run as root");
	else
		log_err("cannot load the BPF programs: %s; run with -v to see what libbpf says",
			strerror(-err));
}

static int load(struct gate *gate, const struct gate_opts *opts)
{
	int err;

	libbpf_set_print(print_libbpf);
	gate->skel = auxbpf_bpf__open();
	if (!gate->skel) {
		err = -errno;
		log_load_error(err);
		return err;
	}
	err = configure(gate, opts);
	if (err)
		return err;
	tracefs__save_printk(opts->root, &gate->printk);
	err = auxbpf_bpf__load(gate->skel);
	if (err) {
		log_load_error(err);
		return err;
	}
	tracefs__restore_printk(&gate->printk);
	return 0;
}

static int map_cpus(struct gate *gate)
{
	void *map;

	gate->cpus_size = (size_t)gate->nr_cpus * sizeof(*gate->cpus);
	map = mmap(NULL, gate->cpus_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		   bpf_map__fd(gate->skel->maps.cpus), 0);
	if (map == MAP_FAILED)
		return -errno;
	gate->cpus = map;
	return 0;
}

static int alloc_siblings(struct gate *gate)
{
	gate->sibling_fds = calloc((size_t)gate->nr_cpus * 2, sizeof(*gate->sibling_fds));
	if (!gate->sibling_fds)
		return -ENOMEM;
	for (int i = 0; i < gate->nr_cpus * 2; i++)
		gate->sibling_fds[i] = -1;
	return 0;
}

int gate__new(const struct gate_opts *opts, struct gate **ret)
{
	_cleanup_(cleanup__gate) struct gate *gate = calloc(1, sizeof(*gate));
	int err;

	if (!gate)
		return -ENOMEM;
	gate->nr_cpus = opts->nr_cpus;
	err = tracefs__tracepoint_id(opts->root, "bpf_trace/bpf_trace_printk", &gate->printk_id);
	if (err) {
		log_err("cannot read the tracepoint bpf_trace:bpf_trace_printk, by which BPF moves the gate: "
			"%s; "
			"mount tracefs: mount -t tracefs tracefs /sys/kernel/tracing",
			strerror(-err));
		return err;
	}
	err = alloc_siblings(gate);
	if (!err)
		err = load(gate, opts);
	if (!err)
		err = map_cpus(gate);
	if (err)
		return err;
	*ret = steal_ptr(gate);
	return 0;
}

static int open_sibling(struct gate *gate, int cpu, int leader, uint32_t action, const char *string)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = gate->printk_id,
		.sample_period = 1,
	};
	_cleanup_close_ int fd = -1;
	char filter[AUXBPF_GATE_STRING + 32];

	perf_attr__set_aux_action(&attr, action);
	fd = perf_event__open_cpu(&attr, cpu, leader);
	if (fd < 0) {
		log_err("cannot put an event on bpf_trace:bpf_trace_printk into the group of the AUX event "
			"of CPU %d: %s",
			cpu, strerror(-fd));
		return fd;
	}
	snprintf(filter, sizeof(filter), "bpf_string == \"%s\"", string);
	if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0) {
		log_err("cannot set the filter of bpf_trace:bpf_trace_printk: %s", strerror(errno));
		return -errno;
	}
	return steal_fd(&fd);
}

/* The address of the kernel's object behind one of our descriptors: the programs read its aux_paused. */
static int find_event(struct gate *gate, int fd, __u64 *ret)
{
	DECLARE_LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	gate->skel->bss->find_fd = fd;
	err = bpf_prog_test_run_opts(bpf_program__fd(gate->skel->progs.find_event), &opts);
	if (err)
		return err;
	*ret = gate->skel->bss->found_event;
	return *ret ? 0 : -ENOENT;
}

int gate__add_cpu(struct gate *gate, int cpu, int fd)
{
	int *siblings = &gate->sibling_fds[cpu * 2];
	int err;

	siblings[0] =
		open_sibling(gate, cpu, fd, PERF_AUX_ACTION_RESUME, gate->skel->rodata->gate_open_string);
	if (siblings[0] < 0)
		return siblings[0];
	siblings[1] =
		open_sibling(gate, cpu, fd, PERF_AUX_ACTION_PAUSE, gate->skel->rodata->gate_close_string);
	if (siblings[1] < 0)
		return siblings[1];
	err = find_event(gate, fd, &gate->cpus[cpu].event);
	if (err)
		log_err("cannot find the AUX event of CPU %d in the kernel: %s", cpu, strerror(-err));
	return err;
}

static int run_iterator(struct bpf_link *link)
{
	_cleanup_close_ int fd = bpf_iter_create(bpf_link__fd(link));
	char nothing[64];
	ssize_t n;

	if (fd < 0)
		return fd;
	while ((n = read(fd, nothing, sizeof(nothing))) > 0)
		;
	return n < 0 ? -errno : 0;
}

/*
 * A thread that a target makes while we look may be missed by the fork program (its parent was no target yet)
 * and by the pass (it came after); the next pass finds it.
 */
static int mark_targets(struct gate *gate)
{
	struct auxbpf_bpf__bss *bss = gate->skel->bss;
	int err;

	do {
		bss->marked_targets = 0;
		err = run_iterator(gate->mark_link);
	} while (!err && bss->marked_targets);
	if (err) {
		log_err("cannot go through the tasks: %s", strerror(-err));
		return err;
	}
	return bss->live_targets ? 0 : -ESRCH;
}

static int attach(struct bpf_program *prog, struct bpf_link **link)
{
	*link = bpf_program__attach(prog);
	if (*link)
		return 0;
	log_err("cannot attach the BPF program %s: %s", bpf_program__name(prog), strerror(errno));
	return -errno;
}

/* In the order in which the programs are needed; a spare comes behind the program that it stands in for. */
static int attach_all(struct gate *gate)
{
	struct auxbpf_bpf *skel = gate->skel;
	const struct {
		struct bpf_program *prog;
		struct bpf_link **link;
	} all[] = {
		{skel->progs.on_fork, &skel->links.on_fork},
		{skel->progs.on_fork_spare, &skel->links.on_fork_spare},
		{skel->progs.on_exit, &skel->links.on_exit},
		{skel->progs.on_exit_spare, &skel->links.on_exit_spare},
		{skel->progs.on_sched_switch, &skel->links.on_sched_switch},
		{skel->progs.on_sys_exit, &skel->links.on_sys_exit},
		{skel->progs.on_sys_exit_spare, &skel->links.on_sys_exit_spare},
		{skel->progs.on_sys_enter, &skel->links.on_sys_enter},
		{skel->progs.on_sys_enter_spare, &skel->links.on_sys_enter_spare},
		{skel->progs.mark_targets, &gate->mark_link},
	};
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(all); i++)
		err = attach(all[i].prog, all[i].link);
	return err;
}

int gate__arm(struct gate *gate)
{
	int err = attach_all(gate);

	if (!err)
		err = mark_targets(gate);
	if (err)
		return err;
	gate->skel->bss->armed = 1;
	return 0;
}

void gate__disarm(struct gate *gate)
{
	gate->skel->bss->armed = 0;
	bpf_link__destroy(gate->mark_link);
	gate->mark_link = NULL;
	auxbpf_bpf__detach(gate->skel);
}

uint64_t gate__live_targets(const struct gate *gate)
{
	return __atomic_load_n(&gate->skel->bss->live_targets, __ATOMIC_RELAXED);
}

const struct auxbpf_cpu *gate__cpu(const struct gate *gate, int cpu)
{
	return &gate->cpus[cpu];
}

void gate__free(struct gate *gate)
{
	if (!gate)
		return;
	bpf_link__destroy(gate->mark_link);
	for (int i = 0; gate->sibling_fds && i < gate->nr_cpus * 2; i++)
		cleanup__close(&gate->sibling_fds[i]);
	free(gate->sibling_fds);
	if (gate->cpus)
		munmap(gate->cpus, gate->cpus_size);
	auxbpf_bpf__destroy(gate->skel);
	free(gate);
}
