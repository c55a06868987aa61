/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fires rules: when the event of a rule comes, the trace of this CPU is frozen, and that of others where the
 * task ran before, so that their buffers end here, and user space is told. Nothing waits: without room for
 * another snapshot the event is only counted.
 */
#ifndef AUXBPF_FREEZE_BPF_H
#define AUXBPF_FREEZE_BPF_H

#include "freeze_cpu.bpf.h"
#include "named_cgroups.bpf.h"
#include "auxbpf_condition.h"

#define CLOCK_MONOTONIC 1 /* include/uapi/linux/time.h */

OF_TRIGGERS struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, AUXBPF_MAX_TRIGGERS);
	__type(key, __u32);
	__type(value, struct auxbpf_condition);
} trigger_rules SEC(".maps");

OF_TRIGGERS struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, AUXBPF_MAX_TRIGGERS);
	__type(key, __u32);
	__type(value, struct auxbpf_trigger_state);
} trigger_states SEC(".maps");

static __always_inline __u64 event_field(void *ctx, __u32 field)
{
	const struct auxbpf_event *e = ctx;

	if (field == AUXBPF_FIELD_CGROUP)
		return named_cgroup(e->values[AUXBPF_FIELD_CGROUP]);
	return field < AUXBPF_FIELD_NR ? e->values[field] : 0;
}

/*
 * Whether the condition of rule @index holds. This is not inlined, and global, so that the verifier looks at
 * it once and not for each of the rules.
 */
__noinline int condition_holds(__u32 index, const struct auxbpf_event *event)
{
	struct auxbpf_condition *rule;

	if (!event)
		return 0;
	rule = bpf_map_lookup_elem(&trigger_rules, &index);
	return rule && auxbpf_condition__eval(rule, triggers.nr_tests, event_field, (void *)event);
}

static __always_inline void count_missed_rule(__u32 index)
{
	struct auxbpf_trigger_state *state = bpf_map_lookup_elem(&trigger_states, &index);

	if (state)
		__sync_fetch_and_add(&state->missed, 1);
}

/* Counts an event as missed for all rules of the set @rules. */
static __always_inline void count_missed_rules(__u64 rules)
{
	__u32 i;

	for (i = 0; i < AUXBPF_MAX_TRIGGERS && i < triggers.nr_rules; i++)
		if ((rules >> i) & 1)
			count_missed_rule(i);
}

static __always_inline void count_delayed_rule(__u32 index, __s64 by)
{
	struct auxbpf_trigger_state *state = bpf_map_lookup_elem(&trigger_states, &index);

	if (state)
		__sync_fetch_and_add(&state->delayed, by);
}

/*
 * Programs at users' functions can have no timer (kernel/bpf/verifier.c, check_map_prog_compatibility()).
 * Their object defines AUXBPF_NO_TIMER before it includes this, and the loader sees to it that there is no
 * delay.
 */
#ifndef AUXBPF_NO_TIMER

/* A trigger that has fired on a CPU and whose trace runs on for a while (--after). */
struct delay {
	struct bpf_timer timer;
	__u32 busy;
	/*
	 * The numbers, plus one, of the CPUs that are to be frozen with it; 0: none. They are not counted,
	 * because the verifier would try every count.
	 */
	__u32 others[AUXBPF_TRAIL];
	struct auxbpf_fired fired;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct delay);
} delays SEC(".maps");

static __always_inline void add_other(void *ctx, __u32 i, __u32 nr)
{
	struct delay *d = ctx;

	d->others[i % AUXBPF_TRAIL] = nr + 1;
}

static __always_inline void freeze_others(const struct delay *d)
{
	__u32 ticket = d->fired.ticket, i;

#pragma clang loop unroll(disable)
	for (i = 0; i < AUXBPF_TRAIL && i < config.nr_cpus; i++)
		if (d->others[i])
			claim_other(&ticket, i, d->others[i] - 1);
}

/*
 * Freezes the CPUs of a trigger whose delay is over. If the timer was moved to another CPU, the gate closes
 * at the next switch.
 */
