// SPDX-License-Identifier: GPL-2.0-only
#include "gate/gate_config.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/log.h"
#include "loader/kernel_types.h"

/* The inode of the initial PID namespace (include/linux/proc_ns.h, PROC_PID_INIT_INO). */
#define INITIAL_PID_NS 0xEFFFFFFCu

/*
 * The strings are short and differ in the first letter, because every window's trace contains their
 * comparison.
 */
static int make_strings(struct auxbpf_config *config)
{
	uint32_t token;

	if (getrandom(&token, sizeof(token), 0) != sizeof(token))
		return -errno;
	snprintf(config->open_string, sizeof(config->open_string), "+auxbpf%08x", token);
	snprintf(config->close_string, sizeof(config->close_string), "-auxbpf%08x", token);
	return 0;
}

/* The inode of our PID namespace; 0 if it is the initial one or cannot be found. */
static uint32_t find_pid_ns(const char *root)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/proc/self/ns/pid", root);
	if (stat(path, &st)) {
		log_warn("cannot tell in which PID namespace auxbpf runs: %s: %s", path, strerror(errno));
		return 0;
	}
	return st.st_ino == INITIAL_PID_NS ? 0 : (uint32_t)st.st_ino;
}

static void fill_targets(struct auxbpf_config *config, const struct target_set *targets)
{
	config->kinds = target_set__kinds(targets);
	config->follow = !targets->no_follow;
	config->cpus_listed = targets->nr_cpus > 0;
	config->nr_pids = (uint32_t)targets->nr_pids;
	memcpy(config->pids, targets->pids, sizeof(config->pids));
	config->nr_tids = (uint32_t)targets->nr_tids;
	memcpy(config->tids, targets->tids, sizeof(config->tids));
	config->nr_uids = (uint32_t)targets->nr_uids;
	memcpy(config->uids, targets->uids, sizeof(config->uids));
	config->comms = targets->comms;
}

static void fill_user_calls(struct auxbpf_config *config)
{
	int nrs[SYSCALL_USER_CALLS];
	size_t nr_calls = syscall__user_calls(nrs);

	for (size_t i = 0; i < nr_calls; i++)
		if (nrs[i] < AUXBPF_MAX_SYSCALLS)
			config->numbers[nrs[i]] |= AUXBPF_NUMBER_USER;
}

/*
 * Both tables count for every task, because execve may enter as a 64-bit task and leave as a 32-bit one. On
 * x86 the number that continues a call of a 32-bit task is that of read in 64-bit tasks.
 */
static void fill_numbers(struct auxbpf_config *config)
{
	for (int nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++) {
		if (config->syscalls[nr] || config->compat_syscalls[nr] || nr == config->restart_nr)
			config->numbers[nr] = AUXBPF_NUMBER_COUNTS;
		else if (nr == config->compat_restart_nr)
			config->numbers[nr] = AUXBPF_NUMBER_COMPAT;
	}
	if (config->kinds & AUXBPF_BY_UID)
		fill_user_calls(config);
}

static uint32_t longest_condition(const struct syscall_set *set)
{
	uint32_t longest = 0;

	for (size_t i = 0; i < set->nr_conditions; i++)
		if (set->conditions[i].nr_tests > longest)
			longest = set->conditions[i].nr_tests;
	return longest;
}

static enum auxbpf_switches choose_switches(const struct auxbpf_config *config)
{
	if (!config->on_cpu || config->kinds & (AUXBPF_BY_TASK | AUXBPF_BY_COMM))
		return AUXBPF_SWITCHES_KNOWN;
	if (config->states)
		return AUXBPF_SWITCHES_ANY;
	if (config->kinds == AUXBPF_BY_UID)
		return AUXBPF_SWITCHES_USER;
	return config->kinds == AUXBPF_BY_CGROUP ? AUXBPF_SWITCHES_CGROUP : AUXBPF_SWITCHES_ANY;
}

int gate_config__fill(struct auxbpf_config *config, const struct gate_opts *opts)
{
	int nr_cpus = libbpf_num_possible_cpus(), err;

	if (nr_cpus < 0 || nr_cpus > AUXBPF_MAX_CPUS)
		return nr_cpus < 0 ? nr_cpus : -E2BIG;
	config->nr_cpus = (uint32_t)nr_cpus;
	config->control = opts->control;
	config->wait = opts->wait;
	config->named_cgroups = opts->named_cgroups ? (uint32_t)opts->named_cgroups->nr : 0;
	config->conditions = longest_condition(&opts->windows->syscalls);
	config->on_cpu = opts->windows->on_cpu;
	config->command = opts->command;
	config->pid_ns = find_pid_ns(opts->root);
	config->restart_nr = syscall__restart_nr();
	config->compat_restart_nr = syscall__compat_restart_nr();
	memcpy(config->syscalls, opts->windows->syscalls.native, sizeof(config->syscalls));
	memcpy(config->compat_syscalls, opts->windows->syscalls.compat, sizeof(config->compat_syscalls));
	fill_targets(config, opts->targets);
	fill_numbers(config);
	config->states = opts->targets->by_task || opts->targets->by_comm || opts->windows->has_syscalls ||
			 opts->windows->nr_functions || opts->windows->nr_ranges;
	config->switches = choose_switches(config);
	err = kernel_types__file_table(&config->file_table);
	if (err) {
		log_err("cannot find in the kernel's types how it keeps open files: %s", strerror(-err));
		return err;
	}
	return make_strings(config);
}
