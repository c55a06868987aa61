// SPDX-License-Identifier: GPL-2.0-only
#include "pt_unit_internal.h"

#define OVERFLOW_BRANCHES 100u /* so many at least are lost */

bool pt_trace__context_en(const struct pt_unit *unit, const struct flow_context *context)
{
	uint64_t cpl_bit = context->level ? RTIT_CTL_USER : RTIT_CTL_OS;

	if (!(unit->ctl & cpl_bit))
		return false;
	return !(unit->ctl & RTIT_CTL_CR3FILTER) || (context->space ^ unit->cr3_match) >> 5 == 0;
}

static unsigned int range_config(const struct pt_unit *unit, unsigned int range)
{
	return unit->ctl >> (RTIT_CTL_ADDR0_SHIFT + 4 * range) & 15;
}

/* Is ip in one of the ranges configured so, and is there such a range at all? */
static bool in_ranges(const struct pt_unit *unit, uint64_t ip, unsigned int config, bool *any)
{
	*any = false;
	for (unsigned int i = 0; i < PT_NR_RANGES; i++) {
		if (range_config(unit, i) != config)
			continue;
		*any = true;
		if (ip >= unit->range[i][0] && ip <= unit->range[i][1])
			return true;
	}
	return false;
}

bool pt_trace__filter_en(const struct pt_unit *unit, uint64_t ip)
{
	bool any;

	return in_ranges(unit, ip, RTIT_ADDR_CFG_FILTER, &any) || !any;
}

static bool packet_en(const struct pt_unit *unit, uint64_t ip, const struct flow_context *context)
{
	return pt_unit__triggered(unit) && (unit->ctl & RTIT_CTL_BRANCHEN) &&
	       pt_trace__context_en(unit, context) && pt_trace__filter_en(unit, ip);
}

/* All branches so far are told, those from here on are not. Returns are compressed by none of them. */
static void begin_overflow(struct pt_unit *unit)
{
	unit->overflow_due = false;
	if (!unit->packet_en)
		return;
	pt_emit__flush_tnt(unit);
	unit->overflow = true;
	unit->overflow_left = OVERFLOW_BRANCHES;
	unit->overflow_context = unit->context;
	unit->packet_en = false;
	unit->returns_count = 0;
}

static void end_overflow(struct pt_unit *unit)
{
	if (unit->overflow)
		pt_emit__overflow(unit);
	unit->overflow = false;
	unit->since_overflow = 0;
}

/*
 * Packets go on where the address space and the mode are those that were told last, with the address of the next
 * instruction (SDM, "Overflow (OVF) Packet": FUP if PacketEn is set). They do behind a branch that was taken: of one
 * that was not taken the oracle's log has no record, so it would not say where.
 */
static void lose(struct pt_unit *unit, const struct flow_transfer *t)
{
	const struct flow_context *told = &unit->overflow_context;

	if (unit->overflow_left)
		unit->overflow_left--;
	if (unit->overflow_left || t->after.space != told->space || t->after.mode != told->mode ||
	    !packet_en(unit, t->to, &t->after) || !t->taken)
		return;
	end_overflow(unit);
	unit->packet_en = true;
	pt_emit__ip(unit, PT_FUP, t->to);
}

/* Only behind a branch that a packet tells: direct ones in front of the loss would be shown by no decoder. */
static bool overflows_behind(const struct pt_unit *unit, const struct flow_transfer *t)
{
	if (!unit->ops->overflow_period || unit->since_overflow < unit->ops->overflow_period)
		return false;
	return t->kind == FLOW_EVENT || (t->insn.class != X86_JMP && t->insn.class != X86_CALL);
}

void pt_trace__reset(struct pt_unit *unit)
{
	unit->overflow = unit->overflow_due = false;
	unit->packet_en = false;
	unit->tnt_count = 0;
	unit->returns_count = 0;
	unit->last_ip_known = false;
}

/* PacketEn 0 -> 1: tracing starts at ip. */
static void enable(struct pt_unit *unit, uint64_t ip)
{
	unit->packet_en = true;
	unit->returns_count = 0;
	pt_emit__time(unit);
	pt_emit__mode(unit, unit->context.mode);
	pt_emit__ip(unit, PT_TIP_PGE, ip);
}

/* PacketEn 1 -> 0 on the way to ip, which is told only if its context is traced. */
static void disable(struct pt_unit *unit, uint64_t ip)
{
	if (pt_trace__context_en(unit, &unit->context))
		pt_emit__ip(unit, PT_TIP_PGD, ip);
	else
		pt_emit__no_ip(unit, PT_TIP_PGD);
	unit->packet_en = false;
}

void pt_trace__stop(struct pt_unit *unit, uint64_t ip)
{
	if (unit->packet_en) {
		pt_emit__ip(unit, PT_FUP, ip);
		pt_emit__no_ip(unit, PT_TIP_PGD);
	}
	unit->packet_en = false;
	end_overflow(unit);
	pt_emit__flush(unit);
}

/* SDM, "TraceStop": a range that stops tracing once execution comes into it. */
static void check_trace_stop(struct pt_unit *unit, uint64_t ip)
{
	bool any;

	if (!pt_unit__triggered(unit) || !pt_trace__context_en(unit, &unit->context) ||
	    !in_ranges(unit, ip, RTIT_ADDR_CFG_STOP, &any))
		return;
	if (unit->packet_en)
		disable(unit, ip);
	end_overflow(unit);
	pt_emit__trace_stop(unit);
	pt_emit__flush(unit);
	unit->status |= RTIT_STATUS_STOPPED;
}

