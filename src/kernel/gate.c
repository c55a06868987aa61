// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/gate.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "auxbpf.skel.h"
#include "base/log.h"
#include "kernel/control.h"
#include "kernel/function_windows.h"
#include "kernel/gate_cgroups.h"
#include "kernel/gate_config.h"
#include "kernel/gate_thread.h"
#include "kernel/helper_calls.h"
#include "kernel/tracefs.h"

/* Cgroups that may be targets at a time: the hash's buckets, 2 MiB of kernel memory. */
#define MAX_CGROUPS (1u << 17)
#define MAX_CGROUP_PATHS 1024
#define MAX_PROGRAMS 32

/* A program of the main object, and whether this session needs it. */
struct gate_program {
	struct bpf_program *prog;
	struct bpf_link **link;
	bool needed;
};

struct gate {
	struct gate_opts opts;
	struct auxbpf_bpf *skel;
	struct function_windows_opts function_opts;
	struct function_windows *functions;
	struct bpf_link *mark_link;
	struct auxbpf_session *session; /* mmapped maps */
	struct auxbpf_cpu *cpus;
	size_t cpus_size;
	struct control_opts control;
	int *sibling_fds;	    /* two a CPU, -1 where there is none */
	struct gate_thread *thread; /* of the ioctl way */
	struct ring_buffer *notices;
	int nr_cpus;
	bool spares; /* those of system calls are of use */
};

/*
 * In the order in which they are attached: what makes targets before what opens windows, what closes windows
 * before what opens them, a spare behind the program that it stands in for.
 */
static size_t list_programs(struct gate *gate, struct gate_program *list)
{
	const struct target_set *targets = gate->opts.targets;
	const struct window_set *windows = gate->opts.windows;
	struct auxbpf_bpf *skel = gate->skel;
	bool tasks = targets->by_task || targets->by_comm || windows->has_syscalls || windows->nr_functions;
	bool exec = windows->on_cpu || windows->nr_functions;
	bool spares = windows->has_syscalls && gate->spares;
	const struct gate_program all[] = {
		{skel->progs.on_fork, &skel->links.on_fork, tasks},
		{skel->progs.on_fork_spare, &skel->links.on_fork_spare, tasks},
		{skel->progs.on_exit, &skel->links.on_exit, targets->by_task},
		{skel->progs.on_exit_spare, &skel->links.on_exit_spare, targets->by_task},
		{skel->progs.on_exec, &skel->links.on_exec, exec},
		{skel->progs.on_exec_spare, &skel->links.on_exec_spare, exec},
		{skel->progs.on_rename, &skel->links.on_rename, targets->by_comm},
		{skel->progs.on_rename_spare, &skel->links.on_rename_spare, targets->by_comm},
		{skel->progs.on_sched_switch, &skel->links.on_sched_switch, true},
		{skel->progs.on_sys_exit, &skel->links.on_sys_exit, windows->has_syscalls},
		{skel->progs.on_sys_exit_spare, &skel->links.on_sys_exit_spare, spares},
		{skel->progs.on_sys_exit_spare2, &skel->links.on_sys_exit_spare2, spares},
		{skel->progs.on_sys_exit_spare3, &skel->links.on_sys_exit_spare3, spares},
		{skel->progs.on_sys_enter, &skel->links.on_sys_enter, windows->has_syscalls},
		{skel->progs.on_sys_enter_spare, &skel->links.on_sys_enter_spare, spares},
		{skel->progs.on_sys_enter_spare2, &skel->links.on_sys_enter_spare2, spares},
		{skel->progs.on_sys_enter_spare3, &skel->links.on_sys_enter_spare3, spares},
		{skel->progs.mark_targets, &gate->mark_link, targets->by_task || targets->by_comm},
	};

	_Static_assert(ARRAY_SIZE(all) <= MAX_PROGRAMS, "the callers' array");
	memcpy(list, all, sizeof(all));
	return ARRAY_SIZE(all);
}

