// SPDX-License-Identifier: GPL-2.0-only
#include "base/privileges.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>

#include "base/log.h"
#include "base/syscall_filter.h"

#define OF(who) (1u << (who))

static const struct {
	cap_value_t cap;
	unsigned int of;
} kept[] = {
	/* kernel/bpf/syscall.c, bpf_prog_get_fd_by_id(): BPF programs that are loaded meanwhile */
	{CAP_SYS_ADMIN, OF(PRIVILEGES_RECORDER) | OF(PRIVILEGES_GUARD)},
	/* fs/proc/base.c, proc_map_files_get_link() */
	{CAP_CHECKPOINT_RESTORE, OF(PRIVILEGES_RECORDER) | OF(PRIVILEGES_FILES)},
	/* /proc/PID/maps, /proc/PID/root of other users' tasks, /proc/PID/fdinfo of one that has more capabilities */
	{CAP_SYS_PTRACE, OF(PRIVILEGES_RECORDER) | OF(PRIVILEGES_FILES) | OF(PRIVILEGES_GUARD)},
	{CAP_DAC_READ_SEARCH, OF(PRIVILEGES_RECORDER) | OF(PRIVILEGES_FILES)},
	/* addresses in /proc/kallsyms and /proc/modules, the code of BPF programs */
	{CAP_SYSLOG, OF(PRIVILEGES_RECORDER) | OF(PRIVILEGES_GUARD)},
	/* signals for a COMMAND that has another user now */
	{CAP_KILL, OF(PRIVILEGES_RECORDER)},
};

static bool limits_threads;
static bool in_foreign_dir;

/* Tells whether @from has @cap; it never has one that the kernel does not know. */
static bool has(cap_t from, cap_value_t cap)
{
	cap_flag_value_t value = CAP_CLEAR;

	return !cap_get_flag(from, cap, CAP_PERMITTED, &value) && value == CAP_SET;
}

static int keep(cap_t from, cap_t to, cap_value_t cap)
{
	if (!has(from, cap))
		return 0;
	if (cap_set_flag(to, CAP_PERMITTED, 1, &cap, CAP_SET) ||
	    cap_set_flag(to, CAP_EFFECTIVE, 1, &cap, CAP_SET))
		return -errno;
	return 0;
}

static int keep_all(enum privileges of, cap_t from, cap_t to)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(kept); i++)
		if (kept[i].of & OF(of))
			err = keep(from, to, kept[i].cap);
	if (!err && of == PRIVILEGES_RECORDER && in_foreign_dir)
		err = keep(from, to, CAP_DAC_OVERRIDE);
	/* CAP_CHECKPOINT_RESTORE is missing: proc_map_files_get_link() accepts this larger one, too. */
	if (!err && of == PRIVILEGES_FILES && !has(from, CAP_CHECKPOINT_RESTORE))
		err = keep(from, to, CAP_SYS_ADMIN);
	return err;
}

/* Takes all other capabilities from the calling thread. On Linux each thread has a set of its own. */
static int limit_capabilities(enum privileges of)
{
	cap_t from = cap_get_proc(), to = cap_init();
	int err = from && to ? keep_all(of, from, to) : -errno;

	if (!err && cap_set_proc(to))
		err = -errno;
	cap_free(from);
	cap_free(to);
	return err;
}

void privileges__limit_threads(bool foreign_dir)
{
	limits_threads = true;
	in_foreign_dir = foreign_dir;
}

void privileges__limit_new_thread(void)
{
	int err = limits_threads ? limit_capabilities(PRIVILEGES_RECORDER) : 0;

	if (err)
		log_warn("a thread keeps its capabilities: %s", strerror(-err));
}

static void log_capabilities(void)
{
	cap_t now = cap_get_proc();
	char *text = now ? cap_to_text(now, NULL) : NULL;

	log_debug("capabilities from here on: %s", text ? text : "unknown");
	cap_free(text);
	cap_free(now);
}

int privileges__limit(enum privileges of)
{
	int err = limit_capabilities(of);

	if (!err && of == PRIVILEGES_RECORDER)
		log_capabilities();
	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	return err ? err : syscall_filter__load();
}
