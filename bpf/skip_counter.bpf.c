// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the function in which the kernel counts the programs that it skips. This is an object of its own,
 * because its answer decides which programs of the main object are loaded.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

__u64 counting_function; /* 0: the kernel does not tell */

/*
 * Run by the loader. /proc/kallsyms would have the kernel print thousands of lines, each of which takes as
 * long as this.
 */
SEC("syscall")
int find_counting_function(void *ctx)
{
	static const char name[] = "bpf_prog_inc_misses_counter";
	__u64 address = 0;

	bpf_kallsyms_lookup_name(name, sizeof(name), 0, &address);
	counting_function = address;
	return 0;
}
