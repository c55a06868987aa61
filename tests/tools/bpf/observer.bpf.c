// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another BPF user on the machine, whose code runs inside the traced window: at the entry of every system
 * call, with a function of its own, and, in a second object, around a function of the kernel through a
 * trampoline.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

volatile int seen;

static __attribute__((noinline)) int observe(int a, int b)
{
	seen += a * 3 + b;
	if (seen & 4)
		seen ^= a;
	return seen ^ b;
}

#ifdef OBSERVE_FUNCTION
SEC("fentry/down_read")
int observer_fentry(void *ctx)
{
	return observe(2, 5) & 0;
}

SEC("fexit/down_read")
int observer_fexit(void *ctx)
{
	return observe(3, 5) & 0;
}
#else
SEC("tp_btf/sys_enter")
int observer_enter(unsigned long long *ctx)
{
	return observe((int)ctx[1], 1) & 0;
}

SEC("tp_btf/sys_exit")
int observer_exit(unsigned long long *ctx)
{
	return observe((int)ctx[1], 2) & 0;
}
#endif
