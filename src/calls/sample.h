/* SPDX-License-Identifier: GPL-2.0-only */
/* A sample of a regular event, as perf tells of it: where a task was, and by whom it had been called there. */
#ifndef AUXBPF_CALLS_SAMPLE_H
#define AUXBPF_CALLS_SAMPLE_H

#include "calls/branch.h"

/* Longer call chains are cut at their outer end. */
#define SAMPLE_FRAMES 1024

struct sample_frame {
	function_id function; /* 0: none is known */
	uint32_t is_kernel;
};

struct sample {
	uint64_t time; /* ns, in the clock of the capture */
	int32_t pid, tid, cpu;
	function_id event; /* its name, as that of a function */
	uint32_t nr;	   /* frames */
	uint32_t pad;
};

#endif
