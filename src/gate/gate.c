// SPDX-License-Identifier: GPL-2.0-only
#include "gate/gate.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "auxbpf.skel.h"
#include "base/log.h"
#include "base/reserve.h"
#include "containers/memory_limit.h"
#include "gate/control.h"
#include "gate/gate_cgroups.h"
#include "gate/gate_config.h"
#include "gate/gate_kept.h"
#include "gate/gate_object.h"
#include "gate/gate_programs.h"
#include "gate/gate_samples.h"
#include "gate/gate_skips.h"
#include "gate/gate_thread.h"
#include "gate/gate_windows.h"
#include "gate/printk_users.h"
#include "loader/kernel_types.h"
#include "loader/session_object.h"
#include "trace/tracefs.h"

/* At most this many cgroups can be targets at a time. The buckets of the hash take 2 MiB of kernel memory. */
#define MAX_CGROUPS (1u << 17)
#define MAX_CGROUP_PATHS 1024

struct gate {
	struct gate_opts opts;
	struct auxbpf_bpf *skel;
	struct gate_windows *windows;
	struct gate_triggers *triggers; /* NULL: none */
	struct auxbpf_session *session; /* this and the next are in the programs' memory */
	struct auxbpf_cpu *cpus;
	struct control_opts control;
	int *sibling_fds;	    /* two a CPU, -1 where there is none */
	struct gate_thread *thread; /* for the ioctl way */
	struct ring_buffer *notices;
	gate_notice_fn notice_fn; /* of the running call of gate__take_notices() */
	void *notice_ctx;
	struct skip_watch *skip_watch; /* replaces the spares of system calls; NULL: they are needed */
	struct gate_samples *samples;  /* NULL: none are limited */
	struct tracefs_printk printk;  /* the setting is put back before the gate is armed */
	struct printk_users printk_users;
	uint64_t memory_limit; /* of our cgroup; UINT64_MAX: none */
	struct gate_kept *kept;
};

static int configure(struct gate *gate)
{
	struct auxbpf_config *config = (struct auxbpf_config *)&gate->skel->rodata->config;
	int err = gate_config__fill(config, &gate->opts);

	if (err)
		return err;
	bpf_map__set_max_entries(gate->skel->maps.aux_events, (uint32_t)gate->opts.nr_cpus);
	if (config->states)
		session_object__size_reserve(gate->skel->maps.tasks_reserve, gate->memory_limit);
	if (gate->opts.targets->by_cgroup) {
		bpf_map__set_max_entries(gate->skel->maps.cgroups, MAX_CGROUPS);
		bpf_map__set_max_entries(gate->skel->maps.cgroup_paths, MAX_CGROUP_PATHS);
	}
	if (config->named_cgroups)
		gate_cgroups__size_named(gate->skel->maps.named_paths, gate->skel->maps.named_cgroups,
					 config->named_cgroups);
	if (gate->opts.limit_samples)
		gate_samples__configure(gate->skel, gate->opts.nr_cpus);
	gate_kept__configure(gate->skel, &gate->opts);
	gate_programs__choose(gate->skel, &gate->opts, gate_windows__in_user(gate->windows),
			      gate->skip_watch);
	return 0;
}

/* Makes the triggers, or leaves what they need out of the main object. */
static int make_triggers(struct gate *gate, const int *pids, size_t nr_pids)
{
	const struct gate_triggers_session session = {
		.root = gate->opts.root,
		.skel = gate->skel,
		.pids = pids,
		.nr_pids = nr_pids,
		.wait = gate->opts.wait,
		.skips_are_watched = gate_skips__watch_triggers(&gate->opts, gate->skip_watch),
		.memory_limit = gate->memory_limit,
	};

	if (gate->opts.triggers)
		return gate_triggers__new(gate->opts.triggers, &session, &gate->triggers);
	gate_triggers__leave_out(gate->skel);
	return 0;
}

