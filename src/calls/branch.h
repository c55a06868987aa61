/* SPDX-License-Identifier: GPL-2.0-only */
/* A branch that ran, as the decoder of the trace tells of it. */
#ifndef AUXBPF_CALLS_BRANCH_H
#define AUXBPF_CALLS_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

/* How a branch came about; the values are those of PERF_DLFILTER_FLAG_* (perf_dlfilter.h). */
enum branch_flag {
	BRANCH_CALL = 1 << 1,
	BRANCH_RETURN = 1 << 2,
	BRANCH_CONDITIONAL = 1 << 3,
	BRANCH_SYSCALL = 1 << 4, /* with CALL into the kernel, with RETURN back */
	BRANCH_ASYNC = 1 << 5,
	BRANCH_INTERRUPT = 1 << 6, /* or an exception */
	BRANCH_BEGIN = 1 << 8,	   /* the trace begins at @to; there is no @from */
	BRANCH_END = 1 << 9,	   /* the trace ends at @from; @to may be missing */
	/*
	 * Our own, of an interrupt: the instruction at @from was executed, and branches. Arm's trace tells of such a branch
	 * and an interrupt at its target as one branch, whose return shows where the first one went.
	 */
	BRANCH_BEHIND_CALL = 1 << 29,
	BRANCH_BEHIND_RETURN = 1 << 30,
};

/* A number of a function; 0 is none. Numbers are given in the order in which functions are first seen. */
typedef uint32_t function_id;

/*
 * This bit of a number says that it stands for all code of a file that has no symbol: for many functions, so that
 * two places with it need not be in one.
 */
#define FUNCTION_NAMELESS (1u << 31)

/* A number of a call site (calls/call_sites.h), given likewise; 0 is none, or one that was not told. */
typedef uint32_t site_id;

struct branch {
	uint64_t time; /* ns, in the clock of the capture */
	uint64_t from, to;
	int32_t pid, tid, cpu;
	uint32_t flags; /* of enum branch_flag */
	function_id from_function, to_function;
	uint32_t to_offset; /* @to is so far behind the function's first byte */
	site_id from_site;  /* @from, if it enters a function */
};

/* The kernel has the upper half of the addresses, on x86_64 as on arm64. */
static inline bool branch__is_kernel(uint64_t address)
{
	return (int64_t)address < 0;
}

#endif
