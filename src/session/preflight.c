// SPDX-License-Identifier: GPL-2.0-only
#include "session/preflight.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <string.h>

#include "base/log.h"
#include "base/path.h"

static const struct {
	int cap;
	const char *name;
	const char *what_for;
} needed[] = {
	/*
	 * On Debian perf_event_open() with perf_event_paranoid 3 needs this one; CAP_PERFMON is not enough.
	 */
	{CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "perf events of every task, BPF programs"},
	{CAP_IPC_LOCK, "CAP_IPC_LOCK", "AUX buffers beyond the memory lock limit"},
	{CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH", "tracefs, the maps of other users' tasks"},
	{CAP_SYS_PTRACE, "CAP_SYS_PTRACE", "the maps of other users' tasks"},
	{CAP_SYSLOG, "CAP_SYSLOG", "addresses in /proc/kallsyms"},
	{CAP_SYS_RAWIO, "CAP_SYS_RAWIO", "/proc/kcore, to decode the kernel"},
};

/* Reads the effective set from the line "CapEff:" of /proc/self/status. */
static int read_effective(const char *root, uint64_t *ret)
{
	char status[8192];
	const char *line;
	int err = path__read(root, status, sizeof(status), "/proc/self/status");

	if (err < 0)
		return err;
	line = strstr(status, "\nCapEff:");
	if (!line)
		return -EINVAL;
	*ret = strtoull(line + strlen("\nCapEff:"), NULL, 16);
	return 0;
}

int preflight__capabilities(const char *root)
{
	uint64_t effective;
	int err = read_effective(root, &effective);

	if (err) {
		log_err("cannot read the capabilities of this process from /proc/self/status: %s",
			strerror(-err));
		return err;
	}
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		if (effective >> needed[i].cap & 1)
			continue;
		log_err("%s is missing (%s)", needed[i].name, needed[i].what_for);
		err = -EPERM;
	}
	if (err)
		log_err("not permitted to trace: run as root, for instance with sudo");
	return err;
}

int preflight__btf(const char *root)
{
	if (path__exists(root, "/sys/kernel/btf/vmlinux"))
		return 0;
	log_err("this kernel has no BTF (/sys/kernel/btf/vmlinux), by which BPF programs find its types; "
		"use a kernel built with CONFIG_DEBUG_INFO_BTF, as distributions' are");
	return -ENOENT;
}
