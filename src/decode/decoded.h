/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The messages from our filter, which runs in perf script (branch_filter.c), to auxbpf (perf_decoder.c), by a
 * pipe. Both are made from one source and run on one machine, so they are plain structures.
 */
#ifndef AUXBPF_DECODE_DECODED_H
#define AUXBPF_DECODE_DECODED_H

#include "calls/call_sites.h"
#include "calls/sample.h"

enum decoded_kind {
	DECODED_BRANCH,
	DECODED_FUNCTION, /* of a number that nothing had before */
	/* The name of the task of the next branch, where it is another one; also of tasks that are not wanted. */
	DECODED_TASK,
	DECODED_TEXT,	/* what perf printed: errors of its decoder */
	DECODED_SAMPLE, /* of a regular event */
	DECODED_SITE,	/* of a number that nothing had before; only if they are asked for */
};

struct decoded_head {
	uint32_t size; /* with this head, a multiple of 8 */
	uint32_t kind;
};

struct decoded_branch {
	struct decoded_head head;
	struct branch branch;
};

/* The frames follow, the innermost first: struct sample_frame. */
struct decoded_sample {
	struct decoded_head head;
	struct sample sample;
};

/* The names follow, each with its NUL: of the function, and of the file that has it. */
struct decoded_function {
	struct decoded_head head;
	function_id id;
	uint32_t name_len; /* with the NUL; 1: it has no symbol */
};

/* The name follows, with its NUL. */
struct decoded_task {
	struct decoded_head head;
	int32_t tid;
	uint32_t pad;
};

struct decoded_site {
	struct decoded_head head;
	site_id id;
	uint32_t pad;
	struct call_site site;
};

/* The text follows, with a NUL. */
struct decoded_text {
	struct decoded_head head;
};

/* The arguments of the filter (--dlarg), in this order, as decimal numbers. */
enum decode_arg {
	DECODE_ARG_FD,	  /* the pipe */
	DECODE_ARG_BEGIN, /* ns: branches from here... */
	DECODE_ARG_END,	  /* ...until here, inclusive */
	DECODE_ARG_TID,	  /* of the wanted tasks (task_filter.h)... */
	DECODE_ARG_COMM,  /* ...which is no number; "": NULL */
	DECODE_ARG_SITES, /* 1: call sites are told, too; 0: they are not */
	NR_DECODE_ARGS,
};

#endif
