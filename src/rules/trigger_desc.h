/* SPDX-License-Identifier: GPL-2.0-only */
/* A trigger as it was parsed from its rule (rules/trigger.h). */
#ifndef AUXBPF_RULES_TRIGGER_DESC_H
#define AUXBPF_RULES_TRIGGER_DESC_H

#include <stdbool.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "rules/condition_field.h"
#include "rules/tracepoint_format.h"
#include "rules/tracepoint_name.h"

/* The place of the field AUXBPF_FIELD_EXTRA0 + n in the tracepoint's record. It has 1, 2, 4 or 8 bytes. */
struct trigger_extra {
	uint16_t offset, size;
	bool is_signed; /* its sign is to be extended to 64 bits */
	char name[TRACE_FIELD_NAME_MAX];
};

/* A set of system calls, with a bit for each number. */
struct trigger_syscalls {
	uint64_t native[AUXBPF_MAX_SYSCALLS / 64];
	uint64_t compat[AUXBPF_MAX_SYSCALLS / 64]; /* calls of 32-bit programs */
};

struct trigger {
	enum auxbpf_trigger_kind kind;
	char *text; /* the rule as given, without blanks around it */
	struct trigger_syscalls syscalls;
	char *where;			   /* of a function, for function_name__parse() */
	struct tracepoint_name tracepoint; /* the category is never syscalls */
	/* The call's begin fires it, or else, if the condition needs ret or latency, the call's return. */
	bool at_entry;
	bool has_condition;		   /* false: every such event fires it */
	struct auxbpf_condition condition; /* includes sig == 11 for `signal:SIGSEGV` */
	uint32_t fields;		   /* CONDITION_FIELD() bits: used by the condition */
	struct trigger_extra extra[AUXBPF_TRIGGER_EXTRAS];
	unsigned int nr_extra;
};

struct trigger_opts {
	const struct condition_names *names;  /* NULL: users and cgroups can be given by number only */
	struct tracepoint_source tracepoints; /* if it reads no formats, tracepoints have no fields */
};

#endif
