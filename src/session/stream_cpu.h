/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace of one CPU on its way into the file while it is written.
 *
 * When the reader falls behind, the buffer is full and the kernel stops the event
 * (kernel/events/ring_buffer.c, perf_aux_output_begin(); arch/x86/events/intel/pt.c, pt_handle_status()):
 * that is a gap. There is also a gap where the unit stopped and the kernel found room again and started it
 * anew: then the trace goes on in the same buffer.
 *
 * The reader ends a gap once all that was written is in the file. The gate is frozen, as the siblings that
 * move it are off with the event. If it was left open, the event runs for a moment so that it can be closed,
 * and the trace of that moment is left out. Then the event starts again as the gate wants it. A decoder is
 * told of the gap and goes on at the next place where it can begin; the bytes before that are left out too.
 * So it is known of each byte that the unit writes where it went.
 */
#ifndef AUXBPF_SESSION_STREAM_CPU_H
#define AUXBPF_SESSION_STREAM_CPU_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "capture/capture_file.h"
#include "gate/gate.h"
#include "perfdata/aux_account.h"
#include "trace/cpu_trace.h"

struct stream_cpu {
	struct cpu_trace *trace;
	const struct trace_pmu_ops *ops;
	struct gate *gate;
	struct capture_stream *file;
	struct tsc_conv tsc;
	uint32_t idx;
	pthread_mutex_t lock; /* for the ring and what was drained from it, the account included */
	struct aux_account account;
	uint64_t at;	     /* the trace up to here is in the file, or left out */
	struct buf gap_ends; /* u64 each: where trace ends in a gap, by the records */
	bool leaves_out;     /* leave out the records of trace that is left out */
	uint64_t losses;     /* records of losses when the event was last started */
	bool skip;	     /* leave out trace until a decoder can begin */
	uint64_t written;    /* bytes of trace in the file; other threads may read it */
	uint64_t left_out;   /* bytes of trace that were left out */
	uint64_t gaps;	     /* other threads may read it */
	uint64_t gaps_time;  /* ns, all gaps together; 0 also if time cannot be converted */
};

/*
 * Moves new trace into the file. If the buffer was full the event is started again, unless @ends. May be
 * called by one thread only. Logs; 0 or a negative errno.
 */
int stream_cpu__read(struct stream_cpu *c, bool ends) _must_check_ _nonnull_(1);

/* Moves the records that came since the last call to @to, which is empty. 0 or a negative errno. */
int stream_cpu__take(struct stream_cpu *c, struct buf *to) _must_check_ _nonnull_(1, 2);

/* Logs what is missing, and at debug level how much there is. */
void stream_cpu__log(const struct stream_cpu *c) _nonnull_(1);

#endif
