// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_updates CPU [NUMBER]: changes a BPF map again and again, on that CPU, as whoever has nothing better to do. The
 * value is large, so it is in the middle of that most of the time, and when it is preempted: the kernel keeps
 * BPF from perf's events on the CPU then (bpf_disable_instrumentation()). Until SIGTERM without NUMBER. Prints a
 * line once it does.
 */
#include <linux/bpf.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

#define VALUE_SIZE (2 << 20) /* older kernels take no 4 MiB */

static char value[VALUE_SIZE];

static long bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

int main(int argc, char **argv)
{
	long number = argc > 2 ? program__arg(argc, argv, 2, 1) : 0;
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = sizeof(uint32_t),
		.value_size = sizeof(value),
		.max_entries = 1,
	};
	union bpf_attr update = {.value = (uintptr_t)value};
	const struct sched_param param = {0};
	uint32_t key = 0;
	cpu_set_t set;
	int fd;

	CPU_ZERO(&set);
	CPU_SET((size_t)program__arg(argc, argv, 1, 0), &set);
	REQUIRE(!sched_setaffinity(0, sizeof(set), &set));
	REQUIRE(!sched_setscheduler(0, SCHED_IDLE, &param));
	fd = (int)bpf(BPF_MAP_CREATE, &map);
	REQUIRE(fd >= 0);
	update.map_fd = (uint32_t)fd;
	update.key = (uintptr_t)&key;
	printf("changing a map\n");
	fflush(stdout);
	for (long i = 0; !number || i < number; i++)
		REQUIRE(!bpf(BPF_MAP_UPDATE_ELEM, &update));
	return 0;
}