void pt_unit__at(struct pt_unit *unit, uint64_t ip, const struct flow_context *context)
{
	bool enabled;

	if (!pt_unit__triggered(unit))
		return;
	unit->context = *context;
	if (unit->overflow_due)
		begin_overflow(unit);
	check_trace_stop(unit, ip);
	if (unit->overflow)
		return;
	enabled = packet_en(unit, ip, context);
	if (enabled && !unit->packet_en)
		enable(unit, ip);
	else if (!enabled && unit->packet_en)
		disable(unit, ip);
	if (!unit->packet_en)
		return;
	pt_emit__tick(unit);
	if (pt_emit__psb_due(unit))
		pt_emit__psb(unit, ip);
}

static void push_return(struct pt_unit *unit, const struct flow_transfer *t)
{
	/* A call of the next instruction only reads the IP; it is not returned from. */
	if ((unit->ctl & RTIT_CTL_DISRETC) || t->to == t->next)
		return;
	unit->returns_top = (unit->returns_top + 1) % PT_RETURN_STACK;
	unit->returns[unit->returns_top] = t->next;
	if (unit->returns_count < PT_RETURN_STACK)
		unit->returns_count++;
}

static void trace_return(struct pt_unit *unit, const struct flow_transfer *t)
{
	if (unit->returns_count && unit->returns[unit->returns_top] == t->to) {
		unit->returns_count--;
		unit->returns_top = (unit->returns_top + PT_RETURN_STACK - 1) % PT_RETURN_STACK;
		pt_emit__tnt(unit, true);
		return;
	}
	/*
	 * Decoders take a return off their stack only when it was compressed, so what
	 * is below here must never be used again.
	 */
	unit->returns_count = 0;
	pt_emit__ip(unit, PT_TIP, t->to);
}

/* Loads of CS, and events: the TIP is told with the new mode before it. */
static void trace_far(struct pt_unit *unit, const struct flow_transfer *t)
{
	/*
	 * The time goes along with a return to user mode (a TSC packet may stand anywhere): what the kernel
	 * has just recorded of mappings and tasks is older than the code that follows, and decoders that
	 * know the time only by the last MTC would not see that.
	 */
	if (t->before.level == 0 && t->after.level != 0)
		pt_emit__time(unit);
	if (t->before.mode != t->after.mode)
		pt_emit__mode(unit, t->after.mode);
	pt_emit__ip(unit, PT_TIP, t->to);
}

/* A branch with both ends traced. */
static void trace_branch(struct pt_unit *unit, const struct flow_transfer *t)
{
	switch (t->insn.class) {
	case X86_JCC:
		pt_emit__tnt(unit, t->taken);
		break;
	case X86_JMP:
		break;
	case X86_CALL:
		push_return(unit, t);
		break;
	case X86_IND_CALL:
		push_return(unit, t);
		pt_emit__ip(unit, PT_TIP, t->to);
		break;
	case X86_IND_JMP:
		pt_emit__ip(unit, PT_TIP, t->to);
		break;
	case X86_RET:
		trace_return(unit, t);
		break;
	case X86_FAR_RET:
		unit->returns_count = 0; /* perf's decoder takes it for a near one, and pops */
		trace_far(unit, t);
		break;
	case X86_SYSCALL:
	case X86_SYSRET:
	case X86_IRET:
	case X86_SWINT:
	case X86_FAR_JMP:
	case X86_FAR_CALL:
		trace_far(unit, t);
		break;
	case X86_OTHER:
	case X86_CPUID:
	case X86_RDTSC:
	case X86_RDPMC:
	case X86_RDMSR:
	case X86_WRMSR:
	case X86_MOV_TO_CR3:
	case X86_LIDT:
		break;
	}
}

void pt_unit__transfer(struct pt_unit *unit, const struct flow_transfer *t)
{
	bool was = unit->packet_en, is;

	if (!pt_unit__triggered(unit))
		return;
	unit->context = t->after;
	if (unit->overflow) {
		lose(unit, t);
		return;
	}
	is = packet_en(unit, t->to, &t->after);
	if (was && t->kind == FLOW_EVENT)
		pt_emit__ip(unit, PT_FUP, t->from);
	if (was && !is) {
		/* Falling out of a filter range behind a branch: the branch is told. */
		if (t->insn.class == X86_JCC && !t->taken)
			pt_emit__tnt(unit, false);
		disable(unit, t->to);
	} else if (!was && is) {
		enable(unit, t->to);
	} else if (was && t->kind == FLOW_EVENT) {
		trace_far(unit, t);
	} else if (was) {
		trace_branch(unit, t);
	}
	unit->overflow_due = was && is && overflows_behind(unit, t);
}

void pt_unit__cr3(struct pt_unit *unit, uint64_t ip, const struct flow_context *context)
{
	bool enabled;

	if (!pt_unit__triggered(unit))
		return;
	unit->context = *context;
	if (unit->overflow)
		return;
	if ((unit->ctl & RTIT_CTL_OS) && pt_trace__context_en(unit, context)) {
		/*
		 * The time goes along (a TSC packet may stand anywhere): it tells
		 * decoders exactly when one task's code ends and another's begins.
		 */
		pt_emit__time(unit);
		pt_emit__pip(unit, context->space);
	}
	enabled = packet_en(unit, ip, context);
	if (enabled && !unit->packet_en)
		enable(unit, ip);
	else if (!enabled && unit->packet_en)
		disable(unit, ip);
}
