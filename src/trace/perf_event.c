// SPDX-License-Identifier: GPL-2.0-only
#include "trace/perf_event.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

/* aux_action is behind aux_sample_size; headers before Linux 6.13 have a reserved field there. */
#define AUX_ACTION_OFFSET (offsetof(struct perf_event_attr, aux_sample_size) + sizeof(__u32))

void perf_attr__set_aux_action(struct perf_event_attr *attr, uint32_t action)
{
	memcpy((char *)attr + AUX_ACTION_OFFSET, &action, sizeof(action));
}

/* config3 is behind sig_data, where the attributes of headers before Linux 6.3 end. */
#define CONFIG3_OFFSET (offsetof(struct perf_event_attr, sig_data) + sizeof(__u64))

static int perf_event__open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd)
{
	long fd;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

int perf_event__open_cpu(struct perf_event_attr *attr, int cpu, int group_fd)
{
	return perf_event__open(attr, -1, cpu, group_fd);
}

int perf_event__open_config3(const struct perf_event_attr *attr, uint64_t config3, int cpu, int group_fd)
{
	union {
		struct perf_event_attr attr;
		uint8_t bytes[CONFIG3_OFFSET + sizeof(config3)];
	} all = {.attr = *attr};
	long fd;

	if (!config3)
		return perf_event__open_cpu(&all.attr, cpu, group_fd);
	memcpy(all.bytes + CONFIG3_OFFSET, &config3, sizeof(config3));
	all.attr.size = sizeof(all);
	fd = syscall(SYS_perf_event_open, &all, -1, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

int perf_event__open_self(struct perf_event_attr *attr)
{
	return perf_event__open(attr, 0, -1, -1);
}

int perf_event__id(int fd, uint64_t *ret)
{
	return ioctl(fd, PERF_EVENT_IOC_ID, ret) < 0 ? -errno : 0;
}
