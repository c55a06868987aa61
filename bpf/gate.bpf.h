/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate of a CPU: the settings of the session, the maps that all its programs share, and the moves of the
 * gate. Every BPF object of a session includes this; the loader gives all of them the same maps and the same
 * `config`.
 */
#ifndef AUXBPF_GATE_BPF_H
#define AUXBPF_GATE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "auxbpf_shared.h"

/* Linux 6.14 and later have these. Before, the tracepoints that matter are not preemptible. */
extern void bpf_local_irq_save(unsigned long *flags) __ksym __weak;
extern void bpf_local_irq_restore(unsigned long *flags) __ksym __weak;

/*
 * A function that no released kernel has: Leo Yan's "bpf: Add bpf_perf_event_aux_pause kfunc" is not merged
 * as of 7.3.
 */
extern int bpf_perf_event_aux_pause(void *map, __u64 flags, bool pause) __ksym __weak;

/*
 * The main object is linked from several sources (Makefile, LINKED). What they share, maps too, is defined in
 * one of them: in auxbpf.bpf.c what belongs to the gate, in trigger.bpf.c what belongs to triggers. The other
 * sources define AUXBPF_GATE_ELSEWHERE or AUXBPF_TRIGGERS_ELSEWHERE before they include this.
 */
#ifdef AUXBPF_GATE_ELSEWHERE
#define OF_GATE extern
#else
#define OF_GATE
#endif
#ifdef AUXBPF_TRIGGERS_ELSEWHERE
#define OF_TRIGGERS extern
#else
#define OF_TRIGGERS
#endif

OF_GATE const volatile struct auxbpf_config config;

/*
 * All that is in .bss. The loader gives all objects of a session the same .bss, and programs find what is in
 * it without a lookup.
 */
OF_GATE struct auxbpf_memory memory;

/* The AUX events of the CPUs, for the kfunc. */
OF_GATE struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} aux_events SEC(".maps");

/*
 * Tells the thread that moves the gates in the ioctl way the numbers of the CPUs whose wanted state changed.
 */
OF_GATE struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 10);
} gate_moves SEC(".maps");

/*
 * The times at which the gates moved: the time of CLOCK_MONOTONIC doubled, and 1 more if the gate was opened.
 * Each CPU has AUXBPF_GATE_MOVES entries, in the order of the CPUs' numbers, and overwrites its oldest. The
 * loader makes the map that large if it wants the times.
 */
OF_GATE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} gate_moves_kept SEC(".maps");

static __always_inline struct auxbpf_session *this_session(void)
{
	return &memory.session;
}

static __always_inline bool is_armed(void)
{
	return this_session()->armed;
}

/*
 * Whether @skipped, the program that the kernel has skipped, is this one; if so, counts that. The caller may
 * be skipped too, while the kernel keeps BPF from perf's events on this CPU (bpf_prog_active, for example in
 * a bpf() call). So the loader compares this count with how often the kernel skipped the program.
 */
static __always_inline bool stands_in(struct auxbpf_skippable *program, __u64 skipped)
{
	if (skipped != program->address)
		return false;
	__sync_fetch_and_add(&program->stood_in, 1);
	return true;
}

/*
 * The entry of the CPU @nr. The remainder is for the verifier: no number is that large. The barrier makes
 * clang compute the place once.
 */
static __always_inline struct auxbpf_cpu *cpu_of(__u32 nr)
{
	__u64 place = (__u64)(nr % AUXBPF_MAX_CPUS) * sizeof(struct auxbpf_cpu);

	barrier_var(place);
	return (void *)memory.cpus + place;
}

static __always_inline struct auxbpf_cpu *this_cpu(void)
{
	return cpu_of(bpf_get_smp_processor_id());
}

/*
 * this_cpu() for the first steps of a program: @ctx stays in its register, and so does @value in the variant
 * with two. Without this clang would keep them in registers that every run of the program has to save first.
 * A kernel that puts the number of the CPU in place of the call removes the stores and loads, too
 * (kernel/bpf/verifier.c, mark_fastcall_pattern_for_call(), Linux 6.12); older ones run them.
 */
static __always_inline struct auxbpf_cpu *this_cpu_keeping(__u64 **ctx)
{
	register __u64 nr asm("r0");
	register __u64 *kept asm("r1") = *ctx;
	__u64 slot;

	asm volatile("*(u64 *)%[slot] = r1; call 8; r1 = *(u64 *)%[slot]"
		     : "=r"(nr), "+r"(kept), [slot] "=m"(slot)
		     :
		     : "r2", "r3", "r4", "r5");
	*ctx = kept;
	return cpu_of(nr);
}

