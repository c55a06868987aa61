// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers: the programs at the events for which snapshots are taken. This is a part of the main object, of
 * which the loader loads what the rules need. These programs are attached before the gate's (auxbpf.bpf.c):
 * the sooner a CPU is frozen, the nearer to the event its trace ends. Only the program of sched_switch comes
 * behind the gate's, so that the trace ends where the task is back.
 *
 *	sys_enter	notes when a call began and with what arguments; fires rules that need no result
 *	sys_exit	fires the rules of the call
 *	signal_deliver	fires those of a call that a signal's handler interrupts (interrupted.bpf.h)
 *	sched_switch	notes when the task left the CPU; fires rules on how long the next one was away
 *	sched_waking	notes who wakes a task; runs on the CPU of the waker
 *	sched_wakeup	notes when a task became ready to run; runs where the task is going to
 *	signal_deliver, sched_process_exit, _exec, _fork, mark_victim
 *			fire the rules of their kind
 *	softirq_entry, irq_handler_entry	note when a handler began (handlers.bpf.h)
 *	softirq_exit, irq_handler_exit		fire the rules on how long it took
 *
 * Other objects have the programs at functions of the kernel (trigger_function.bpf.c), at functions of
 * programs (trigger_user.bpf.c) and at tracepoints that rules name (trigger_tracepoint.bpf.c).
 *
 * A rule looks at targets only. freeze.bpf.h tells what happens when one fires.
 *
 * Preemption: as in the main object the kernel skips programs. The program of trigger_skip.bpf.c does what
 * they would have done; where there is none, spares of the programs of system calls do. The first of two
 * programs notes in the task that it was there, so the spare knows what is left to do. What is skipped of
 * forks, execs and exits without either is counted, and of interrupts in any case: the count is said at the
 * end.
 */
#define AUXBPF_GATE_ELSEWHERE
#include "handlers.bpf.h"
#include "interrupt.bpf.h"
#include "tracepoint_record.bpf.h"
#include "trigger_events.bpf.h"

/* From include/uapi/asm-generic/signal-defs.h and signal.h, include/linux/sched/signal.h. */
#define SIG_DFL 0
#define SIG_IGN 1
#define SIGKILL 9
#define SIGNAL_GROUP_EXIT 4

char LICENSE[] SEC("license") = "GPL";

SEC("tp_btf/sys_enter")
int BPF_PROG(on_call, struct pt_regs *regs, long nr)
{
	return enter_call(regs, nr, 0);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_call_spare, struct pt_regs *regs, long nr)
{
	return enter_call(regs, nr, 1);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_return, struct pt_regs *regs, long ret)
{
	return leave_call(regs, ret, 0);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_return_spare, struct pt_regs *regs, long ret)
{
	return leave_call(regs, ret, 1);
}

/* Tries the rules on how long the task was away, and how long of that it was ready to run. */
static __always_inline void try_return(struct task_struct *task, const struct task_history *h, __u64 rules,
				       __u64 now)
{
	struct auxbpf_event e = {.state = h->state};

	if (h->state) {
		e.waker = h->waker;
		__builtin_memcpy(e.waker_comm, h->waker_comm, sizeof(e.waker_comm));
	}
	set_field(&e, AUXBPF_FIELD_OFFCPU, now - h->left);
	set_field(&e, AUXBPF_FIELD_RUNQ, h->woken ? now - h->woken : 0);
	set_task(&e, task);
	try_rules(rules, &e, h);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	__u64 rules = triggers.by_kind[AUXBPF_TRIGGER_OFFCPU] | triggers.by_kind[AUXBPF_TRIGGER_RUNQ];
	__u64 now = bpf_ktime_get_ns();
	struct task_history *h = history(prev);

	if (h)
		history_left(h, now, prev, preempt, prev_state);
	h = history(next);
	if (!h)
		return 0;
	history_arrived(h, now);
	if (rules && h->left && is_watched(next))
		try_return(next, h, rules, now);
	h->left = 0;
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct task_history *h = history(task);

	if (h)
		history_waking(h, bpf_get_current_task_btf());
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
	struct task_history *h = history(task);

	if (h)
		history_woken(h, bpf_ktime_get_ns());
	return 0;
}

/* Makes room for a record of the task, because the programs at tracepoints may not allocate it. */
static __always_inline void make_record(struct task_struct *task)
{
	if (triggers.by_kind[AUXBPF_TRIGGER_TRACEPOINT])
		kept_new(&records, &records_reserve, task, &no_record, sizeof(no_record));
}

/* Makes the history of a new task, which waits for a CPU from here on. */
static __always_inline int make_history(struct task_struct *child)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	struct task_history *h;

	if (history(child))
		return 0;
	make_record(child);
	h = history_new(child);
	if (!h)
		return 0;
	h->left = h->woken = bpf_ktime_get_ns();
	if (CHILD_EXITS_SYSCALL)
		h->born_in = regs_syscall(regs) + 1;
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_new_task, struct task_struct *parent, struct task_struct *child)
{
	make_history(child);
	return start_task();
}

/* Makes the history a bit earlier, in case that on_new_task is skipped. */
SEC("tp_btf/task_newtask")
int BPF_PROG(on_child, struct task_struct *child)
{
	return make_history(child);
}

