// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers: the events at which the history is kept. The loader opens this object if there are rules, and
 * gives it the maps of the main object (auxbpf.bpf.c); its programs are attached before those: the sooner
 * a CPU is frozen the nearer to the event its trace ends. But that of sched_switch comes behind the gate's:
 * the trace ends where the task is back.
 *
 *	sys_enter	notes when a call began and with what arguments; fires rules that need no result
 *	sys_exit	fires the rules of the call
 *	sched_switch	notes when the task left the CPU; fires rules on how long the next one was away
 *	sched_waking	notes who woke it: runs on the CPU of that task
 *	sched_wakeup	notes when it became ready to run: runs where the task is going to
 *	signal_deliver, sched_process_exit, _exec, _fork, mark_victim
 *			fire the rules of their kind
 *	uprobe, uretprobe
 *			note when a function of a program was called, and fire the rules of the call. Those of
 *			functions of the kernel: trigger_function.bpf.c; of tracepoints:
 *trigger_tracepoint.bpf.c
 *
 * A rule looks at targets only. What happens when one fires is in freeze.bpf.h.
 *
 * Preemption: as in the main object, programs that can be preempted come twice. The first notes in the task
 * that it was there, so the spare knows what is left to it.
 */
#include "calls.bpf.h"
#include "record.bpf.h"
#include "syscall.bpf.h"
#include "trigger.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Sets of rules by number of the system call: first those of 64-bit tasks, then those of 32-bit tasks. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 2 * AUXBPF_MAX_SYSCALLS);
	__type(key, __u32);
	__type(value, __u64);
} trigger_syscalls SEC(".maps");

static __always_inline __u64 syscall_rules(bool compat, __u64 nr)
{
	__u32 index = nr + (compat ? AUXBPF_MAX_SYSCALLS : 0);
	__u64 *rules;

	if (nr >= AUXBPF_MAX_SYSCALLS)
		return 0;
	rules = bpf_map_lookup_elem(&trigger_syscalls, &index);
	return rules ? *rules : 0;
}

/*
 * Events are made here and below, and not where it is found that there is one: most calls and switches of the
 * machine are none, and would pay for clearing it.
 */
static __always_inline void set_call(struct auxbpf_event *e, struct task_struct *task,
				     const struct task_history *h)
{
	__u32 i;

	for (i = 0; i < 6; i++)
		set_field(e, AUXBPF_FIELD_ARG0 + i, h->args[i]);
	set_task(e, task);
	e->nr = h->nr;
	e->compat = h->compat;
}

static __always_inline void try_syscall_begin(struct task_struct *task, const struct task_history *h,
					      __u64 rules)
{
	struct auxbpf_event e = {};

	set_call(&e, task, h);
	try_rules(rules, &e, h);
}

static __always_inline void try_syscall_end(struct task_struct *task, const struct task_history *h,
					    __u64 rules, long ret, __u64 latency)
{
	struct auxbpf_event e = {};

	set_call(&e, task, h);
	set_field(&e, AUXBPF_FIELD_RET, ret);
	set_field(&e, AUXBPF_FIELD_LATENCY, latency);
	try_rules(rules, &e, h);
}

/* @turn 0 is the first program; one that finds its forerunner's mark has nothing to do. */
static __always_inline int enter_call(struct pt_regs *regs, long nr, __u32 turn)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool compat = task_in_compat_syscall(task);
	__u64 rules = syscall_rules(compat, nr);
	struct task_history *h;
	__u32 i;

	if (!rules || !is_watched(task))
		return 0;
	h = history(task) ?: history_new(task);
	if (!h)
		return 0;
	if (turn && h->turn == turn) {
		h->turn = turn + 1;
		return 0;
	}
	h->turn = turn + 1;
	h->nr = nr;
	h->compat = compat;
	for (i = 0; i < 6; i++)
		h->args[i] = syscall_arg(regs, compat, i);
	h->started = bpf_ktime_get_ns();
	if (rules & triggers.at_entry)
		try_syscall_begin(task, h, rules & triggers.at_entry);
	return 0;
}

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