static __always_inline struct auxbpf_cpu *this_cpu_keeping_both(__u64 **ctx, __u64 *value)
{
	register __u64 nr asm("r0");
	register __u64 *first asm("r1") = *ctx;
	register __u64 second asm("r2") = *value;
	__u64 slot, other_slot;

	asm volatile("*(u64 *)%[slot] = r1; *(u64 *)%[other] = r2; call 8;"
		     "r2 = *(u64 *)%[other]; r1 = *(u64 *)%[slot]"
		     : "=r"(nr), "+r"(first), "+r"(second), [slot] "=m"(slot), [other] "=m"(other_slot)
		     :
		     : "r3", "r4", "r5");
	*ctx = first;
	*value = second;
	return cpu_of(nr);
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

/* Has user space move the gate, which it does soon. A message that finds no room is counted. */
static __always_inline void gate_report(struct auxbpf_cpu *cpu)
{
	__u32 nr = bpf_get_smp_processor_id();

	if (bpf_ringbuf_output(&gate_moves, &nr, sizeof(nr), BPF_RB_FORCE_WAKEUP))
		cpu->dropped++;
}

/* Stores to the cell that a watchpoint of this CPU sees; perf acts in the exception behind the store. */
static __always_inline void cell_write(bool open)
{
	struct auxbpf_session *s = this_session();

	if (open)
		*(volatile __u64 *)&s->open_cell = 1;
	else
		*(volatile __u64 *)&s->close_cell = 1;
}

/*
 * Moves the gate. When this returns it has moved, except in the ioctl way: the overflow of a sibling or the
 * kfunc has called perf_event_aux_pause() (kernel/events/core.c). In the tracepoint way the siblings listen
 * on bpf_trace:bpf_trace_printk, each filtered on a string that only this session uses. That works from
 * tp_btf programs, because they hold none of perf's recursion contexts.
 */
static __always_inline void gate_act(struct auxbpf_cpu *cpu, bool open)
{
	switch (config.control) {
	case AUXBPF_CONTROL_KFUNC:
		if (bpf_perf_event_aux_pause)
			bpf_perf_event_aux_pause(&aux_events, BPF_F_CURRENT_CPU, !open);
		break;
	case AUXBPF_CONTROL_TRACEPOINT:
		if (open)
			bpf_trace_printk((const char *)config.open_string, AUXBPF_GATE_STRING);
		else
			bpf_trace_printk((const char *)config.close_string, AUXBPF_GATE_STRING);
		break;
	case AUXBPF_CONTROL_BREAKPOINT:
		cell_write(open);
		break;
	case AUXBPF_CONTROL_IOCTL:
		gate_report(cpu);
		break;
	case AUXBPF_CONTROL_NONE:
		break;
	}
}

/*
 * Whether the gate is as wanted, read from the event itself: perf drops an action that nests in another one.
 * In the ioctl way nothing has happened yet, and without an AUX event nothing is to happen: both count as
 * obeyed.
 */
static __always_inline bool gate_obeyed(const struct auxbpf_cpu *cpu, bool open)
{
	struct perf_event *event = (void *)cpu->event;

	if (config.control >= AUXBPF_CONTROL_IOCTL || !bpf_core_field_exists(event->hw.aux_paused))
		return true;
	return !BPF_CORE_READ(event, hw.aux_paused) == open;
}

static __always_inline void keep_move(const struct auxbpf_cpu *cpu, bool open)
{
	__u32 key = (cpu->opens + cpu->closes) % AUXBPF_GATE_MOVES;
	__u64 *move;

	key += bpf_get_smp_processor_id() * AUXBPF_GATE_MOVES;
	move = bpf_map_lookup_elem(&gate_moves_kept, &key);
	if (move)
		*move = bpf_ktime_get_ns() << 1 | open;
}

static __always_inline void gate_move(struct auxbpf_cpu *cpu, bool open)
{
	cpu->want_open = open;
	/* It is not yet as wanted, for whoever interrupts this or preempts it: see gate_settle(). */
	*(volatile __u16 *)&cpu->retry = 1;
	cpu->settled_for = AUXBPF_UNSETTLED;
	if (open)
		cpu->opens++;
	else
		cpu->closes++;
	if (config.keep_moves)
		keep_move(cpu, open);
	gate_act(cpu, open);
	/* Reads want_open again, which an interrupt may have changed: see gate_settle(). */
	cpu->retry = !gate_obeyed(cpu, *(volatile __u16 *)&cpu->want_open);
	if (cpu->retry)
		cpu->refused++;
}

/*
 * Moves the gate if it is not as it should be. Interrupts must be off: in sched_switch, or between irq_save()
 * and irq_restore(). A gate that a trigger has frozen stays closed until user space has its snapshot. Without
 * an AUX event it may open, because the ring of samples goes on.
 */
static __always_inline void gate_set(struct auxbpf_cpu *cpu, bool open)
{
	open = open && (!cpu->frozen || config.control == AUXBPF_CONTROL_NONE);
	if (cpu->event && (cpu->want_open != open || cpu->retry))
		gate_move(cpu, open);
}

/*
 * Corrects the gate after a move, on kernels before Linux 6.14, where interrupts cannot be switched off here.
 * In one of them the loader may have closed the gate (refresh_cpu) while a program was on its way to open it:
 * between its decision and its action, or in the middle of the action. A program at a function may even be
 * preempted there; then the switch moves the gate, though it was already to be so (gate_move()).
 */
static __always_inline void gate_settle(struct auxbpf_cpu *cpu)
{
	if (!bpf_local_irq_save && (cpu->want_open || cpu->retry))
		gate_set(cpu, cpu->want_open && is_armed());
}

/* Closes the gate of this CPU for a trigger. Interrupts must be off. */
static __always_inline void close_this_gate(void)
{
	if (config.control != AUXBPF_CONTROL_NONE)
		gate_set(this_cpu(), false);
	gate_settle(this_cpu());
}

/*
 * Closes the gate of this CPU, with interrupts off. This is a global function, because libbpf's linker (as of
 * 1.1) cannot link two sources that declare the same function of the kernel.
 */
#ifdef AUXBPF_GATE_ELSEWHERE
extern int close_gate(void);
#else
__noinline int close_gate(void)
{
	unsigned long flags;

	irq_save(&flags);
	close_this_gate();
	irq_restore(&flags);
	return 0;
}
#endif

#endif
