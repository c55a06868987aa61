/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tasks of a capture are wanted. It is also used in perf's process (branch_filter.c), so it is all here. */
#ifndef AUXBPF_DECODE_TASK_FILTER_H
#define AUXBPF_DECODE_TASK_FILTER_H

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task_filter {
	int32_t tid;	  /* this one alone; -1: all */
	const char *comm; /* a pattern as of fnmatch(3): those with such a name alone; NULL: all */
};

/* Tells whether not all tasks are wanted. */
static inline bool task_filter__is_set(const struct task_filter *filter)
{
	return filter->tid >= 0 || filter->comm;
}

/* Tells whether the task @tid is wanted while its name is @comm. */
static inline bool task_filter__takes(const struct task_filter *filter, int32_t tid, const char *comm)
{
	return (filter->tid < 0 || filter->tid == tid) && (!filter->comm || !fnmatch(filter->comm, comm, 0));
}

#endif