static void choose_programs(struct gate *gate)
{
	struct gate_program list[MAX_PROGRAMS];
	size_t nr = list_programs(gate, list);
	bool cgroups = gate->opts.targets->by_cgroup;
	bool probes = function_windows__in_user(gate->functions);

	for (size_t i = 0; i < nr; i++)
		bpf_program__set_autoload(list[i].prog, list[i].needed);
	bpf_program__set_autoload(gate->skel->progs.find_preemption, gate->opts.windows->has_syscalls);
	bpf_program__set_autoload(gate->skel->progs.on_cgroup_mkdir, cgroups);
	bpf_program__set_autoload(gate->skel->progs.on_cgroup_rmdir, cgroups);
	bpf_program__set_autoload(gate->skel->progs.on_function_entry, probes);
	bpf_program__set_autoload(gate->skel->progs.on_function_return, probes);
}

static void log_load_error(int err)
{
	if (err == -EPERM)
		log_err("cannot load the BPF programs: not permitted; run as root");
	else
		log_err("cannot load the BPF programs: %s; run with -v to see what libbpf says",
			strerror(-err));
}

static int configure(struct gate *gate)
{
	struct auxbpf_config *config = (struct auxbpf_config *)&gate->skel->rodata->config;
	int err = gate_config__fill(config, &gate->opts);

	if (err)
		return err;
	bpf_map__set_max_entries(gate->skel->maps.cpus, (uint32_t)gate->nr_cpus);
	bpf_map__set_max_entries(gate->skel->maps.aux_events, (uint32_t)gate->nr_cpus);
	if (gate->opts.targets->by_cgroup) {
		bpf_map__set_max_entries(gate->skel->maps.cgroups, MAX_CGROUPS);
		bpf_map__set_max_entries(gate->skel->maps.cgroup_paths, MAX_CGROUP_PATHS);
	}
	choose_programs(gate);
	if (gate->opts.control == AUXBPF_CONTROL_TRACEPOINT)
		return 0;
	return helper_calls__remove(gate->skel->obj, BPF_FUNC_trace_printk);
}

static int find_functions(struct gate *gate)
{
	gate->function_opts = (struct function_windows_opts){
		.root = gate->opts.root,
		.functions = gate->opts.windows->functions,
		.nr_functions = gate->opts.windows->nr_functions,
		.pids = gate->opts.pids,
		.nr_pids = gate->opts.nr_pids,
		.wait = gate->opts.wait,
	};
	return function_windows__new(&gate->function_opts, &gate->functions);
}

static int load_objects(struct gate *gate)
{
	const struct function_programs programs = {
		.main = gate->skel->obj,
		.entry = gate->skel->progs.on_function_entry,
		.leave = gate->skel->progs.on_function_return,
	};
	int err = auxbpf_bpf__load(gate->skel);

	if (err) {
		log_load_error(err);
		return err;
	}
	return function_windows__load(gate->functions,
				      (const struct auxbpf_config *)&gate->skel->rodata->config, &programs);
}

static int load(struct gate *gate)
{
	struct tracefs_printk printk;
	int err;

	gate->skel = auxbpf_bpf__open();
	if (!gate->skel) {
		err = -errno;
		log_load_error(err);
		return err;
	}
	err = configure(gate);
	if (err)
		return err;
	if (gate->opts.control != AUXBPF_CONTROL_TRACEPOINT)
		return load_objects(gate);
	tracefs__save_printk(gate->opts.root, &printk);
	err = load_objects(gate);
	tracefs__restore_printk(&printk);
	return err;
}

static int map_memory(struct bpf_map *map, size_t size, void *ret)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	if (mem == MAP_FAILED) {
		log_err("cannot map the BPF map %s: %s", bpf_map__name(map), strerror(errno));
		return -errno;
	}
	*(void **)ret = mem;
	return 0;
}

static int run_once(struct bpf_program *prog, int cpu)
{
	DECLARE_LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (cpu >= 0) {
		opts.flags = BPF_F_TEST_RUN_ON_CPU;
		opts.cpu = cpu;
	}
	return bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);
}

static int map_all(struct gate *gate)
{
	int err;

	gate->cpus_size = (size_t)gate->nr_cpus * sizeof(*gate->cpus);
	err = map_memory(gate->skel->maps.cpus, gate->cpus_size, &gate->cpus);
	if (!err)
		err = map_memory(gate->skel->maps.session, sizeof(*gate->session), &gate->session);
	return err;
}

