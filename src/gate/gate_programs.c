// SPDX-License-Identifier: GPL-2.0-only
#include "gate/gate_programs.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "auxbpf.skel.h"
#include "base/log.h"
#include "gate/gate_skips.h"

#define MAX_PROGRAMS 32

/* A program of the main object, and whether this session needs it. */
struct gate_program {
	struct bpf_program *prog;
	struct bpf_link **link;
	bool needed;
};

/*
 * Lists the programs in the order in which they are attached: a program that frees notes on tasks before one
 * that makes them, one that makes targets before one that opens windows, one that closes windows before one
 * that opens them, and a spare behind its program.
 */
static size_t list_programs(struct auxbpf_bpf *skel, const struct gate_opts *opts, bool spares,
			    struct gate_program *list)
{
	const struct target_set *targets = opts->targets;
	const struct window_set *windows = opts->windows;
	bool tasks = skel->rodata->config.states;
	bool exec = windows->on_cpu || windows->nr_functions || windows->nr_ranges ||
		    (opts->triggers && opts->command);
	bool call_spares = windows->has_syscalls && spares;
	const struct gate_program all[] = {
		{skel->progs.on_free, &skel->links.on_free, tasks},
		{skel->progs.on_fork, &skel->links.on_fork, tasks},
		{skel->progs.on_fork_spare, &skel->links.on_fork_spare, tasks},
		{skel->progs.on_exec, &skel->links.on_exec, exec},
		{skel->progs.on_exec_spare, &skel->links.on_exec_spare, exec},
		{skel->progs.on_rename, &skel->links.on_rename, targets->by_comm},
		{skel->progs.on_rename_spare, &skel->links.on_rename_spare, targets->by_comm},
		{skel->progs.on_sys_exit, &skel->links.on_sys_exit, windows->has_syscalls},
		{skel->progs.on_sys_exit_spare, &skel->links.on_sys_exit_spare, call_spares},
		{skel->progs.on_sys_enter, &skel->links.on_sys_enter, windows->has_syscalls},
		{skel->progs.on_sys_enter_spare, &skel->links.on_sys_enter_spare, call_spares},
		{skel->progs.mark_targets, &skel->links.mark_targets, targets->by_task || targets->by_comm},
	};

	_Static_assert(ARRAY_SIZE(all) <= MAX_PROGRAMS, "the callers' array");
	memcpy(list, all, sizeof(all));
	return ARRAY_SIZE(all);
}

/* Lists the programs at sched_switch, of which one is needed. */
static size_t list_switches(struct auxbpf_bpf *skel, struct gate_program *list)
{
	enum auxbpf_switches switches = skel->rodata->config.switches;
	const struct gate_program all[] = {
		{skel->progs.on_switch_any, &skel->links.on_switch_any, switches == AUXBPF_SWITCHES_ANY},
		{skel->progs.on_switch_known, &skel->links.on_switch_known,
		 switches == AUXBPF_SWITCHES_KNOWN},
		{skel->progs.on_switch_user, &skel->links.on_switch_user, switches == AUXBPF_SWITCHES_USER},
		{skel->progs.on_switch_cgroup, &skel->links.on_switch_cgroup,
		 switches == AUXBPF_SWITCHES_CGROUP},
	};

	_Static_assert(ARRAY_SIZE(all) <= MAX_PROGRAMS, "the callers' array");
	memcpy(list, all, sizeof(all));
	return ARRAY_SIZE(all);
}

static void choose(const struct gate_program *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		bpf_program__set_autoload(list[i].prog, list[i].needed);
}

void gate_programs__choose(struct auxbpf_bpf *skel, const struct gate_opts *opts, bool probes,
			   const struct skip_watch *watch)
{
	struct gate_program list[MAX_PROGRAMS];
	bool targets = opts->targets->by_cgroup, syscalls = opts->windows->has_syscalls;
	bool cgroups = targets || skel->rodata->config.named_cgroups;

	choose(list, list_programs(skel, opts, !watch, list));
	choose(list, list_switches(skel, list));
	bpf_program__set_autoload(skel->progs.find_preemption, syscalls || opts->triggers);
	bpf_program__set_autoload(skel->progs.on_cgroup_mkdir, cgroups);
	bpf_program__set_autoload(skel->progs.on_cgroup_rmdir, cgroups);
	bpf_program__set_autoload(skel->progs.on_cgroup_attach, targets && syscalls);
	bpf_program__set_autoload(skel->progs.on_skip,
				  syscalls && watch && !gate_skips__watch_triggers(opts, watch));
	bpf_program__set_autoload(skel->progs.on_sample, opts->limit_samples);
	bpf_program__set_autoload(skel->progs.on_timer, opts->limit_samples);
	bpf_program__set_autoload(skel->progs.on_function_entry, probes);
	bpf_program__set_autoload(skel->progs.on_function_return, probes);
}

static int attach(struct bpf_program *prog, struct bpf_link **link)
{
	*link = bpf_program__attach(prog);
	if (*link)
		return 0;
	log_err("cannot attach the BPF program %s: %s", bpf_program__name(prog), strerror(errno));
	return -errno;
}

static int attach_needed(const struct gate_program *list, size_t nr)
{
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++)
		err = list[i].needed ? attach(list[i].prog, list[i].link) : 0;
	return err;
}

int gate_programs__attach(struct auxbpf_bpf *skel, const struct gate_opts *opts, bool spares)
{
	struct gate_program list[MAX_PROGRAMS];

	return attach_needed(list, list_programs(skel, opts, spares, list));
}

int gate_programs__attach_switch(struct auxbpf_bpf *skel)
{
	struct gate_program list[MAX_PROGRAMS];

	return attach_needed(list, list_switches(skel, list));
}

int gate_programs__attach_cgroups(struct auxbpf_bpf *skel, const struct gate_opts *opts)
{
	int err = attach(skel->progs.on_cgroup_rmdir, &skel->links.on_cgroup_rmdir);

	if (!err && opts->targets->by_cgroup && opts->windows->has_syscalls)
		err = attach(skel->progs.on_cgroup_attach, &skel->links.on_cgroup_attach);
	return err ? err : attach(skel->progs.on_cgroup_mkdir, &skel->links.on_cgroup_mkdir);
}
