// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gate: which task's execution is in the trace, decided in the kernel.
 *
 * Every CPU has one AUX event that starts paused. The *gate* of a CPU is open while that event runs. A
 * task that is a *target* and is inside one of the listed system calls has its *window* open. The rule
 * that all programs here keep:
 *
 *	the gate of a CPU is open  <=>  the window of the task that runs on it is open
 *
 *	sys_enter	a target enters a listed system call: its window opens, and so does the gate
 *	sys_exit	the window closes, and so does the gate
 *	sched_switch	the gate goes where the next task's window says: a task that sleeps in its window
 *			on one CPU and goes on on another is traced there, what runs in between is not
 *	fork		the child of a target is a target; it leaves the same system call as its parent, so a
 *			window of the parent's is open for the child too, until the child's own sys_exit
 *	exit		a window that no sys_exit ends; the last switch of the task closes the gate
 *
 * A window lives in the task's storage, the wanted state of a gate in the array `cpus`, an entry a CPU.
 *
 * The gate moves by bpf_trace_printk() of one of two strings that only this session uses: two siblings of the
 * AUX event on the tracepoint bpf_trace:bpf_trace_printk, each filtered on its string, resume and pause it
 * before the helper returns (kernel/events/core.c, perf_event_aux_pause()). That works from tp_btf
 * programs, which hold none of perf's recursion contexts.
 *
 * Preemption: all tracepoints but sched_switch may be preemptible (from 7.0 on), and while a task is
 * preempted inside a program the kernel skips that program for all other tasks of the CPU
 * (kernel/trace/bpf_trace.c, __bpf_trace_run(): prog->active). So those programs come twice, PROG and
 * PROG_spare, attached in this order: what the first did the spare finds done, what the kernel skipped the
 * spare does. Interrupts stay off while the gate moves. A window that was missed all the same is noticed at
 * the call's exit and counted. If a program is preempted between setting the window and moving the gate,
 * sched_switch moves the gate by the window, and the action that follows finds it done: each step says what
 * the gate should be, none toggles it.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "auxbpf_shared.h"

char LICENSE[] SEC("license") = "GPL";

/* Linux 6.14 and later. Before, the tracepoints that matter are not preemptible. */
extern void bpf_local_irq_save(unsigned long *flags) __ksym __weak;
extern void bpf_local_irq_restore(unsigned long *flags) __ksym __weak;

/* Set before load. The strings carry the session's token. */
const volatile char gate_open_string[AUXBPF_GATE_STRING] = "+auxbpf";
const volatile char gate_close_string[AUXBPF_GATE_STRING] = "-auxbpf";
const volatile __u64 syscalls[AUXBPF_SYSCALL_WORDS];
const volatile __u64 compat_syscalls[AUXBPF_SYSCALL_WORDS];
const volatile __s32 restart_syscall_nr = -1;
const volatile __s32 compat_restart_syscall_nr = -1;
const volatile __u32 nr_target_pids;
const volatile __s32 target_pids[AUXBPF_MAX_PIDS];

/* Nothing is decided before the loader sets this, and nothing after it is cleared. */
__u32 armed;
/* Tasks that are targets and live. */
__u64 live_targets;
/* For mark_targets: tasks that the last pass made targets. */
__u64 marked_targets;
/* For find_event: a file descriptor of the loader's and the perf event behind it. */
__s32 find_fd;
__u64 found_event;

struct task_state {
	__u32 window; /* the task is inside a listed system call */
	__u32 exited; /* it counts among the live targets no more */
	__u32 seen;   /* a listed system call of it has begun or ended since it is a target */
	__u32 closed; /* the window was closed at the sys_exit that runs, or the last one */
	/*
	 * Where restart_syscall will continue a listed system call that a signal interrupted: the kernel runs
	 * the same instruction on the same stack again. A handler may run in between, and system calls of its
	 * own be restarted, elsewhere.
	 */
	__u64 restart_ip;
	__u64 restart_sp;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct auxbpf_cpu);
} cpus SEC(".maps");

