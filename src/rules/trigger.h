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
#include "rules/trigger_desc.h"
#include "rules/window_set.h"

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