/* execve may end as a call of another kind of task, rt_sigreturn without a number: what was noted counts. */
static __always_inline int leave_call(struct pt_regs *regs, long ret)
{
	__u64 nr = regs_syscall(regs), latency, rules;
	struct task_history *h;
	struct task_struct *task;

	if (nr < AUXBPF_MAX_SYSCALLS && !syscall_rules(false, nr) && !syscall_rules(true, nr))
		return 0;
	task = bpf_get_current_task_btf();
	h = history(task);
	if (!h || !h->started)
		return 0;
	latency = bpf_ktime_get_ns() - h->started;
	h->started = 0;
	rules = syscall_rules(h->compat, h->nr) & ~triggers.at_entry;
	if (rules && is_watched(task))
		try_syscall_end(task, h, rules, ret, latency);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_return, struct pt_regs *regs, long ret)
{
	return leave_call(regs, ret);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_return_spare, struct pt_regs *regs, long ret)
{
	return leave_call(regs, ret);
}

/* How long the task was away, and of that ready to run. */
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
	history_arrived(h, now, bpf_get_smp_processor_id());
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

/* Where the programs at tracepoints can make none. */
static __always_inline void make_record(struct task_struct *task)
{
	if (triggers.by_kind[AUXBPF_TRIGGER_TRACEPOINT])
		bpf_task_storage_get(&records, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* The child has been nowhere yet: it waits for a CPU from here on. */
static __always_inline int make_history(struct task_struct *parent, struct task_struct *child)
{
	struct task_history *h;

	if (history(child))
		return 0;
	make_record(child);
	h = history_new(child);
	if (h)
		h->left = h->woken = bpf_ktime_get_ns();
	return 0;
}

/* Programs that only fire rules of one kind, for the task that runs. */
static __always_inline int try_kind(enum auxbpf_trigger_kind kind, struct auxbpf_event *e)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (triggers.by_kind[kind] && is_watched(task))
		try_task(task, e, triggers.by_kind[kind]);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_new_task, struct task_struct *parent, struct task_struct *child)
{
	struct auxbpf_event e = {};

	make_history(parent, child);
	return try_kind(AUXBPF_TRIGGER_FORK, &e);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_new_program, struct task_struct *task)
{
	struct auxbpf_event e = {};

	if (triggers.by_kind[AUXBPF_TRIGGER_FUNCTION])
		forget_calls(task);
	return try_kind(AUXBPF_TRIGGER_EXEC, &e);
}

SEC("tp_btf/signal_deliver")
int BPF_PROG(on_signal, int sig)
{
	struct auxbpf_event e = {};

	set_field(&e, AUXBPF_FIELD_SIG, sig);
	return try_kind(AUXBPF_TRIGGER_SIGNAL, &e);
}

/*
 * Once for each process. Threads that end together all find none left: each is taken off the count before it
 * comes here (kernel/exit.c, do_exit()). Only newer kernels tell which one was the last; so the first one
 * here leaves a mark in the leader, which stays until all others are gone.
 */
static __always_inline bool is_first_at_end(struct task_struct *task)
{
	struct task_history *h = history_new(task->group_leader);

	return !h || !__sync_lock_test_and_set(&h->ended, 1);
}

/*
 * A process exits with its last thread. The status is the process's: a thread that ended by itself has one of
 * its own (kernel/exit.c, wait_task_zombie()).
 */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_end, struct task_struct *task)
{
	struct auxbpf_event e = {};
	int status;

	if (task->signal->live.counter || !is_first_at_end(task))
		return 0;
	status = task->signal->group_exit_code;
	set_field(&e, AUXBPF_FIELD_SIG, status & 0x7f);
	set_field(&e, AUXBPF_FIELD_CODE, (status >> 8) & 0xff);
	return try_kind(AUXBPF_TRIGGER_EXIT, &e);
}

/* The task that the kernel kills for want of memory; who runs is whoever found none. */
SEC("tp_btf/mark_victim")
int BPF_PROG(on_oom, struct task_struct *victim)
{
	struct auxbpf_event e = {};

	if (is_watched(victim))
		try_task(victim, &e, triggers.by_kind[AUXBPF_TRIGGER_OOM]);
	return 0;
}

/* Before Linux 6.9 the tracepoint tells only a number: the task that found no memory stands for the victim.
 */
SEC("tp_btf/mark_victim")
int BPF_PROG(on_oom_number, int pid)
{
	struct auxbpf_event e = {};

	return try_kind(AUXBPF_TRIGGER_OOM, &e);
}

/* Run by the loader once the fork program is attached: the tasks that were there before. */
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