#define ERESTART_RESTARTBLOCK 516
#define TS_COMPAT 0x0002 /* arch/x86/include/asm/thread_info.h */
#define TIF_32BIT 22	 /* arch/arm64/include/asm/thread_info.h */

static __always_inline bool task_in_compat_syscall(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return BPF_CORE_READ(task, thread_info.status) & TS_COMPAT;
#else
	return BPF_CORE_READ(task, thread_info.flags) & (1ul << TIF_32BIT);
#endif
}

static __always_inline __u64 regs_ip(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return BPF_CORE_READ(regs, ip);
#else
	return BPF_CORE_READ(regs, pc);
#endif
}

static __always_inline long regs_syscall(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return BPF_CORE_READ(regs, orig_ax);
#else
	return BPF_CORE_READ(regs, syscallno);
#endif
}

static __always_inline __u64 regs_sp(struct pt_regs *regs)
{
	return BPF_CORE_READ(regs, sp);
}

static __always_inline bool syscall_is_listed(const volatile __u64 *list, __u64 nr)
{
	__u64 word = nr / 64;

	if (word >= AUXBPF_SYSCALL_WORDS)
		return false;
	return list[word] >> (nr % 64) & 1;
}

static __always_inline struct auxbpf_cpu *this_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &cpu);
}

static __always_inline bool gate_is_open(const struct auxbpf_cpu *cpu)
{
	struct perf_event *event = (void *)cpu->event;

	return !BPF_CORE_READ(event, hw.aux_paused);
}

/* Moves the gate and looks at the truth: perf drops an action that nests in another one. */
static __always_inline void gate_move(struct auxbpf_cpu *cpu, bool open)
{
	cpu->want_open = open;
	if (open) {
		cpu->opens++;
		bpf_trace_printk((const char *)gate_open_string, sizeof(gate_open_string));
	} else {
		cpu->closes++;
		bpf_trace_printk((const char *)gate_close_string, sizeof(gate_close_string));
	}
	cpu->retry = gate_is_open(cpu) != open;
	if (cpu->retry)
		cpu->refused++;
}

static __always_inline void gate_set(struct auxbpf_cpu *cpu, bool open)
{
	if (cpu->want_open != open || cpu->retry)
		gate_move(cpu, open);
}

/* A listed system call, or the continuation of one that a signal interrupted. */
static __always_inline bool syscall_opens_window(struct task_struct *task, struct pt_regs *regs, long nr)
{
	bool compat = task_in_compat_syscall(task);
	struct task_state *state;

	if (nr == (compat ? compat_restart_syscall_nr : restart_syscall_nr)) {
		state = bpf_task_storage_get(&tasks, task, NULL, 0);
		if (state && state->restart_ip == regs_ip(regs) && state->restart_sp == regs_sp(regs))
			return true;
	}
	return syscall_is_listed(compat ? compat_syscalls : syscalls, nr);
}

static __always_inline void irq_save(unsigned long *flags)
{
	if (bpf_local_irq_save)
		bpf_local_irq_save(flags);
}

static __always_inline void irq_restore(unsigned long *flags)
{
	if (bpf_local_irq_restore)
		bpf_local_irq_restore(flags);
}

static __always_inline int enter_syscall(struct pt_regs *regs, long nr)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state;
	struct auxbpf_cpu *cpu;
	unsigned long flags;

	if (!armed || !syscall_opens_window(task, regs, nr))
		return 0;
	state = bpf_task_storage_get(&tasks, task, NULL, 0);
	cpu = this_cpu();
	if (!state || state->window || !cpu || !cpu->event)
		return 0;
	irq_save(&flags);
	state->restart_ip = 0;
	state->window = 1;
	state->seen = 1;
	state->closed = 0;
	cpu->windows++;
	gate_set(cpu, true);
	irq_restore(&flags);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_sys_enter, struct pt_regs *regs, long nr)
{
	return enter_syscall(regs, nr);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_sys_enter_spare, struct pt_regs *regs, long nr)
{
	return enter_syscall(regs, nr);
}

