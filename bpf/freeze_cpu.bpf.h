/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Freezes the trace of this CPU for a trigger, and that of the CPUs where its task ran before, and tells user
 * space. In the main object freeze_now() is a part of auxbpf.bpf.c, and so is what it uses, for the reason
 * given at close_gate().
 */
#ifndef AUXBPF_FREEZE_CPU_BPF_H
#define AUXBPF_FREEZE_CPU_BPF_H

#include "gate.bpf.h"
#include "auxbpf_trigger.h"
#include "history.bpf.h"

OF_GATE const volatile struct auxbpf_triggers triggers;

OF_GATE struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 << 10);
} fired SEC(".maps");

/* Claims a CPU for the snapshot with this ticket. False if another snapshot of it is on its way. */
static __always_inline bool claim_cpu(struct auxbpf_cpu *cpu, __u32 ticket)
{
	bool claimed = !__sync_val_compare_and_swap(&cpu->frozen, 0, ticket);

	cpu->settled_for = AUXBPF_UNSETTLED;
	return claimed;
}

/*
 * Calls @want for the CPUs where the task ran within the lookback; @i is below AUXBPF_TRAIL. Places for CPUs
 * that the machine does not have are left out, because the verifier would look at each of them in every
 * program that can freeze.
 */
static __always_inline void each_of_trail(const struct task_history *h, __u64 now,
					  void (*want)(void *ctx, __u32 i, __u32 cpu), void *ctx)
{
	__u32 i;

	if (triggers.scope != AUXBPF_SCOPE_TASK || !h)
		return;
#pragma clang loop unroll(disable)
	for (i = 0; i < AUXBPF_TRAIL && i < config.nr_cpus; i++)
		if (auxbpf_trail__has(&h->trail, i, now, triggers.lookback))
			want(ctx, i, h->trail.cpus[i]);
}

/*
 * Whether all CPUs are known where the task ran within the lookback. Idle tasks have no history and need
 * none: they stay where they are.
 */
static __always_inline bool trail_is_known(const struct task_history *h, __u64 now,
					   const struct auxbpf_event *event)
{
	if (triggers.scope != AUXBPF_SCOPE_TASK)
		return true;
	return h ? auxbpf_trail__is_whole(&h->trail, now, triggers.lookback)
		 : !event->values[AUXBPF_FIELD_TID];
}

static __always_inline void claim_other(void *ticket, __u32 i, __u32 nr)
{
	struct auxbpf_cpu *cpu = cpu_of(nr);

	if (cpu->event)
		claim_cpu(cpu, *(const __u32 *)ticket);
}

static __always_inline void fill(struct auxbpf_fired *f, const struct task_history *h, __u32 index,
				 __u32 ticket, __u64 now, const struct auxbpf_event *event)
{
	f->time = f->frozen = now;
	f->rule = index;
	f->cpu = bpf_get_smp_processor_id();
	f->ticket = ticket;
	f->all = !trail_is_known(h, now, event);
	f->event = *event;
}

static __always_inline bool claim_and_tell(__u32 index, __u32 ticket, __u64 now,
					   const struct auxbpf_event *event, const struct task_history *h)
{
	struct auxbpf_cpu *cpu = this_cpu();
	struct auxbpf_fired *f;

	if (!claim_cpu(cpu, ticket))
		return false;
	close_this_gate();
	f = bpf_ringbuf_reserve(&fired, sizeof(*f), 0);
	if (!f) {
		cpu->frozen = 0;
		return false;
	}
	each_of_trail(h, now, claim_other, &ticket);
	fill(f, h, index, ticket, now, event);
	bpf_ringbuf_submit(f, BPF_RB_FORCE_WAKEUP);
	return true;
}

/*
 * Freezes this CPU, and others where the task ran, and tells user space. The gate is closed first, so that
 * the trace ends as near to the event as can be. User space thaws all that is frozen as soon as it is told,
 * so it is told last. If it cannot be told nothing is frozen, and the gate opens with the next window or
 * switch.
 *
 * Interrupts are off, because a task that is preempted here would keep its CPU frozen. From the reserve to
 * the submit it would also hold up the messages of other triggers, because user space takes them in turn.
 */
#ifdef AUXBPF_GATE_ELSEWHERE
extern int freeze_now(__u32 index, __u32 ticket, __u64 now, const struct auxbpf_event *event,
		      const struct task_history *h);
#else
__noinline int freeze_now(__u32 index, __u32 ticket, __u64 now, const struct auxbpf_event *event,
			  const struct task_history *h)
{
	unsigned long flags;
	bool done;

	if (!event)
		return false;
	irq_save(&flags);
	done = claim_and_tell(index, ticket, now, event, h);
	irq_restore(&flags);
	return done;
}
#endif

#endif
