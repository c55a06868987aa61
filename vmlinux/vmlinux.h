/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's types as far as our BPF programs read them, for CO-RE: only the names of types and members
 * count, because libbpf moves every access to where the running kernel's BTF says it is. The same text serves
 * x86_64 and aarch64; what exists on one of them only is guarded by __TARGET_ARCH_*.
 *
 * To extend it, add the member, with its type as in the kernel's header, to the struct, in any order. A new
 * struct goes between the push and the pop, so that preserve_access_index holds for it. When the programs are
 * loaded libbpf searches all of the kernel's types for each struct, so add no more than is read. A member
 * that some kernels lack is read behind bpf_core_field_exists(). `bpftool btf dump file
 * /sys/kernel/btf/vmlinux format c` shows what the running kernel has. Types of the kernel's user interface
 * (BPF_MAP_TYPE_*, __u64, …) come from the uapi headers.
 */
#ifndef AUXBPF_VMLINUX_H
#define AUXBPF_VMLINUX_H

#include <linux/bpf.h>
#include <linux/types.h>

#ifndef __bpf__
#error "for BPF programs only"
#endif

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef _Bool bool;
typedef int pid_t;

enum {
	false = 0,
	true = 1,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct file {
	const void *f_op;
	void *private_data;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct thread_info {
	unsigned long flags;
	u32 cpu; /* the CPU that the task is on; with CONFIG_SMP */
#if defined(__TARGET_ARCH_x86)
	u32 status;
#elif defined(__TARGET_ARCH_arm64)
	u64 preempt_count;
#endif
};

#if defined(__TARGET_ARCH_x86)
/* Linux 6.2 to 6.14 have this. */
struct pcpu_hot {
	int preempt_count;
};
#endif

struct kernfs_node {
	u64 id;
};

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup_root {
	int hierarchy_id; /* 0: the v2 hierarchy */
};

struct cgroup {
	struct cgroup_subsys_state self;
	int level; /* 0: the root of a hierarchy */
	struct kernfs_node *kn;
	struct cgroup_root *root;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

typedef struct {
	unsigned int val;
} kuid_t;

struct cred {
	kuid_t uid;
};

struct mm_struct;
struct completion;

typedef struct {
	int counter;
} atomic_t;

struct sigaction {
	void *sa_handler;
	unsigned long sa_flags;
};

struct k_sigaction {
	struct sigaction sa;
};

struct task_struct;

struct signal_struct {
	atomic_t live; /* threads that have not begun to exit */
	unsigned int flags;
	struct task_struct *group_exec_task; /* the thread that executes a program and so ends the others */
	/* The status as wait(2) gives it, once all threads have begun to exit. */
	int group_exit_code;
};

struct bpf_prog {
	u32 jited_len; /* bytes of machine code; 0: it is interpreted */
	void *bpf_func;
};

struct seccomp_filter {
	struct seccomp_filter *prev; /* the filter that the task had before: both are run */
	struct bpf_prog *prog;
};

struct seccomp {
	int mode; /* 0: the task's calls pass no filter */
	struct seccomp_filter *filter;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

/* The numbers of a task, from the initial namespace to the task's own. */
struct pid {
	unsigned int level; /* level of the last number */
	struct upid numbers[];
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	pid_t pid;
	pid_t tgid;
	unsigned short migration_disabled; /* with CONFIG_SMP */
	unsigned int flags;
	unsigned int ptrace; /* not 0: it has a tracer */
	struct seccomp seccomp;
	int exit_state; /* not 0: it is a zombie, or gone */
	char comm[16];
	void *stack;
	struct mm_struct *mm;
	unsigned long nvcsw;  /* times it left a CPU to sleep */
	unsigned long nivcsw; /* other times it left one */
	const struct cred *real_cred;
	struct css_set *cgroups;
	struct files_struct *files;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct completion *vfork_done;
	struct signal_struct *signal;
	struct bpf_local_storage *bpf_storage; /* NULL until a program keeps something of the task */
	int softirq_disable_cnt;	       /* real-time kernels only */
};

/* What a CPU runs. */
struct rq {
	struct task_struct *curr;
};

/* Of a map of the type BPF_MAP_TYPE_TASK_STORAGE. */
struct bpf_local_storage_map {
	bool bpf_ma; /* Linux 6.4 and later, up to the kernels that take memory from kmalloc_nolock() */
};

#if defined(__TARGET_ARCH_arm64)
struct pt_regs {
	u64 regs[31];
	u64 sp;
	u64 pc;
	u64 orig_x0; /* the first argument; regs[0] holds it until the call ends */
	s32 syscallno;
};
#elif !defined(__TARGET_ARCH_x86)
#error "add pt_regs of this architecture"
#endif

struct hw_perf_event {
	/* Linux 6.13 and later: the AUX event is paused (kernel/events/core.c, __perf_event_aux_pause()). */
	unsigned int aux_paused;
	u64 interrupts_seq; /* ticks that the CPU had had when perf last looked */
	/* Overflows since that tick; all bits set: the event is stopped until the next tick. */
	u64 interrupts;
};

struct perf_event_attr {
	u32 type;
};

struct perf_event {
	struct hw_perf_event hw;
	struct perf_event_attr attr;
	unsigned int attach_state;
	int cpu;
};

/* The context of a program at perf's events. */
struct bpf_perf_event_data_kern {
	struct perf_event *event;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	u64 seq_num; /* runs of the program before this one */
};

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	struct file *file;
};

#pragma clang attribute pop

/* The types below are the same in all kernels. libbpf would search all of the kernel's types for each. */

#if defined(__TARGET_ARCH_x86)
/* The registers as ptrace(2) shows them (arch/x86/include/uapi/asm/ptrace.h). */
struct pt_regs {
	unsigned long r15;
	unsigned long r14;
	unsigned long r13;
	unsigned long r12;
	unsigned long bp;
	unsigned long bx;
	unsigned long r11;
	unsigned long r10;
	unsigned long r9;
	unsigned long r8;
	unsigned long ax;
	unsigned long cx;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
	unsigned long ip;
	unsigned long cs;
	unsigned long flags;
	unsigned long sp;
	unsigned long ss;
};
#endif

/* The context of a program of the iterator over tasks (kernel/bpf/task_iter.c). */
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#endif
