/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The full trace: the buffers are read while they are written, and what they hold goes into the file.
 *
 *	reader threads, one for a few CPUs: AUX data, straight from the mapping into its place in the file
 *	main thread: the records of all CPUs, in rounds
 */
#ifndef AUXBPF_SESSION_STREAM_H
#define AUXBPF_SESSION_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "capture/capture_file.h"
#include "trace/cpu_trace.h"
#include "gate/gate.h"
#include "base/waiter.h"

struct capture_opts;
struct stream;

/* When it ends, but for the command and signals. */
struct stream_opts {
	uint64_t max_bytes; /* of trace; 0: any */
	uint64_t keep_free; /* bytes of the disk */
};

/* All of it outlives the stream. */
struct stream_parts {
	const struct capture_opts *capture;
	struct cpu_trace *cpus;
	size_t nr_cpus;
	size_t nr_all; /* with those behind them of which there is sideband alone */
	struct gate *gate;
	struct capture_file *file;
};

/*
 * From the return on the buffers are read, and the records while the waiter runs; a limit ends the wait.
 * Logs; 0 or a negative errno.
 */
int stream__new(const struct stream_opts *opts, const struct stream_parts *parts, struct waiter *waiter,
		struct stream **ret) _must_check_ _nonnull_(1, 2, 3, 4);

/* Whether a limit has ended the wait. */
bool stream__is_full(const struct stream *s) _nonnull_(1);

/* From here on an event that the kernel stops stays off: to be called before the gates are closed for good.
 */
void stream__close(struct stream *s) _nonnull_(1);

/* The events are off: reads what is left and writes the file. Logs; 0 or a negative errno. */
int stream__finish(struct stream *s, uint64_t *aux_bytes) _must_check_ _nonnull_(1, 2);

/* Says what is missing. */
void stream__log(const struct stream *s) _nonnull_(1);

void stream__free(struct stream *s);

DEFINE_CLEANUP(stream, struct stream *, stream__free)

#endif
