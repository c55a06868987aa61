/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a tracepoint's record that rules look at, on its way from the program that sees the record to
 * the one that can freeze (trigger_tracepoint.bpf.c).
 *
 * Between the two a task can be preempted and moved, so the part is kept in the task. For idle tasks, which
 * do not get such storage when it is made for all, it is kept by CPU. An interrupt that comes between the two
 * and finds an event of its own overwrites the part of the task, and that is counted.
 */
#ifndef AUXBPF_TRACEPOINT_RECORD_BPF_H
#define AUXBPF_TRACEPOINT_RECORD_BPF_H

#include "kept.bpf.h"
#include "auxbpf_trigger.h"

struct record {
	__u32 tracepoint; /* id of the tracepoint; 0: there is nothing here */
	__u32 in_use;	  /* 1: it is being written */
	__u8 bytes[AUXBPF_RECORD_MAX];
	__u64 behind; /* room for what is read at the last bytes */
};

/* The storage is made for every task, as histories are, because some tracepoints allow no allocation. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct record);
} records SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct record);
} records_reserve SEC(".maps");

static const struct record no_record;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct record);
} idle_records SEC(".maps");

static __always_inline struct record *this_record(struct task_struct *task)
{
	__u32 zero = 0;

	if (task->pid)
		return kept(&records, &records_reserve, task);
	return bpf_map_lookup_elem(&idle_records, &zero);
}

#endif
