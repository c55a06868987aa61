/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers: the events at which the history is kept, one rule each. auxbpf-rules(7) is the user's page.
 *
 *   KIND[:WHERE] [CONDITION]		the condition is that of rules/condition.h; a blank is before it
 *
 *   syscall:LIST	one of these system calls (rules/syscall_set.h, without conditions in the list)
 *   function:WHERE	a function of the kernel or of a program (rules/function_name.h), in quotes if need be
 *   tracepoint:CATEGORY:EVENT
 *   offcpu > 5ms	a task runs again after so long: the condition begins with the kind itself
 *   runq > 2ms		the same, for the time in which it could have run
 *   signal[:SIGNAL]	a signal is delivered
 *   exit, exec, fork, oom
 *
 * All kinds have the fields of the task: pid, tid, uid, comm, cgroup, cpu; further
 *   syscall, function	arg0 to arg5, ret, latency
 *   offcpu, runq	offcpu, runq
 *   signal		sig
 *   exit		sig, code
 *   tracepoint		its own, but for arrays and strings; `event.pid` and `task.pid` tell apart what both
 * have
 */
#ifndef AUXBPF_RULES_TRIGGER_H
#define AUXBPF_RULES_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/nearest.h"
#include "rules/condition.h"
#include "rules/tracepoint_format.h"
#include "rules/window_set.h"

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
	char *where;		/* of a function; function_spec__parse() takes it */
	char *category, *event; /* of a tracepoint, none of the category syscalls */
	/* It fires when the call begins; else when it returns, which is when ret or latency are needed. */
	bool at_entry;
	bool has_condition;	      /* false: every such event counts */
	struct auxbpf_rule condition; /* that of `signal:SIGSEGV` has sig == 11 in it */
	uint32_t fields;	      /* that the condition uses, RULE_FIELD() bits */
	struct trigger_extra extra[AUXBPF_TRIGGER_EXTRAS];
	unsigned int nr_extra;
};

struct trigger_opts {
	const struct rule_names *names; /* NULL: users and cgroups go by number only */
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

/* The word with which rules of that kind begin; of AUXBPF_TRIGGER_USER "user". */
const char *trigger_kind__name(enum auxbpf_trigger_kind kind);

/*
 * Reads one rule. Release @ret with trigger__release(), after success; it may be moved, as a value.
 *
 * -EINVAL: @message (RULE_MESSAGE_SIZE is enough) says what is wrong and what was expected, and points at the
 * place in @text. -ENOMEM: it is empty.
 */
int trigger__parse(const char *text, const struct trigger_opts *opts, struct trigger *ret, char *message,
		   size_t size) _must_check_ _nonnull_(1, 2, 3, 4);

/*
 * Whether it fires when a call begins whose window, one of @windows, opens at that moment: the trace ends in
 * front of it, and the call itself is not in the snapshot.
 */
bool trigger__precedes_window(const struct trigger *t, const struct window_set *windows) _nonnull_(1, 2);

/* Releases what @t owns; it is empty then, and may be released again. */
void trigger__release(struct trigger *t) _nonnull_(1);

#endif
