// SPDX-License-Identifier: GPL-2.0-only
#include "calls/gate_path.h"

#include <string.h>

#include "calls/gate_names.h"

/* Whether @call is of somebody else's program, or leads to one. */
static bool is_foreign(const struct call *call, const struct function_names *names)
{
	const struct function *function = function_names__get(names, call->function);

	return !call->mark && function->is_glue && (call->first || gate_names__is_bpf(function->name));
}

/* Whether @call, of a function that only leads to programs, leads to those of auxbpf alone. */
static bool leads_to_gate(const struct call *call, const struct function_names *names)
{
	bool found = false;

	for (const struct call *c = call->first; c; c = c->next) {
		if (c->is_gate)
			found = true;
		else if (is_foreign(c, names))
			return false;
	}
	return found;
}

/* Goes from the calls that make others to those that are made. */
static void mark_inside(struct call_tree *tree, const struct function_names *names)
{
	for (struct call *c = call_tree__next(&tree->root); c; c = call_tree__next(c))
		c->is_gate =
			c->parent->is_gate || (!c->mark && function_names__get(names, c->function)->is_gate);
}

/* The first call inside @call that has made no other one, or @call itself. */
static struct call *innermost_first(struct call *call)
{
	while (call->first)
		call = call->first;
	return call;
}

/* Goes from the calls that are made to those that make them. */
static void mark_outside(struct call_tree *tree, const struct function_names *names)
{
	struct call *c = innermost_first(&tree->root);

	while (c != &tree->root) {
		if (!c->is_gate && !c->mark && function_names__get(names, c->function)->is_glue)
			c->is_gate = leads_to_gate(c, names);
		c = c->next ? innermost_first(c->next) : c->parent;
	}
}

void gate_path__mark(struct call_tree *tree, const struct function_names *names)
{
	mark_inside(tree, names);
	mark_outside(tree, names);
}

size_t gate_path__keep(const struct call_stack *stack, const struct function_names *names)
{
	const struct function *function = NULL;
	bool is_switch = false;
	size_t nr = stack->nr;

	/* The innermost program: an interrupt of another one may have led to the switch. */
	while (nr && !function_names__get(names, stack->frames[nr - 1].function)->is_gate)
		nr--;
	if (!nr)
		return stack->nr;
	for (; nr; nr--) {
		function = function_names__get(names, stack->frames[nr - 1].function);
		if (!function->is_gate && !function->is_glue)
			break;
		is_switch |= gate_names__is_switch(function->name);
	}
	return is_switch || !strcmp(function->name, "__schedule") ? nr : 0;
}
