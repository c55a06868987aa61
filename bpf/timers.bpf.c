// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tells whether the kernel lets programs have timers: this object loads only if it does. Real-time kernels
 * (PREEMPT_RT) do not (kernel/bpf/verifier.c, process_timer_func()).
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define CLOCK_MONOTONIC 1 /* include/uapi/linux/time.h */

char LICENSE[] SEC("license") = "GPL";

struct timed {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct timed);
} timers SEC(".maps");

/* This program is loaded and never run. */
SEC("iter/task")
int make_timer(struct bpf_iter__task *ctx)
{
	__u32 zero = 0;
	struct timed *timed = bpf_map_lookup_elem(&timers, &zero);

	if (timed)
		bpf_timer_init(&timed->timer, &timers, CLOCK_MONOTONIC);
	return 0;
}
