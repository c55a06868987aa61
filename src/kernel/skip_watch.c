// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/skip_watch.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "kernel/perf_event.h"

struct skip_watch {
	struct bpf_link **links; /* one a CPU, NULL where it is offline */
	int nr_cpus;
};

static int watch_cpu(const struct bpf_program *prog, int cpu, uint64_t address, struct bpf_link **ret)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = address,
		.bp_len = sizeof(long),
		.sample_period = 1,
		.disabled = 1, /* until the program is attached */
		.exclude_user = 1,
		.exclude_hv = 1,
	};
	_cleanup_close_ int fd = perf_event__open_cpu(&attr, cpu, -1);

	if (fd == -ENODEV)
		return 0; /* offline */
	if (fd < 0)
		return fd;
	*ret = bpf_program__attach_perf_event(prog, fd);
	if (!*ret)
		return -errno;
	steal_fd(&fd); /* the link's */
	return 0;
}

static int watch_all(struct skip_watch *watch, const struct bpf_program *prog, uint64_t address)
{
	for (int cpu = 0; cpu < watch->nr_cpus; cpu++) {
		int err = watch_cpu(prog, cpu, address, &watch->links[cpu]);

		if (!err)
			continue;
		log_debug("no breakpoint where the kernel counts skipped programs, on CPU %d: %s", cpu,
			  strerror(-err));
		return err;
	}
	return 0;
}

int skip_watch__new(uint64_t address, const struct bpf_program *prog, int nr_cpus, struct skip_watch **ret)
{
	_cleanup_(cleanup__skip_watch) struct skip_watch *watch = calloc(1, sizeof(*watch));
	int err;

	if (!watch)
		return -ENOMEM;
	if (!address) {
		log_debug("the kernel does not tell where it counts skipped programs");
		return -ENOENT;
	}
	watch->nr_cpus = nr_cpus;
	watch->links = calloc((size_t)nr_cpus, sizeof(*watch->links));
	if (!watch->links)
		return -ENOMEM;
	err = watch_all(watch, prog, address);
	if (err)
		return err;
	*ret = steal_ptr(watch);
	return 0;
}

static int read_info(const struct bpf_program *prog, struct bpf_prog_info *info)
{
	__u32 size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return bpf_obj_get_info_by_fd(bpf_program__fd(prog), info, &size) ? -errno : 0;
}

int skip_watch__program_id(const struct bpf_program *prog, __u32 *ret)
{
	struct bpf_prog_info info;
	int err = read_info(prog, &info);

	if (!err)
		*ret = info.id;
	return err;
}

uint64_t skip_watch__count(const struct bpf_program *prog)
{
	struct bpf_prog_info info;

	return read_info(prog, &info) ? 0 : info.recursion_misses;
}

void skip_watch__free(struct skip_watch *watch)
{
	if (!watch)
		return;
	for (int cpu = 0; watch->links && cpu < watch->nr_cpus; cpu++)
		bpf_link__destroy(watch->links[cpu]);
	free(watch->links);
	free(watch);
}
