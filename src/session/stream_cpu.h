/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace of one CPU on its way into the file while it is written.
 *
 * When the reader falls behind the buffer is full, and the kernel stops the event
 * (kernel/events/ring_buffer.c, perf_aux_output_begin(); arch/x86/events/intel/pt.c, pt_handle_status()):
 * that is a gap. So is where the unit stopped, the kernel found room again and started it anew: there the trace
 * goes on in the same buffer. A gap is closed by the reader, once all that was written is in the file: the gate is
 * frozen, as its siblings are off with the event and cannot move it; where it was left open the event runs for a
 * moment, so that it can be closed, and what comes then is left out; then it starts again as the gate wants it. A
 * decoder is told of the gap, and goes on at the next place where one can begin: what is before that is left
 * out too. So of each byte that the unit writes it is known where it went.
 */
#ifndef AUXBPF_SESSION_STREAM_CPU_H
#define AUXBPF_SESSION_STREAM_CPU_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "capture/capture_file.h"
#include "trace/cpu_trace.h"
#include "gate/gate.h"
#include "perfdata/aux_account.h"

struct stream_cpu {
	struct cpu_trace *trace;
	const struct trace_pmu_ops *ops;
	struct gate *gate;
	struct capture_stream *file;
	struct tsc_conv tsc;
	uint32_t idx;
	pthread_mutex_t lock; /* of the ring and what was drained from it, the account included */
	struct aux_account account;
	uint64_t at;	     /* up to here the trace is in the file, or left out */
	struct buf gap_ends; /* u64: up to where the trace goes that ends in a gap, as the records say */
	bool leaves_out;     /* the records of trace that is left out are, too */
	uint64_t losses;     /* records of losses that were there when it was last started */
	bool skip;	     /* up to where a decoder can begin */
	uint64_t written;    /* bytes of the trace in the file; others may read it */
	uint64_t left_out;   /* ... and those that are not in it */
	uint64_t gaps;	     /* others may read it */
	uint64_t gaps_time;  /* ns, all together; 0 also where there is no conversion of time */
};

/*
 * By one thread: what is new goes into the file; if the buffer was full it is started again, unless @ends.
 * Logs; 0 or a negative errno.
 */
int stream_cpu__read(struct stream_cpu *c, bool ends) _must_check_ _nonnull_(1);

/* The records that came since the last call are moved to @to, which is empty. 0 or a negative errno. */
int stream_cpu__take(struct stream_cpu *c, struct buf *to) _must_check_ _nonnull_(1, 2);

/* Says what is missing, and at debug level how much there is. */
void stream_cpu__log(const struct stream_cpu *c) _nonnull_(1);

#endif