static int load_objects(struct gate *gate)
{
	struct auxbpf_bpf *skel = gate->skel;
	int err = auxbpf_bpf__load(skel);

	if (err) {
		session_object__log_load_error(err);
		return err;
	}
	err = gate_windows__load(gate->windows, skel);
	return err || !gate->triggers ? err : gate_triggers__load(gate->triggers);
}

/* Clears what the programs noted of the tasks that run: it is out of date, or was never set. */
static void unsettle(struct gate *gate)
{
	__atomic_add_fetch(&gate->session->cgroups_version, 1, __ATOMIC_SEQ_CST);
	for (__u32 cpu = 0; cpu < gate->skel->rodata->config.nr_cpus; cpu++) {
		__atomic_store_n(&gate->cpus[cpu].settled_for, AUXBPF_UNSETTLED, __ATOMIC_RELAXED);
		__atomic_store_n(&gate->cpus[cpu].stranger, 0, __ATOMIC_RELAXED);
	}
}

static void save_printk(struct gate *gate)
{
	const struct tracefs_printk_users users = {printk_users__begin, printk_users__are_there,
						   &gate->printk_users};

	gate->printk_users = (struct printk_users){.root = gate->opts.root, .loader = getpid()};
	tracefs__save_printk(gate->opts.root, &users, &gate->printk);
}

static int load(struct gate *gate, const int *pids, size_t nr_pids)
{
	int err;

	gate->skel = SESSION_OBJECT_OPEN(auxbpf_bpf, gate->opts.control);
	if (!gate->skel) {
		err = -errno;
		session_object__log_load_error(err);
		return err;
	}
	gate->session = &gate->skel->bss->memory.session;
	gate->session->storage_left = reserve__storage(gate->memory_limit);
	gate->cpus = gate->skel->bss->memory.cpus;
	err = configure(gate);
	if (!err)
		err = make_triggers(gate, pids, nr_pids);
	if (err)
		return err;
	unsettle(gate);
	if (gate->opts.control != AUXBPF_CONTROL_TRACEPOINT)
		return load_objects(gate);
	save_printk(gate);
	err = load_objects(gate);
	tracefs__release_printk(&gate->printk);
	return err;
}

static int write_conditions(struct gate *gate)
{
	const struct syscall_set *syscalls = &gate->opts.windows->syscalls;
	struct auxbpf_condition *conditions =
		session_object__map_memory(gate->skel->maps.conditions, sizeof(syscalls->conditions));

	if (!conditions)
		return -ENOMEM;
	memcpy(conditions, syscalls->conditions, syscalls->nr_conditions * sizeof(*conditions));
	munmap(conditions, sizeof(syscalls->conditions));
	return 0;
}

/* A program tells where the cells are in the kernel: user space sees only its own mapping of them. */
static int prepare_control(struct gate *gate)
{
	int err = session_object__run(gate->skel->progs.find_cells, -1);

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
	err = gate_thread__new(bpf_map__fd(gate->skel->maps.gate_moves), gate->cpus, gate->opts.nr_cpus,
			       &gate->thread);
	if (!err)
		gate->session->mover = gate_thread__tid(gate->thread);
	return err;
}

static int alloc_siblings(struct gate *gate)
{
	gate->sibling_fds = calloc((size_t)gate->opts.nr_cpus * 2, sizeof(*gate->sibling_fds));
	if (!gate->sibling_fds)
		return -ENOMEM;
	for (int i = 0; i < gate->opts.nr_cpus * 2; i++)
		gate->sibling_fds[i] = -1;
	return 0;
}

static int take_notice(void *ctx, void *data, size_t size)
{
	struct gate *gate = ctx;

	if (size == AUXBPF_CGROUP_PATH)
		gate->notice_fn(gate->notice_ctx, data);
	return 0;
}

