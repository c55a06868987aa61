/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the fields of a trigger's tracepoint known to its condition. */
#ifndef AUXBPF_RULES_TRIGGER_FIELDS_H
#define AUXBPF_RULES_TRIGGER_FIELDS_H

#include "base/buf.h"
#include "base/cleanup.h"
#include "rules/condition.h"
#include "rules/tracepoint_format.h"
#include "rules/trigger_desc.h"

struct trigger_fields {
	struct trigger *trigger; /* gets the fields that the condition names, as its extra ones */
	struct buf format;	 /* format of the tracepoint, with a NUL; empty if it is not known */
	struct trace_field own[AUXBPF_TRIGGER_EXTRAS];
	struct condition_field fields[AUXBPF_TRIGGER_EXTRAS];
};

/*
 * Reads the format of @trigger's tracepoint. Returns -EINVAL with @message if there is no such tracepoint, or
 * its format cannot be read. Release @event with trigger_fields__release(), after an error too.
 */
int trigger_fields__load(struct trigger_fields *event, struct trigger *trigger,
			 const struct trigger_opts *opts, char *message, size_t size) _must_check_
	_nonnull_(1, 2, 3, 4);
void trigger_fields__release(struct trigger_fields *event) _nonnull_(1);

/* Returns the fields for the condition's compiler; valid as long as @event is. */
struct condition_event_fields trigger_fields__fields(struct trigger_fields *event) _must_check_ _nonnull_(1);

#endif
