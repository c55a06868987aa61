/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notes the calls of functions that rules are about: when each began and with what arguments, until it
 * returns.
 *
 * If a function calls itself only the outermost call counts. The frame of a call is an address on the task's
 * stack that is the same at its entry and at its return; stacks grow downward. So a call with a frame below
 * the noted one is nested in it. A frame at or above the noted one means that the noted call was left without
 * a return (longjmp, an exception).
 */
#ifndef AUXBPF_FUNCTION_CALLS_BPF_H
#define AUXBPF_FUNCTION_CALLS_BPF_H

#include "trigger_task.bpf.h"

/* The most functions that a task can be in at a time. A call that does not fit is counted as missed. */
#define AUXBPF_CALLS 8

struct call {
	__u64 frame; /* 0: there is no call here */
	__u64 file;  /* for a user's function: number of the file that the probe is in */
	__u64 started;
	__u64 args[6];
	__u32 nr_args; /* number of arguments that are known */
	__u16 function;
	__u16 seen; /* which programs at its entry have seen it, as bits */
};

struct task_calls {
	struct call calls[AUXBPF_CALLS];
};

OF_TRIGGERS struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_calls);
} calls SEC(".maps");

OF_TRIGGERS struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct task_calls);
} calls_reserve SEC(".maps");

static const struct task_calls no_calls;

/* Finds the call of this function that the task is in, or, if there is none and one begins, room for it. */
static __always_inline struct call *find_call(struct task_calls *all, __u32 function, bool begins)
{
	__u32 free = AUXBPF_CALLS, i;

	for (i = 0; i < AUXBPF_CALLS; i++) {
		if (!all->calls[i].frame)
			free = i;
		else if (all->calls[i].function == function)
			return &all->calls[i];
	}
	return begins && free < AUXBPF_CALLS ? &all->calls[free] : NULL;
}

/* Counts a call that is not followed as missed for all rules about its function. */
static __noinline int count_unnoted(__u32 function)
{
	count_missed_rules(triggers.by_function[function & (AUXBPF_MAX_TRIGGERS - 1)]);
	return 0;
}

/* Whether this call replaces the noted one (it is not nested in it). */
static __always_inline bool is_outermost(const struct call *call, __u64 frame, __u64 file)
{
	if (!call->frame || frame > call->frame)
		return true;
	return frame == call->frame && file == call->file;
}

/*
 * Notes that a task that counts begins a call. Returns where its arguments are to be noted, or NULL if they
 * need not be. @program is a bit. The kernel does not say in which order the programs at one function run, so
 * one that finds a call here that it has not seen itself has nothing to do: another program has noted it.
 * Probes in several files can see the same call, because files of containers can be one file below.
 */
static __always_inline struct call *begin_call(struct task_struct *task, __u32 function, __u64 frame,
					       __u64 file, __u32 program)
{
	struct task_calls *all = kept_new(&calls, &calls_reserve, task, &no_calls, sizeof(no_calls));
	struct call *call = all ? find_call(all, function, true) : NULL;

	if (!call) {
		count_unnoted(function);
		return NULL;
	}
	if (!is_outermost(call, frame, file))
		return NULL;
	if (call->frame == frame && !(call->seen & program)) {
		call->seen |= program;
		return NULL;
	}
	call->seen = program;
	call->frame = frame;
	call->file = file;
	call->function = function;
	call->started = bpf_ktime_get_ns();
	return call;
}

static __always_inline void set_args(struct auxbpf_event *e, const struct call *call)
{
	__u32 i;

	for (i = 0; i < 6; i++)
		if (i < call->nr_args)
			set_field(e, AUXBPF_FIELD_ARG0 + i, call->args[i]);
}

/* Tries the rules that are decided at the begin of a call. Its arguments must have been noted. */
static __always_inline void try_begin(struct task_struct *task, const struct call *call)
{
	__u64 rules = triggers.by_function[call->function & (AUXBPF_MAX_TRIGGERS - 1)] & triggers.at_entry;
	struct auxbpf_event e = {};

	if (!rules)
		return;
	set_args(&e, call);
	try_task(task, &e, rules);
}

/* Finds the call of this function that the task is in; NULL if there is none. */
static __always_inline struct call *this_call(struct task_struct *task, __u32 function)
{
	struct task_calls *all = kept(&calls, &calls_reserve, task);

	return all ? find_call(all, function, false) : NULL;
}

/* Ends a call and tries its rules. @ret is what the register of results holds. */
static __always_inline void end_call(struct task_struct *task, struct call *call, __u64 ret)
{
	__u64 rules = triggers.by_function[call->function & (AUXBPF_MAX_TRIGGERS - 1)] & ~triggers.at_entry;
	struct auxbpf_event e = {};

	call->frame = 0;
	if (!rules || !is_watched(task))
		return;
	set_args(&e, call);
	set_field(&e, AUXBPF_FIELD_RET, auxbpf_condition__function_ret(ret));
	set_field(&e, AUXBPF_FIELD_LATENCY, bpf_ktime_get_ns() - call->started);
	try_task(task, &e, rules);
}

/* Forgets the calls of a task that executes a program: they never return. */
static __always_inline void forget_calls(struct task_struct *task)
{
	struct task_calls *all = kept(&calls, &calls_reserve, task);
	__u32 i;

	for (i = 0; all && i < AUXBPF_CALLS; i++)
		all->calls[i].frame = 0;
}

#endif
