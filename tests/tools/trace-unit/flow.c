// SPDX-License-Identifier: GPL-2.0-only
#include "flow.h"

#include <stddef.h>

void flow__init(struct flow *flow, const struct flow_ops *ops, void *opaque)
{
	*flow = (struct flow){.ops = ops, .opaque = opaque};
}

void flow__lose(struct flow *flow)
{
	flow->synced = false;
	flow->pending = false;
	flow->space_written = false;
}

/* The pending branch retired; execution is at to, in context after. */
static void retire(struct flow *flow, uint64_t to, const struct flow_context *after)
{
	struct flow_transfer t = {
		.kind = FLOW_BRANCH,
		.insn = flow->insn,
		.from = flow->from,
		.next = insn__next(&flow->insn, flow->from),
		.to = to,
		.taken = true,
		.nr = flow->nr,
		.before = flow->context,
		.after = *after,
	};

	flow->pending = false;
	flow->context = *after;
	/* A jump to the very next instruction cannot be told from none, nor matters. */
	if (insn__is_conditional(&flow->insn))
		t.taken = to != t.next || insn__target(&flow->insn, flow->from) == to;
	else if (insn__is_trap(&flow->insn) && to == t.next)
		return; /* a conditional one that did not trap */
	flow->ops->transfer(flow->opaque, &t);
}

/*
 * A block that writes to its own page is left before the write and begun anew there: a call runs again then,
 * and so does its callback. (No call is its own target.)
 */
static bool runs_again(const struct flow *flow, uint64_t ip)
{
	return ip == flow->from && insn__writes_memory(&flow->insn);
}

/* An event happened at ip: the branch there did not retire if it can fault. (Only a branch to itself, like
 * IRET, followed by an interrupt at once would be mistaken for that.) */
static bool faulted(const struct flow *flow, uint64_t ip)
{
	return ip == flow->from && insn__may_fault(&flow->insn);
}

static void resolve_space(struct flow *flow, uint64_t ip)
{
	struct flow_context old = flow->context;

	if (!flow->space_written)
		return;
	flow->space_written = false;
	flow->context.space = flow->ops->context(flow->opaque).space;
	if (flow->context.space != old.space)
		flow->ops->space(flow->opaque, ip, &flow->context, &old);
}

void flow__block(struct flow *flow, uint64_t ip)
{
	if (!flow->synced) {
		flow->context = flow->ops->context(flow->opaque);
		flow->synced = true;
	} else if (flow->pending && !runs_again(flow, ip)) {
		struct flow_context after = flow->context;

		if (insn__is_far(&flow->insn))
			after = flow->ops->context(flow->opaque);
		retire(flow, ip, &after);
	}
	flow->pending = false;
	resolve_space(flow, ip);
	flow->ops->at(flow->opaque, ip, &flow->context);
}

void flow__branch(struct flow *flow, const struct insn *insn, uint64_t ip, uint32_t nr)
{
	if (!flow->synced)
		return;
	resolve_space(flow, ip);
	flow->ops->at(flow->opaque, ip, &flow->context);
	flow->insn = *insn;
	flow->from = ip;
	flow->nr = nr;
	flow->pending = true;
}

void flow__space_write(struct flow *flow)
{
	flow->space_written = flow->synced;
}

void flow__event(struct flow *flow, uint64_t from, uint64_t to, const struct flow_context *before)
{
	struct flow_transfer t = {.kind = FLOW_EVENT, .from = from, .to = to, .taken = true};
	struct flow_context at_from = flow->context;

	if (!flow->synced)
		return;
	if (before) {
		at_from.level = before->level;
		at_from.mode = before->mode;
	}
	if (flow->pending && insn__is_trap(&flow->insn) && from == flow->from) {
		t.insn = flow->insn;
		t.nr = flow->nr;
	}
	if (flow->pending && !faulted(flow, from))
		retire(flow, from, &at_from);
	flow->pending = false;
	flow->context.level = at_from.level;
	flow->context.mode = at_from.mode;
	resolve_space(flow, from);
	flow->ops->at(flow->opaque, from, &flow->context);
	t.before = flow->context;
	t.after = flow->ops->context(flow->opaque);
	t.after.space = t.before.space;
	flow->context = t.after;
	flow->ops->transfer(flow->opaque, &t);
}
