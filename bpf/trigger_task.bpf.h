/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steps that the programs of all kinds of triggers share: they set the fields of the event's task, check
 * whether the task counts, and try the rules.
 */
#ifndef AUXBPF_TRIGGER_TASK_BPF_H
#define AUXBPF_TRIGGER_TASK_BPF_H

#include "freeze.bpf.h"
#include "history.bpf.h"
#include "targets.bpf.h"

static __always_inline void set_field(struct auxbpf_event *e, __u32 field, __u64 value)
{
	e->values[field] = value;
	e->known |= 1ull << field;
}

/* Sets the fields that are known of the task of any event. */
static __always_inline void set_task(struct auxbpf_event *e, struct task_struct *task)
{
	set_field(e, AUXBPF_FIELD_PID, task_pid(task));
	set_field(e, AUXBPF_FIELD_TID, task_tid(task));
	set_field(e, AUXBPF_FIELD_PPID, task_ppid(task));
	set_field(e, AUXBPF_FIELD_UID, task_uid(task));
	set_field(e, AUXBPF_FIELD_CPU, bpf_get_smp_processor_id());
	set_field(e, AUXBPF_FIELD_CGROUP, task_cgroup(task));
	set_field(e, AUXBPF_FIELD_COMM_LOW, *(const __u64 *)&task->comm[0]);
	set_field(e, AUXBPF_FIELD_COMM_HIGH, *(const __u64 *)&task->comm[8]);
	e->nr = -1;
}

static __always_inline bool is_recording(void)
{
	struct auxbpf_session *s = this_session();

	return s->armed && s->recording;
}

/* Whether rules look at the events of a task: it is a target, and the command counts from its exec on. */
static __always_inline bool is_watched(struct task_struct *task)
{
	struct task_state *state = task_state(task);

	return is_recording() && is_target(task, state) && !(state && state->before_exec);
}

/* Tries the rules on an event of @task, of which more than the task's own fields may be set already. */
static __always_inline void try_task(struct task_struct *task, struct auxbpf_event *e, __u64 rules)
{
	set_task(e, task);
	try_rules(rules, e, history(task));
}

#endif
