/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides which samples of our regular events are kept, and counts those that the kernel dropped without
 * asking.
 *
 * The kernel drops samples while BPF is kept from perf's events on that CPU (bpf_prog_active: a task, which
 * may be preempted meanwhile, changes a BPF map by bpf(), or another such program is at work there), and
 * counts that nowhere (kernel/events/core.c, bpf_overflow_handler()). No program can be attached to that
 * function: its file is not built for ftrace (kernel/events/Makefile), and a kprobe's program would be kept
 * away, too. But earlier perf counts each overflow of an event in hw.interrupts. That count begins anew after
 * each tick, whose number is in hw.interrupts_seq (__perf_event_account_interrupt()). So whatever runs before
 * a tick adds the overflows up: a program at the timers, the tick's among them, and on_sample itself.
 * Overflows about which on_sample was not asked were dropped.
 */
#ifndef AUXBPF_SAMPLES_BPF_H
#define AUXBPF_SAMPLES_BPF_H

#include "windows.bpf.h"

#define MAX_INTERRUPTS (~0ULL) /* value of hw.interrupts when perf has stopped the event until the tick */

/*
 * The regular events. Each CPU has AUXBPF_MAX_EVENTS entries, in the order of the CPUs' numbers. The loader
 * makes the map that large if it limits samples.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct auxbpf_sampled);
} sampled SEC(".maps");

/*
 * Adds up the overflows of one event. @asked: this is on_sample, about that event. on_sample may come in an
 * NMI in the middle of this function in the timer's interrupt. Each begins with what the other one has left
 * as known, so the sum is right.
 */
static __always_inline void add_overflows(struct auxbpf_sampled *s, bool asked)
{
	struct perf_event *event = (void *)s->event;
	__u64 nr = BPF_CORE_READ(event, hw.interrupts), tick = BPF_CORE_READ(event, hw.interrupts_seq);
	bool stopped = nr == MAX_INTERRUPTS;
	__u64 known = tick << 32 | (stopped ? 0 : (__u32)nr);
	__u64 before = __sync_lock_test_and_set(&s->known, known);

	if (stopped)
		__sync_fetch_and_add(&s->overflows, asked);
	else if (known >> 32 == before >> 32)
		__sync_fetch_and_add(&s->overflows, known - before);
	else
		__sync_fetch_and_add(&s->overflows, nr);
	if (asked)
		s->asked++;
}

/* Adds up the overflows of all events of this CPU. @asked: the event that on_sample is about, or NULL. */
static __always_inline void count_overflows(const struct perf_event *asked)
{
	__u32 first = bpf_get_smp_processor_id() * AUXBPF_MAX_EVENTS, i;

	for (i = 0; i < AUXBPF_MAX_EVENTS; i++) {
		__u32 key = first + i;
		struct auxbpf_sampled *s = bpf_map_lookup_elem(&sampled, &key);

		if (!s || !s->event)
			break;
		add_overflows(s, s->event == (__u64)asked);
	}
}

/*
 * Decides about a sample of a regular event of ours: 0 drops it before it is in the ring. It asks for the
 * task and not for the gate: in a switch the gate is that of the next task already, while the events are
 * still those of the one before.
 */
SEC("perf_event")
int on_sample(struct bpf_perf_event_data_kern *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();

	count_overflows(BPF_CORE_READ(ctx, event));
	return is_armed() && task_wants_gate(task, task_state(task));
}

SEC("tp_btf/hrtimer_expire_entry")
int on_timer(void *ctx)
{
	count_overflows(NULL);
	return 0;
}

#endif
