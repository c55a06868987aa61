/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses rules. Each makes one trigger, the event at which the history is kept. auxbpf-rules(7) is the user's
 * page.
 *
 *   KIND[:WHERE] [CONDITION]		a blank comes before the condition (rules/condition.h)
 *
 *   syscall:LIST	one of these system calls (rules/syscall_set.h, without conditions in the list)
 *   function:WHERE	a function of the kernel or of a program (rules/function_name.h), in quotes if need be
 *   tracepoint:CATEGORY:EVENT
 *   offcpu > 5ms	a task runs again after so long: the condition begins with the kind itself
 *   runq > 2ms		a task runs again that could have run for so long
 *   signal[:SIGNAL]	a signal is delivered
 *   exit, exec, fork, oom
 *   softirq[:NAME,...]	the handler of a soft interrupt ends, irq[:NUMBER,...] that of a hard one
 *
 * All kinds have the fields of the task: pid, tid, ppid, uid, comm, cgroup, cpu. Some have more:
 *   syscall, function	arg0 to arg5, ret, latency
 *   offcpu, runq	offcpu, runq
 *   softirq, irq	latency
 *   signal		sig
 *   exit		sig, code
 *   tracepoint		its own fields, but not arrays and strings; where the task has a field of the same
 *			name, `event.pid` is the tracepoint's and `task.pid` the task's
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

/*
 * Parses one rule. After success @ret must be released with trigger__release(); it may be moved, as a
 * value.
 *
 * On -EINVAL @message (RULE_MESSAGE_SIZE is enough) says what is wrong and what was expected, and points at
 * the place in @text. On -ENOMEM it is empty.
 */
int trigger__parse(const char *text, const struct trigger_opts *opts, struct trigger *ret, char *message,
		   size_t size) _must_check_ _nonnull_(1, 2, 3, 4);

/*
 * Tells whether the trigger fires at the begin of a call that also opens one of @windows. Then the trace ends
 * in front of the call, and the call itself is not in the snapshot.
 */
bool trigger__precedes_window(const struct trigger *t, const struct window_set *windows) _nonnull_(1, 2);

/* Releases what @t owns and leaves it empty, so that it may be released again. */
void trigger__release(struct trigger *t) _nonnull_(1);

#endif