static int open_notices(struct gate *gate)
{
	gate->notices = ring_buffer__new(bpf_map__fd(gate->skel->maps.new_cgroups), take_notice, gate, NULL);
	if (gate->notices)
		return 0;
	log_err("cannot map the BPF ring buffer of new cgroups: %s", strerror(errno));
	return -errno;
}

int gate__new(const struct gate_opts *opts, const int *pids, size_t nr_pids, struct gate **ret)
{
	_cleanup_(cleanup__gate) struct gate *gate = calloc(1, sizeof(*gate));
	int err;

	if (!gate)
		return -ENOMEM;
	gate->opts = *opts;
	gate->memory_limit = memory_limit__read(opts->root);
	err = alloc_siblings(gate);
	if (!err)
		err = gate_windows__new(&gate->opts, pids, nr_pids, &gate->windows);
	if (!err)
		err = gate_skips__find(opts, &gate->skip_watch);
	if (!err)
		err = load(gate, pids, nr_pids);
	kernel_types__forget();
	if (!err)
		err = write_conditions(gate);
	if (!err && opts->named_cgroups)
		err = gate_cgroups__add_named(bpf_map__fd(gate->skel->maps.named_paths), opts->named_cgroups);
	if (!err)
		err = prepare_control(gate);
	if (!err && opts->wait)
		err = open_notices(gate);
	if (!err)
		err = gate_kept__new(gate->skel, opts, &gate->kept);
	if (!err && opts->limit_samples)
		err = gate_samples__new(gate->skel, opts->nr_cpus, &gate->samples);
	if (err)
		return err;
	*ret = steal_ptr(gate);
	return 0;
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
		err = gate_object__find(gate->skel, fd, &gate->cpus[cpu].event);
	if (err)
		log_err("cannot find the AUX event of CPU %d in the kernel: %s", cpu, strerror(-err));
	return err;
}

int gate__limit_samples(const struct gate *gate, int cpu, const struct sample_ring *ring,
			const struct sample_set *set)
{
	return gate_samples__add(gate->samples, cpu, ring, set);
}

const struct gate_kept *gate__kept(const struct gate *gate)
{
	return gate->kept;
}

/*
 * Repeats the pass until it marks none: it and on_fork may both miss a thread that a target makes meanwhile.
 */
static int mark_targets(struct gate *gate)
{
	int err;

	if (!gate->skel->links.mark_targets)
		return 0;
	do {
		gate->session->marked = 0;
		err = session_object__iterate(gate->skel->links.mark_targets, NULL);
	} while (!err && gate->session->marked);
	if (err) {
		log_err("cannot go through the tasks: %s", strerror(-err));
		return err;
	}
	return gate->opts.targets->by_task && !gate->session->live_targets ? -ESRCH : 0;
}

int gate__watch_cgroups(struct gate *gate)
{
	return gate_programs__attach_cgroups(gate->skel, &gate->opts);
}

int gate__add_cgroups(struct gate *gate, const uint64_t *ids, size_t nr_ids, char *const *paths,
		      size_t nr_paths)
{
	int err = gate_cgroups__add_paths(bpf_map__fd(gate->skel->maps.cgroup_paths), paths, nr_paths);

	if (!err)
		err = gate_cgroups__add_ids(bpf_map__fd(gate->skel->maps.cgroups), ids, nr_ids);
	unsettle(gate);
	return err;
}

void gate__forget_cgroup(struct gate *gate, const char *path)
{
	gate_cgroups__forget_path(bpf_map__fd(gate->skel->maps.cgroup_paths), path);
}

int gate__add_processes(struct gate *gate, const int *pids, size_t nr)
{
	int err = gate_windows__add_processes(gate->windows, pids, nr);

	return !err && gate->triggers ? gate_triggers__add_processes(gate->triggers, pids, nr) : err;
}

int gate__notices_fd(const struct gate *gate)
{
	return ring_buffer__epoll_fd(gate->notices);
}

