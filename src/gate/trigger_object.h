/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF object of one function or one tracepoint that rules name. It is loaded beside the main object and
 * uses its maps.
 */
#ifndef AUXBPF_GATE_TRIGGER_OBJECT_H
#define AUXBPF_GATE_TRIGGER_OBJECT_H

#include <bpf/libbpf.h>

#include "auxbpf_trigger.h"
#include "base/cleanup.h"

/* The main object, which is loaded, and its settings. */
struct trigger_base {
	struct bpf_object *main;
	const struct auxbpf_config *config;
	const struct auxbpf_triggers *told; /* the settings of triggers */
};

/*
 * Gives @object the maps and settings of @base. Call it between opening and loading @object. @config and
 * @told are the object's own read-only copies of the settings. 0 or a negative errno.
 */
int trigger_object__join(struct bpf_object *object, const struct trigger_base *base, const void *config,
			 const void *told) _must_check_ _nonnull_(1, 2, 3, 4);

#endif
