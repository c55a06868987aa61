// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sees tasks of one name at the events that a rule is about: when they come back to a CPU (and how long they
 * were away), when a system call of theirs returns, when they end, when an interrupt of theirs ends. Tells
 * whether the rule fires then: by what the BPF programs of triggers have counted. Rule N is the rule of CPU
 * N, so nobody else counts meanwhile. These programs are attached after those of triggers, so at the same
 * event each looks at the clock after them.
 */
#include "syscall.bpf.h"
#include "history.bpf.h"
#include "fires.h"

char LICENSE[] SEC("license") = "GPL";

/* More than the tasks of that name in one run, as none is ever removed. */
#define MAX_TASKS 4096

/* The map of bpf/freeze.bpf.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, AUXBPF_MAX_TRIGGERS);
	__type(key, __u32);
	__type(value, struct auxbpf_trigger_state);
} trigger_states SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 << 20);
} events SEC(".maps");

struct absence {
	__u64 left, ready; /* 0: it has not left, or is not ready */
};

/* The key is the tid. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_TASKS);
	__type(key, __u32);
	__type(value, struct absence);
} absences SEC(".maps");

const volatile char name[AUXBPF_COMM_LEN];

/* What the rule of each CPU had counted when it was asked last. */
__u64 seen[AUXBPF_MAX_TRIGGERS];

/* Events that were lost because there was no room. */
__u64 nr_lost;

static __always_inline bool has_name(const struct task_struct *task)
{
	const volatile __u64 *wanted = (const volatile __u64 *)name;

	return *(const __u64 *)&task->comm[0] == wanted[0] && *(const __u64 *)&task->comm[8] == wanted[1];
}

/* Tells whether the rule of this CPU has fired since it was asked last. */
static __always_inline bool has_fired(__u32 cpu)
{
	struct auxbpf_trigger_state *state = bpf_map_lookup_elem(&trigger_states, &cpu);
	__u64 before;

	cpu &= AUXBPF_MAX_TRIGGERS - 1;
	if (!state)
		return false;
	before = seen[cpu];
	seen[cpu] = state->seen;
	return state->seen != before;
}

static __always_inline void leave(const struct task_struct *task, __u64 now, bool ready)
{
	struct absence absence = {.left = now, .ready = ready ? now : 0};
	__u32 tid = task->pid;

	bpf_map_update_elem(&absences, &tid, &absence, BPF_ANY);
}

/*
 * Reserves an event of the task and fills in what all events have. NULL if there is no room, which is
 * counted.
 */
static __always_inline struct task_event *begin_event(const struct task_struct *task, __u64 now, bool fired)
{
	struct task_event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e) {
		__sync_fetch_and_add(&nr_lost, 1);
		return NULL;
	}
	__builtin_memset(e, 0, sizeof(*e));
	e->time = now;
	e->switches = task->nvcsw + task->nivcsw;
	e->pid = task->tgid;
	e->tid = task->pid;
	e->cpu = bpf_get_smp_processor_id();
	e->fired = fired;
	e->nr = -1;
	return e;
}

static __always_inline void tell_return(struct task_struct *task, const struct absence *absence, __u64 now,
					bool fired)
{
	struct task_history *h = history(task);
	struct task_event *e = begin_event(task, now, fired);

	if (!e)
		return;
	e->left = absence->left;
	e->ready = absence->ready;
	if (h) {
		e->state = h->state;
		__builtin_memcpy(e->waker, h->waker_comm, sizeof(e->waker));
	}
	bpf_ringbuf_submit(e, 0);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(behind_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	bool fired = has_fired(bpf_get_smp_processor_id());
	__u64 now = bpf_ktime_get_ns();
	struct absence *absence;
	__u32 tid = next->pid;

	if (has_name(prev))
		leave(prev, now, preempt || !prev->__state);
	if (!has_name(next))
		return 0;
	absence = bpf_map_lookup_elem(&absences, &tid);
	if (!absence || !absence->left)
		return 0;
	if (fired || now - absence->left > RETURN_MIN)
		tell_return(next, absence, now, fired);
	absence->left = 0;
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(behind_wakeup, struct task_struct *task)
{
	__u32 tid = task->pid;
	struct absence *absence = bpf_map_lookup_elem(&absences, &tid);

	if (absence && absence->left && !absence->ready)
		absence->ready = bpf_ktime_get_ns();
	return 0;
}

/* The child waits for a CPU from here on. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(behind_fork, struct task_struct *parent, struct task_struct *child)
{
	if (has_name(child))
		leave(child, bpf_ktime_get_ns(), true);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(behind_return, struct pt_regs *regs, long ret)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool fired = has_fired(bpf_get_smp_processor_id());
	struct task_event *e = has_name(task) ? begin_event(task, bpf_ktime_get_ns(), fired) : NULL;

	if (!e)
		return 0;
	e->nr = regs_syscall(regs);
	bpf_ringbuf_submit(e, 0);
	return 0;
}

static __always_inline int tell_interrupt(int nr)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool fired = has_fired(bpf_get_smp_processor_id());
	struct task_event *e = has_name(task) ? begin_event(task, bpf_ktime_get_ns(), fired) : NULL;

	if (!e)
		return 0;
	e->nr = nr;
	bpf_ringbuf_submit(e, 0);
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(behind_softirq, unsigned int vec)
{
	return tell_interrupt(vec);
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(behind_irq, int irq)
{
	return tell_interrupt(irq);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(behind_exit, struct task_struct *task)
{
	bool fired = has_fired(bpf_get_smp_processor_id());
	struct task_event *e = has_name(task) ? begin_event(task, bpf_ktime_get_ns(), fired) : NULL;

	if (e)
		bpf_ringbuf_submit(e, 0);
	return 0;
}