static int write_rules(struct gate *gate)
{
	const struct syscall_set *syscalls = &gate->opts.windows->syscalls;
	struct auxbpf_rule *rules;
	int err = map_memory(gate->skel->maps.rules, sizeof(syscalls->rules), &rules);

	if (err)
		return err;
	memcpy(rules, syscalls->rules, syscalls->nr_rules * sizeof(*rules));
	munmap(rules, sizeof(syscalls->rules));
	return 0;
}

/* Where the programs' cells are is asked of a program: user space sees only its own mapping of them. */
static int prepare_control(struct gate *gate)
{
	int err = run_once(gate->skel->progs.find_cells, -1);

	if (err) {
		log_err("cannot run a BPF program: %s", strerror(-err));
		return err;
	}
	gate->control = (struct control_opts){
		.root = gate->opts.root,
		.way = gate->opts.control,
		.open_string = (const char *)gate->skel->rodata->config.open_string,
		.close_string = (const char *)gate->skel->rodata->config.close_string,
		.open_address = gate->session->cell_address + offsetof(struct auxbpf_session, open_cell),
		.close_address = gate->session->cell_address + offsetof(struct auxbpf_session, close_cell),
	};
	if (gate->opts.control != AUXBPF_CONTROL_IOCTL)
		return 0;
	err = gate_thread__new(bpf_map__fd(gate->skel->maps.gate_moves), gate->cpus, gate->nr_cpus,
			       &gate->thread);
	if (!err)
		gate->session->mover = gate_thread__tid(gate->thread);
	return err;
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

/* What is in the ring buffer does not matter: that there is something makes the session look again. */
static int ignore_notice(void *ctx, void *data, size_t size)
{
	return 0;
}

static int open_notices(struct gate *gate)
{
	gate->notices =
		ring_buffer__new(bpf_map__fd(gate->skel->maps.new_cgroups), ignore_notice, NULL, NULL);
	if (gate->notices)
		return 0;
	log_err("cannot map the BPF ring buffer of new cgroups: %s", strerror(errno));
	return -errno;
}

int gate__new(const struct gate_opts *opts, struct gate **ret)
{
	_cleanup_(cleanup__gate) struct gate *gate = calloc(1, sizeof(*gate));
	int err;

	if (!gate)
		return -ENOMEM;
	gate->opts = *opts;
	gate->nr_cpus = opts->nr_cpus;
	gate->spares = true;
	err = alloc_siblings(gate);
	if (!err)
		err = find_functions(gate);
	if (!err)
		err = load(gate);
	if (!err)
		err = map_all(gate);
	if (!err)
		err = write_rules(gate);
	if (!err)
		err = prepare_control(gate);
	if (!err && opts->wait)
		err = open_notices(gate);
	if (err)
		return err;
	*ret = steal_ptr(gate);
	return 0;
}

/* The address of the kernel's object behind one of our descriptors: the programs read its aux_paused. */
static int find_event(struct gate *gate, int fd, __u64 *ret)
{
	int err;

	gate->session->fd = fd;
	err = run_once(gate->skel->progs.find_event, -1);
	if (err)
		return err;
	*ret = gate->session->event;
	return *ret ? 0 : -ENOENT;
}

int gate__add_cpu(struct gate *gate, int cpu, int fd)
{
	__u32 key = (__u32)cpu;
	int err = control__open_siblings(&gate->control, cpu, fd, &gate->sibling_fds[cpu * 2]);

	if (err)
		return err;
	if (gate->opts.control == AUXBPF_CONTROL_KFUNC)
		err = bpf_map_update_elem(bpf_map__fd(gate->skel->maps.aux_events), &key, &fd, BPF_ANY);
	if (!err && gate->thread)
		gate_thread__add_cpu(gate->thread, cpu, fd);
	if (!err)
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
	int err;

	if (!gate->mark_link)
		return 0;
	do {
		gate->session->marked = 0;
		err = run_iterator(gate->mark_link);
	} while (!err && gate->session->marked);
	if (err) {
		log_err("cannot go through the tasks: %s", strerror(-err));
		return err;
	}
	return gate->opts.targets->by_task && !gate->session->live_targets ? -ESRCH : 0;
}

static int attach(struct bpf_program *prog, struct bpf_link **link)
{
	*link = bpf_program__attach(prog);
	if (*link)
		return 0;
	log_err("cannot attach the BPF program %s: %s", bpf_program__name(prog), strerror(errno));
	return -errno;
}

int gate__watch_cgroups(struct gate *gate)
{
	struct auxbpf_bpf *skel = gate->skel;
	int err = attach(skel->progs.on_cgroup_rmdir, &skel->links.on_cgroup_rmdir);

	return err ? err : attach(skel->progs.on_cgroup_mkdir, &skel->links.on_cgroup_mkdir);
}

int gate__add_cgroups(struct gate *gate, const uint64_t *ids, size_t nr_ids, char *const *paths,
		      size_t nr_paths)
{
	int err = gate_cgroups__add_paths(bpf_map__fd(gate->skel->maps.cgroup_paths), paths, nr_paths);

	return err ? err : gate_cgroups__add_ids(bpf_map__fd(gate->skel->maps.cgroups), ids, nr_ids);
}

int gate__add_processes(struct gate *gate, const int *pids, size_t nr)
{
	return function_windows__add_processes(gate->functions, pids, nr);
}

int gate__notices_fd(const struct gate *gate)
{
	return ring_buffer__epoll_fd(gate->notices);
}

void gate__clear_notices(struct gate *gate)
{
	ring_buffer__consume(gate->notices);
}

/* On the CPUs that have an AUX event: what runs there may be a target in its window already. */
static int refresh_cpus(struct gate *gate)
{
	for (int cpu = 0; cpu < gate->nr_cpus; cpu++) {
		int err = gate->cpus[cpu].event ? run_once(gate->skel->progs.refresh_cpu, cpu) : 0;

		if (err) {
			log_err("cannot run a BPF program on CPU %d: %s", cpu, strerror(-err));
			return err;
		}
	}
	return 0;
}

/* A spare costs every system call of the machine as much as the program that it stands in for. */
static int find_preemption(struct gate *gate)
{
	struct bpf_link *link;
	int err = attach(gate->skel->progs.find_preemption, &link);

	if (err)
		return err;
	syscall(SYS_getppid);
	bpf_link__destroy(link);
	gate->spares = !gate->session->no_preemption;
	log_debug("spare programs for system calls: %s", gate->spares ? "yes" : "no");
	return 0;
}

int gate__arm(struct gate *gate)
{
	struct gate_program list[MAX_PROGRAMS];
	int err = gate->opts.windows->has_syscalls ? find_preemption(gate) : 0;
	size_t nr = list_programs(gate, list);

	for (size_t i = 0; !err && i < nr; i++)
		err = list[i].needed ? attach(list[i].prog, list[i].link) : 0;
	if (!err)
		err = function_windows__attach(gate->functions);
	if (!err)
		err = mark_targets(gate);
	if (err)
		return err;
	__atomic_store_n(&gate->session->armed, 1, __ATOMIC_RELEASE);
	return refresh_cpus(gate);
}

void gate__halt(struct gate *gate)
{
	gate_thread__free(gate->thread);
	gate->thread = NULL;
}

void gate__disarm(struct gate *gate)
{
	gate->session->armed = 0;
	bpf_link__destroy(gate->mark_link);
	gate->mark_link = NULL;
	function_windows__detach(gate->functions);
	auxbpf_bpf__detach(gate->skel);
}

void gate__log_uncalled(const struct gate *gate)
{
	function_windows__log_uncalled(gate->functions);
}

enum auxbpf_control gate__control(const struct gate *gate)
{
	return gate->opts.control;
}

uint64_t gate__live_targets(const struct gate *gate)
{
	return __atomic_load_n(&gate->session->live_targets, __ATOMIC_RELAXED);
}

const struct auxbpf_cpu *gate__cpu(const struct gate *gate, int cpu)
{
	return &gate->cpus[cpu];
}

void gate__free(struct gate *gate)
{
	if (!gate)
		return;
	gate_thread__free(gate->thread);
	bpf_link__destroy(gate->mark_link);
	function_windows__free(gate->functions);
	for (int i = 0; gate->sibling_fds && i < gate->nr_cpus * 2; i++)
		cleanup__close(&gate->sibling_fds[i]);
	free(gate->sibling_fds);
	ring_buffer__free(gate->notices);
	if (gate->cpus)
		munmap(gate->cpus, gate->cpus_size);
	if (gate->session)
		munmap(gate->session, sizeof(*gate->session));
	auxbpf_bpf__destroy(gate->skel);
	free(gate);
}
