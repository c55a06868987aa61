// SPDX-License-Identifier: GPL-2.0-only
#include "programs.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

/* Returns the last id of a BPF program. Ids rise, so those of a session's programs come after it. */
static uint32_t last_id(void)
{
	uint32_t id = 0;

	while (!bpf_prog_get_next_id(id, &id))
		;
	return id;
}

static int print_one(uint32_t id)
{
	_cleanup_close_ int fd = bpf_prog_get_fd_by_id(id);
	struct bpf_prog_info info = {0};
	uint32_t size = sizeof(info);

	if (fd < 0)
		return 0; /* a program of somebody else, which is gone */
	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return -errno;
	if (strncmp(info.name, "on_", 3))
		return 0;
	printf("    %-20s %9u %9u %9u", info.name, info.xlated_prog_len / 8, info.verified_insns,
	       info.jited_prog_len);
	if (info.run_cnt)
		printf(" %9llu %9.1f", info.run_cnt, (double)info.run_time_ns / (double)info.run_cnt);
	printf("\n");
	return 0;
}

static int print_session(const struct bench *bench, const struct variant *v)
{
	_cleanup_close_ int statistics = bpf_enable_stats(BPF_STATS_RUN_TIME);
	_cleanup_(cleanup__listener) struct listener *listener = NULL;
	uint32_t id;
	int err;

	if (statistics < 0)
		log_warn("the kernel does not tell how long its programs run: %s", strerror(errno));
	id = last_id();
	err = listener__new(v, bench, &listener);
	for (enum work work = 0; !err && work < WORK_NR; work++)
		if ((v->works & WORK_BIT(work)) && workers__measure(bench->workers, work) < 0)
			err = -EIO;
	printf("  %s\n", v->name);
	while (!err && !bpf_prog_get_next_id(id, &id))
		err = print_one(id);
	return err;
}

int programs__print(const struct bench *bench)
{
	static const struct variant sessions[] = {
		{"--on-syscall uname -p", VARIANT_GATE, .works = WORK_BIT(WORK_MISS),
		 .targets = AUXBPF_BY_TASK, .syscalls = "uname"},
		{"--on-cpu --cgroup", VARIANT_GATE, .works = WORK_BIT(WORK_SWITCH),
		 .targets = AUXBPF_BY_CGROUP, .on_cpu = true, .nr_cgroups = 1},
	};
	int err = 0;

	printf("\nthe programs\n    %-20s %9s %9s %9s %9s %9s\n", "", "insns", "verified", "x86 bytes",
	       "runs", "ns a run");
	for (size_t i = 0; !err && i < ARRAY_SIZE(sessions); i++)
		err = print_session(bench, &sessions[i]);
	if (err)
		log_err("cannot see the BPF programs: %s", strerror(-err));
	return err;
}
