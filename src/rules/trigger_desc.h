/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trigger as it was read from its rule; rules/trigger.h reads rules.
 */
#ifndef AUXBPF_RULES_TRIGGER_DESC_H
#define AUXBPF_RULES_TRIGGER_DESC_H

#include <stdbool.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/buf.h"
#include "base/nearest.h"
#include "rules/condition_field.h"
#include "rules/tracepoint_format.h"

/* Where the field AUXBPF_FIELD_EXTRA0 + n is in the tracepoint's record: 1, 2, 4 or 8 bytes. */
struct trigger_extra {
	uint16_t offset, size;
	bool is_signed; /* its sign is to be extended to 64 bits */
	char name[TRACE_FIELD_NAME_MAX];
};

/* Of system calls, a bit for each number. */
struct trigger_syscalls {
	uint64_t native[AUXBPF_MAX_SYSCALLS / 64];
	uint64_t compat[AUXBPF_MAX_SYSCALLS / 64]; /* of 32-bit programs */
};

struct trigger {
	enum auxbpf_trigger_kind kind;
	char *text; /* as given, without blanks around it */
	struct trigger_syscalls syscalls;
	char *where;		/* of a function; function_name__parse() takes it */
	char *category, *event; /* of a tracepoint, none of the category syscalls */
	/* It fires when the call begins; else when it returns, which is when ret or latency are needed. */
	bool at_entry;
	bool has_condition;		   /* false: every such event counts */
	struct auxbpf_condition condition; /* that of `signal:SIGSEGV` has sig == 11 in it */
	uint32_t fields;		   /* that the condition uses, CONDITION_FIELD() bits */
	struct trigger_extra extra[AUXBPF_TRIGGER_EXTRAS];
	unsigned int nr_extra;
};

struct trigger_opts {
	const struct condition_names *names; /* NULL: users and cgroups go by number only */
	/*
	 * Appends the format of a tracepoint (events/CATEGORY/EVENT/format of tracefs) to @text. 0 or a
	 * negative errno, -ENOENT: there is no such tracepoint, -ENODEV: tracefs is not mounted. NULL: it is
	 * not looked for, and has no fields.
	 */
	int (*format)(void *arg, const char *category, const char *event, struct buf *text);
	/* Offers all tracepoints, as CATEGORY:EVENT, for one that is not there; NULL: it knows none. */
	void (*offer)(void *arg, const char *wanted, struct nearest *near);
	void *arg;
};

#endif
