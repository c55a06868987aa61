// SPDX-License-Identifier: GPL-2.0-only
#include "gate/skip_watch.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "trace/perf_event.h"

struct skip_watch {
	struct cpu_watch {
		int fd; /* belongs to the link once there is one; -1: the CPU is offline */
		struct bpf_link *link;
	} * cpus;
	int nr_cpus;
};

static int open_breakpoint(int cpu, uint64_t address)
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

	return perf_event__open_cpu(&attr, cpu, -1);
}

static int open_all(struct skip_watch *watch, uint64_t address)
{
	for (int cpu = 0; cpu < watch->nr_cpus; cpu++) {
		int fd = open_breakpoint(cpu, address);

		if (fd == -ENODEV)
			continue; /* offline */
		if (fd < 0) {
			log_debug("no breakpoint where the kernel counts skipped programs, on CPU %d: %s",
				  cpu, strerror(-fd));
			return fd;
		}
		watch->cpus[cpu].fd = fd;
	}
	return 0;
}

static struct skip_watch *alloc_watch(int nr_cpus)
{
	_cleanup_(cleanup__skip_watch) struct skip_watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return NULL;
	watch->cpus = calloc((size_t)nr_cpus, sizeof(*watch->cpus));
	if (!watch->cpus)
		return NULL;
	watch->nr_cpus = nr_cpus;
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		watch->cpus[cpu].fd = -1;
	return steal_ptr(watch);
}

int skip_watch__new(uint64_t address, int nr_cpus, struct skip_watch **ret)
{
	_cleanup_(cleanup__skip_watch) struct skip_watch *watch = NULL;
	int err;

	if (!address) {
		log_debug("the kernel does not tell where it counts skipped programs");
		return -ENOENT;
	}
	watch = alloc_watch(nr_cpus);
	if (!watch)
		return -ENOMEM;
	err = open_all(watch, address);
	if (err)
		return err;
	*ret = steal_ptr(watch);
	return 0;
}

int skip_watch__attach(struct skip_watch *watch, const struct bpf_program *prog)
{
	for (int cpu = 0; cpu < watch->nr_cpus; cpu++) {
		struct cpu_watch *on = &watch->cpus[cpu];
		int err;

		if (on->fd < 0)
			continue;
		on->link = bpf_program__attach_perf_event(prog, on->fd);
		if (on->link)
			continue;
		err = -errno;
		log_err("cannot attach the BPF program %s: %s", bpf_program__name(prog), strerror(-err));
		return err;
	}
	return 0;
}

uint64_t skip_watch__count(const struct bpf_program *prog)
{
	struct bpf_prog_info info = {0};
	__u32 size = sizeof(info);

	return bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &size) ? 0 : info.recursion_misses;
}

void skip_watch__log_losses(const struct bpf_program *prog, uint64_t stood_in, const char *events)
{
	uint64_t nr = skip_watch__count(prog);

	if (nr && stood_in)
		log_debug("the kernel skipped the program %s %llu times; another one stood in for it",
			  bpf_program__name(prog), (unsigned long long)nr);
	if (nr > stood_in)
		log_warn(
			"the kernel did not show %llu %s to BPF programs, of all tasks: another task of that "
			"CPU was in the middle of one",
			(unsigned long long)(nr - stood_in), events);
}

static void free_cpu(struct cpu_watch *on)
{
	if (on->link)
		bpf_link__destroy(on->link);
	else
		cleanup__close(&on->fd);
}

void skip_watch__free(struct skip_watch *watch)
{
	if (!watch)
		return;
	for (int cpu = 0; cpu < watch->nr_cpus; cpu++)
		free_cpu(&watch->cpus[cpu]);
	free(watch->cpus);
	free(watch);
}