void gate__take_notices(struct gate *gate, gate_notice_fn fn, void *ctx)
{
	gate->notice_fn = fn;
	gate->notice_ctx = ctx;
	ring_buffer__consume(gate->notices);
}

/* Sets the gate of each CPU that has an AUX event: its task may be a target in its window already. */
static int refresh_cpus(struct gate *gate)
{
	for (int cpu = 0; cpu < gate->opts.nr_cpus; cpu++) {
		int err = gate->cpus[cpu].event ? session_object__run(gate->skel->progs.refresh_cpu, cpu) : 0;

		if (err) {
			log_err("cannot run a BPF program on CPU %d: %s", cpu, strerror(-err));
			return err;
		}
	}
	return 0;
}

/* A program that stands in for another one is attached before it, so that nothing is missed in between. */
static int attach_skips(struct gate *gate)
{
	bool syscalls = gate->opts.windows->has_syscalls;
	int err = syscalls || gate->triggers ? gate_skips__find_preemption(gate->skel) : 0;

	if (err)
		return err;
	if (syscalls)
		log_debug("programs of system calls: %s, %s spares",
			  gate->session->no_preemption ? "never preempted" : "preempted",
			  gate->session->no_preemption || gate->skip_watch ? "without" : "with");
	if (!gate->skip_watch)
		return 0;
	if (!gate->session->no_preemption)
		return gate_skips__attach(&gate->opts, gate->skel, gate->skip_watch);
	skip_watch__free(gate->skip_watch);
	gate->skip_watch = NULL;
	return 0;
}

/* Follows the cgroups of conditions. One may have been made again since the conditions were compiled. */
static int follow_named_cgroups(struct gate *gate)
{
	int err = 0;

	if (!gate->skel->rodata->config.named_cgroups)
		return 0;
	if (!gate->opts.targets->by_cgroup)
		err = gate_programs__attach_cgroups(gate->skel, &gate->opts);
	return err ? err
		   : gate_cgroups__check_named(bpf_map__fd(gate->skel->maps.named_cgroups), gate->opts.root,
					       gate->opts.named_cgroups);
}

int gate__attach(struct gate *gate)
{
	int err = follow_named_cgroups(gate);

	if (!err)
		err = attach_skips(gate);
	if (!err && gate->triggers)
		err = gate_triggers__attach(gate->triggers, gate->session);
	if (!err)
		err = gate_programs__attach(gate->skel, &gate->opts,
					    !gate->skip_watch && !gate->session->no_preemption);
	if (!err)
		err = gate_windows__attach(gate->windows);
	if (!err)
		err = gate_programs__attach_switch(gate->skel);
	return err || !gate->triggers ? err : gate_triggers__attach_switch(gate->triggers);
}

int gate__arm(struct gate *gate)
{
	int err = mark_targets(gate);

	tracefs__restore_printk(&gate->printk);
	if (err)
		return err;
	__atomic_store_n(&gate->session->armed, 1, __ATOMIC_RELEASE);
	return refresh_cpus(gate);
}

struct gate_triggers *gate__triggers(const struct gate *gate)
{
	return gate->triggers;
}

void gate__accept(struct gate *gate, bool accept)
{
	__atomic_store_n(&gate->session->accepts, accept, __ATOMIC_RELEASE);
	if (accept)
		gate->session->recording = 1;
}

uint32_t gate__new_ticket(struct gate *gate)
{
	return __atomic_add_fetch(&gate->session->tickets, 1, __ATOMIC_RELAXED);
}

bool gate__freeze(struct gate *gate, int cpu, uint32_t ticket)
{
	uint32_t held = 0;
	bool done = __atomic_compare_exchange_n(&gate->cpus[cpu].frozen, &held, ticket, false,
						__ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);

	__atomic_store_n(&gate->cpus[cpu].settled_for, AUXBPF_UNSETTLED, __ATOMIC_RELEASE);
	return done || held == ticket;
}

