// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another BPF user on the machine, who counts what the program `calls` does (tests/tools/programs/calls.c) by every
 * kind of program that there is for it, and who prints a line for each of its calls.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

/* arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h */
#if defined(__TARGET_ARCH_x86)
#define SYS_GETSID 124
#define regs_syscall orig_ax
#else
#define SYS_GETSID 156
#define regs_syscall syscallno
#endif

__u64 btf_enter, btf_exit, btf_switch, raw_enter, raw_switch, classic_enter, classic_exit, classic_switch;

static __always_inline int is_calls(void)
{
	char comm[16];

	bpf_get_current_comm(comm, sizeof(comm));
	return comm[0] == 'c' && comm[1] == 'a' && comm[2] == 'l' && comm[3] == 'l' && comm[4] == 's' &&
	       !comm[5];
}

static __always_inline void count(__u64 *counter)
{
	if (is_calls())
		__sync_fetch_and_add(counter, 1);
}

SEC("tp_btf/sys_enter")
int counter_btf_enter(unsigned long long *ctx)
{
	if (ctx[1] != SYS_GETSID || !is_calls())
		return 0;
	__sync_fetch_and_add(&btf_enter, 1);
	bpf_printk("other");
	return 0;
}

SEC("tp_btf/sys_exit")
int counter_btf_exit(unsigned long long *ctx)
{
	if (BPF_CORE_READ((struct pt_regs *)ctx[0], regs_syscall) == SYS_GETSID)
		count(&btf_exit);
	return 0;
}

SEC("tp_btf/sched_switch")
int counter_btf_switch(unsigned long long *ctx)
{
	count(&btf_switch);
	return 0;
}

SEC("raw_tp/sys_enter")
int counter_raw_enter(struct bpf_raw_tracepoint_args *ctx)
{
	if (ctx->args[1] == SYS_GETSID)
		count(&raw_enter);
	return 0;
}

SEC("raw_tp/sched_switch")
int counter_raw_switch(void *ctx)
{
	count(&raw_switch);
	return 0;
}

/* Of the programs of tracepoint events, 0 would take the event from everybody else. */
struct syscall_event {
	__u64 common;
	long id;
};

SEC("tracepoint/raw_syscalls/sys_enter")
int counter_classic_enter(struct syscall_event *ctx)
{
	if (ctx->id == SYS_GETSID)
		count(&classic_enter);
	return 1;
}

SEC("tracepoint/raw_syscalls/sys_exit")
int counter_classic_exit(struct syscall_event *ctx)
{
	if (ctx->id == SYS_GETSID)
		count(&classic_exit);
	return 1;
}

SEC("tracepoint/sched/sched_switch")
int counter_classic_switch(void *ctx)
{
	count(&classic_switch);
	return 1;
}
