/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF objects of one function or one tracepoint that rules are about: beside the main object, with its
 * maps.
 */
#ifndef AUXBPF_GATE_TRIGGER_OBJECT_H
#define AUXBPF_GATE_TRIGGER_OBJECT_H

#include <bpf/libbpf.h>

#include "auxbpf_trigger.h"
#include "base/cleanup.h"

/* What they join; the object is loaded. */
struct trigger_base {
	struct bpf_object *main;
	const struct auxbpf_config *config;
	const struct auxbpf_triggers *told; /* what the triggers' programs were told */
};

/*
 * To be called between opening and loading @object; @config and @told are its own read-only copies of what
 * @base has. 0 or a negative errno.
 */
int trigger_object__join(struct bpf_object *object, const struct trigger_base *base, const void *config,
			 const void *told) _must_check_ _nonnull_(1, 2, 3, 4);

#endif