/* Comes in place of on_new_task where no rule is about forks. */
SEC("tp_btf/task_newtask")
int BPF_PROG(on_child_spare, struct task_struct *child)
{
	return make_history(child);
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(on_history_free, struct task_struct *task)
{
	kept_end(&histories, &histories_reserve, task, sizeof(no_history));
	if (triggers.by_kind[AUXBPF_TRIGGER_TRACEPOINT])
		kept_end(&records, &records_reserve, task, sizeof(no_record));
	if (triggers.by_kind[AUXBPF_TRIGGER_FUNCTION])
		kept_end(&calls, &calls_reserve, task, sizeof(no_calls));
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_new_program, struct task_struct *task)
{
	return start_program(task);
}

/*
 * The signal that ends the process of a task that the kernel has marked for death; 0: none does. The
 * tracepoint tells a SIGKILL for all its threads, whatever the signal was. It does the same for threads that
 * end because another one calls exit_group() or execve() (kernel/signal.c, complete_signal() and
 * get_signal()).
 */
static __always_inline int deadly_signal(struct task_struct *task)
{
	struct signal_struct *signal = task->signal;

	if (signal->flags & SIGNAL_GROUP_EXIT)
		return signal->group_exit_code & 0x7f;
	return signal->group_exec_task ? 0 : SIGKILL;
}

/*
 * Whether the end of the process by this signal is seen for the first time. One thread may take the signal
 * and mark the others for death, which come here too. So the leader notes which signals were taken without a
 * handler.
 */
static __always_inline bool is_first_of_process(struct task_struct *task, int sig)
{
	struct task_history *h = history_new(task->group_leader);
	__u64 bit = 1ull << (sig & 63);

	return !h || !(__sync_fetch_and_or(&h->taken, bit) & bit);
}

SEC("tp_btf/signal_deliver")
int BPF_PROG(on_signal, int sig, void *info, struct k_sigaction *action)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool marked = sig == SIGKILL, first = true;
	struct auxbpf_event e = {};

	if (marked)
		sig = deadly_signal(task);
	if (!sig)
		return 0;
	if ((__u64)action->sa.sa_handler == SIG_DFL)
		first = is_first_of_process(task, sig);
	if (marked && !first)
		return 0;
	set_field(&e, AUXBPF_FIELD_SIG, sig);
	return try_kind(AUXBPF_TRIGGER_SIGNAL, &e);
}

SEC("tp_btf/signal_deliver")
int BPF_PROG(on_interrupt, int sig, void *info, struct k_sigaction *action)
{
	__u64 handler = (__u64)action->sa.sa_handler;

	if (handler != SIG_DFL && handler != SIG_IGN)
		interrupt_call(bpf_get_current_task_btf(), action->sa.sa_flags);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_end, struct task_struct *task)
{
	return end_task(task);
}

/* The victim is what the kernel kills for want of memory; the task that runs is the one that found none. */
SEC("tp_btf/mark_victim")
int BPF_PROG(on_oom, struct task_struct *victim)
{
	struct auxbpf_event e = {};

	if (is_watched(victim))
		try_task(victim, &e, triggers.by_kind[AUXBPF_TRIGGER_OOM]);
	return 0;
}

/*
 * Before Linux 6.9 the tracepoint tells only a number, so the task that found no memory stands for the
 * victim.
 */
SEC("tp_btf/mark_victim")
int BPF_PROG(on_oom_number, int pid)
{
	struct auxbpf_event e = {};

	return try_kind(AUXBPF_TRIGGER_OOM, &e);
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq_begin)
{
	return begin_handler(AUXBPF_TRIGGER_SOFTIRQ);
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_end, unsigned int vec)
{
	return end_handler(AUXBPF_TRIGGER_SOFTIRQ, vec);
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_irq_begin)
{
	if (in_nested_interrupt(bpf_get_current_task_btf()))
		return 0;
	return begin_handler(AUXBPF_TRIGGER_IRQ);
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_irq_end, int irq)
{
	if (in_nested_interrupt(bpf_get_current_task_btf()))
		return 0;
	return end_handler(AUXBPF_TRIGGER_IRQ, irq);
}

/*
 * Run by the loader once the fork program is attached: makes the histories of tasks that were there before.
 */
SEC("iter/task")
int make_histories(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (!task)
		return 0;
	make_record(task);
	history_new(task);
	return 0;
}

/*
 * Makes the timer of a CPU. This allocates memory, which the programs that start the timer may not: in
 * sched_switch they hold the run queue's lock.
 */
static long make_delay(__u32 nr, void *ctx)
{
	struct delay *d = bpf_map_lookup_elem(&delays, &nr);

	if (d)
		bpf_timer_init(&d->timer, &delays, CLOCK_MONOTONIC);
	return 0;
}

/*
 * Run by the loader before all others, with --after: makes the timers of all CPUs, once and not for each
 * task.
 */
SEC("iter/task")
int make_delays(struct bpf_iter__task *ctx)
{
	if (!ctx->meta->seq_num)
		bpf_loop(config.nr_cpus, make_delay, NULL, 0);
	return 0;
}