static __always_inline void window_close(struct auxbpf_cpu *cpu, struct pt_regs *regs, long ret)
{
	struct task_state *state = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL, 0);

	if (state) {
		state->window = 0;
		state->closed = 1;
		if (ret == -ERESTART_RESTARTBLOCK) {
			state->restart_ip = regs_ip(regs);
			state->restart_sp = regs_sp(regs);
		}
	}
	gate_set(cpu, false);
}

/* A listed system call ends without a window: missed, unless the task became a target in the middle of it. */
static __always_inline void count_missed(struct auxbpf_cpu *cpu, struct pt_regs *regs)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state;

	if (!syscall_is_listed(task_in_compat_syscall(task) ? compat_syscalls : syscalls, regs_syscall(regs)))
		return;
	state = bpf_task_storage_get(&tasks, task, NULL, 0);
	if (!state || state->window)
		return;
	if (state->seen && !state->closed)
		cpu->missed++;
	state->seen = 1;
	state->closed = 0;
}

static __always_inline int exit_syscall(struct pt_regs *regs, long ret, bool spare)
{
	struct auxbpf_cpu *cpu = this_cpu();
	unsigned long flags;

	if (!cpu)
		return 0;
	/* The gate is closed: by the rule above this task has no window. */
	if (!cpu->want_open) {
		if (spare && armed)
			count_missed(cpu, regs);
		return 0;
	}
	irq_save(&flags);
	window_close(cpu, regs, ret);
	irq_restore(&flags);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_sys_exit, struct pt_regs *regs, long ret)
{
	return exit_syscall(regs, ret, false);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_sys_exit_spare, struct pt_regs *regs, long ret)
{
	return exit_syscall(regs, ret, true);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct auxbpf_cpu *cpu = this_cpu();
	struct task_state *state;
	bool window;

	if (!cpu || !cpu->event)
		return 0;
	state = bpf_task_storage_get(&tasks, next, NULL, 0);
	window = armed && state && state->window;
	if (window)
		cpu->windows_resumed++;
	gate_set(cpu, window);
	return 0;
}

static __always_inline struct task_state *target_add(struct task_struct *task)
{
	struct task_state *state;

	state = bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (state)
		__sync_fetch_and_add(&live_targets, 1);
	return state;
}

static __always_inline int follow_child(struct task_struct *parent, struct task_struct *child)
{
	struct task_state *from = bpf_task_storage_get(&tasks, parent, NULL, 0);
	struct task_state *to;

	if (!from || bpf_task_storage_get(&tasks, child, NULL, 0))
		return 0;
	to = target_add(child);
	if (to) {
		to->window = from->window;
		to->seen = 1;
	}
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	return follow_child(parent, child);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork_spare, struct task_struct *parent, struct task_struct *child)
{
	return follow_child(parent, child);
}

static __always_inline int forget_task(struct task_struct *task)
{
	struct task_state *state = bpf_task_storage_get(&tasks, task, NULL, 0);

	if (!state || state->exited)
		return 0;
	state->exited = 1;
	__sync_fetch_and_sub(&live_targets, 1);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	return forget_task(task);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit_spare, struct task_struct *task)
{
	return forget_task(task);
}

/* Run by the loader: makes the listed processes' threads targets. Repeated until a pass finds none. */
SEC("iter/task")
int mark_targets(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	__u32 i;

	if (!task || bpf_task_storage_get(&tasks, task, NULL, 0))
		return 0;
	for (i = 0; i < AUXBPF_MAX_PIDS && i < nr_target_pids; i++) {
		if (task->tgid != target_pids[i])
			continue;
		if (target_add(task))
			marked_targets++;
		break;
	}
	return 0;
}

/* Run by the loader in its own context: the kernel's perf event behind the descriptor find_fd. */
SEC("raw_tp")
int find_event(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct fdtable *fdt = BPF_CORE_READ(task, files, fdt);
	struct file **fds = BPF_CORE_READ(fdt, fd);
	struct file *file = NULL;

	found_event = 0;
	if (find_fd < 0 || (__u32)find_fd >= BPF_CORE_READ(fdt, max_fds))
		return 0;
	bpf_probe_read_kernel(&file, sizeof(file), fds + find_fd);
	if (file)
		found_event = (__u64)BPF_CORE_READ(file, private_data);
	return 0;
}