int gate__close(struct gate *gate, int cpu)
{
	const struct auxbpf_cpu *c = &gate->cpus[cpu];
	int err = c->want_open || c->retry ? session_object__run(gate->skel->progs.refresh_cpu, cpu) : 0;

	if (err)
		log_err("cannot run a BPF program on CPU %d: %s", cpu, strerror(-err));
	return err;
}

void gate__hold(struct gate *gate, int cpu)
{
	if (gate->thread)
		gate_thread__hold(gate->thread, cpu);
}

void gate__let_go(struct gate *gate, int cpu)
{
	if (gate->thread)
		gate_thread__let_go(gate->thread, cpu);
}

int gate__thaw(struct gate *gate, int cpu)
{
	int err;

	__atomic_store_n(&gate->cpus[cpu].frozen, 0, __ATOMIC_RELEASE);
	err = session_object__run(gate->skel->progs.refresh_cpu, cpu);
	if (err)
		log_err("cannot run a BPF program on CPU %d: %s", cpu, strerror(-err));
	return err;
}

/* The program fails only on an offline CPU, where no gate is open. */
static void close_gates(struct gate *gate)
{
	for (int cpu = 0; cpu < gate->opts.nr_cpus; cpu++)
		if (gate->cpus[cpu].event)
			session_object__run(gate->skel->progs.refresh_cpu, cpu);
}

void gate__disarm(struct gate *gate)
{
	__atomic_store_n(&gate->session->armed, 0, __ATOMIC_RELEASE);
	close_gates(gate);
	gate_thread__free(gate->thread);
	gate->thread = NULL;
}

void gate__detach(struct gate *gate)
{
	gate_windows__detach(gate->windows);
	if (gate->triggers)
		gate_triggers__detach(gate->triggers);
	auxbpf_bpf__detach(gate->skel);
	skip_watch__free(gate->skip_watch);
	gate->skip_watch = NULL;
}

void gate__log_losses(const struct gate *gate)
{
	gate_windows__log_losses(gate->windows);
	gate_skips__log_losses(gate->skel);
	if (gate->samples)
		gate_samples__log_losses(gate->samples);
	if (gate->triggers)
		gate_triggers__log_losses(gate->triggers);
}

enum auxbpf_control gate__control(const struct gate *gate)
{
	return gate->opts.control;
}

uint64_t gate__live_targets(const struct gate *gate)
{
	return __atomic_load_n(&gate->session->live_targets, __ATOMIC_RELAXED);
}

uint64_t gate__live_command(const struct gate *gate)
{
	return __atomic_load_n(&gate->session->live_command, __ATOMIC_RELAXED);
}

int gate__nr_cpus(const struct gate *gate)
{
	return (int)gate->skel->rodata->config.nr_cpus;
}

uint64_t gate__no_memory(const struct gate *gate)
{
	uint64_t sum = 0;

	for (int cpu = 0; cpu < gate__nr_cpus(gate); cpu++)
		sum += __atomic_load_n(&gate->cpus[cpu].no_memory, __ATOMIC_RELAXED);
	return sum;
}

const struct auxbpf_cpu *gate__cpu(const struct gate *gate, int cpu)
{
	return &gate->cpus[cpu];
}

void gate__free(struct gate *gate)
{
	if (!gate)
		return;
	tracefs__restore_printk(&gate->printk);
	gate_thread__free(gate->thread);
	skip_watch__free(gate->skip_watch);
	gate_samples__free(gate->samples);
	gate_windows__free(gate->windows);
	gate_triggers__free(gate->triggers);
	for (int i = 0; gate->sibling_fds && i < gate->opts.nr_cpus * 2; i++)
		cleanup__close(&gate->sibling_fds[i]);
	free(gate->sibling_fds);
	gate_kept__free(gate->kept);
	ring_buffer__free(gate->notices);
	auxbpf_bpf__destroy(gate->skel);
	free(gate);
}