static __always_inline bool freeze_delayed(struct auxbpf_cpu *cpu, const struct delay *d)
{
	struct auxbpf_fired *f = bpf_ringbuf_reserve(&fired, sizeof(*f), 0);

	if (!f)
		return false;
	if (!claim_cpu(cpu, d->fired.ticket)) {
		bpf_ringbuf_discard(f, 0);
		return false;
	}
	if (bpf_get_smp_processor_id() == d->fired.cpu)
		close_gate();
	freeze_others(d);
	*f = d->fired;
	f->frozen = bpf_ktime_get_ns();
	bpf_ringbuf_submit(f, BPF_RB_FORCE_WAKEUP);
	return true;
}

/* Called by the timer: the trace has run on for the time that was asked for. */
static int delay_is_over(void *map, __u32 *key, struct delay *d)
{
	struct auxbpf_cpu *cpu = cpu_of(*key);

	if (!freeze_delayed(cpu, d))
		count_missed_rule(d->fired.rule);
	count_delayed_rule(d->fired.rule, -1);
	d->busy = 0;
	return 0;
}

/* Starts the delay of a trigger. Each CPU has one at a time; false if there is one already. */
static __always_inline bool freeze_later(const struct task_history *h, __u32 index, __u32 ticket, __u64 now,
					 const struct auxbpf_event *event)
{
	__u32 nr = bpf_get_smp_processor_id();
	struct delay *d = bpf_map_lookup_elem(&delays, &nr);

	if (!d || __sync_val_compare_and_swap(&d->busy, 0, 1))
		return false;
	fill(&d->fired, h, index, ticket, now, event);
	__builtin_memset(d->others, 0, sizeof(d->others));
	each_of_trail(h, now, add_other, d);
	bpf_timer_set_callback(&d->timer, delay_is_over);
	count_delayed_rule(index, 1);
	if (!bpf_timer_start(&d->timer, triggers.after, 0))
		return true;
	count_delayed_rule(index, -1);
	d->busy = 0;
	return false;
}

#else

static __always_inline bool freeze_later(const struct task_history *h, __u32 index, __u32 ticket, __u64 now,
					 const struct auxbpf_event *event)
{
	return false;
}

#endif

/* Freezes this CPU, now or after the delay. Returns the ticket for that, or 0 if it cannot be done. */
static __always_inline __u32 freeze(__u32 index, struct auxbpf_session *s, __u64 now,
				    const struct auxbpf_event *event, const struct task_history *h)
{
	__u32 ticket = __sync_fetch_and_add(&s->tickets, 1) + 1;
	bool done = triggers.after ? freeze_later(h, index, ticket, now, event)
				   : freeze_now(index, ticket, now, event, h);

	return done ? ticket : 0;
}

/*
 * Fires rule @index, whose condition holds; @h is the history of the task, if it has one. Returns the ticket
 * of the snapshot or 0. Global, like condition_holds(): verified once.
 */
__noinline __u32 fire(__u32 index, const struct auxbpf_event *event, const struct task_history *h)
{
	struct auxbpf_session *s = this_session();
	struct auxbpf_trigger_state *state;
	struct auxbpf_cpu *cpu = this_cpu();
	__u64 now = bpf_ktime_get_ns();
	__u32 ticket = 0;

	state = bpf_map_lookup_elem(&trigger_states, &index);
	if (!event || !state || (config.cpus_listed && !cpu->event))
		return 0;
	__sync_fetch_and_add(&state->seen, 1);
	if (now < state->quiet_until) {
		__sync_fetch_and_add(&state->quiet, 1);
		return 0;
	}
	if (s->accepts && !state->yields && cpu->event)
		ticket = freeze(index, s, now, event, h);
	if (!ticket)
		__sync_fetch_and_add(&state->missed, 1);
	return ticket;
}

/* Tries rule @index on an event of the task with the history @h (may be NULL). */
static __always_inline void try_rule(__u32 index, const struct auxbpf_event *event,
				     const struct task_history *h)
{
	if (!((triggers.conditions >> index) & 1) || condition_holds(index, event))
		fire(index, event, h);
}

/*
 * Tries the rules of the set @rules on an event. nr_rules bounds the loop, because the verifier looks at each
 * turn of it.
 */
static __always_inline void try_rules(__u64 rules, const struct auxbpf_event *event,
				      const struct task_history *h)
{
	__u32 i;

	for (i = 0; i < AUXBPF_MAX_TRIGGERS && i < triggers.nr_rules && rules; i++, rules >>= 1) {
		if (rules & 1)
			try_rule(i, event, h);
	}
}

#endif
