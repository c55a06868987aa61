/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The full trace: the buffers are read while the kernel writes them, and all goes into the file.
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
#include "base/waiter.h"
#include "capture/capture_file.h"
#include "capture/kept_windows.h"
#include "gate/gate.h"
#include "trace/cpu_trace.h"

struct capture_opts;
struct stream;

/* The limits that end the stream, besides the command and signals. */
struct stream_opts {
	uint64_t max_bytes; /* most bytes of trace; 0: no limit */
	uint64_t keep_free; /* bytes to leave free on the disk */
};

/* All of it must outlive the stream. */
struct stream_parts {
	const struct capture_opts *capture;
	const struct cpu_traces *traces;
	struct gate *gate;
	struct kept_windows *windows; /* NULL if none are kept */
	struct capture_file *file;
};

/*
 * Starts the stream: readers read the buffers, and the records are read while the waiter runs. A limit ends
 * the wait. Logs; 0 or a negative errno.
 */
int stream__new(const struct stream_opts *opts, const struct stream_parts *parts, struct waiter *waiter,
		struct stream **ret) _must_check_ _nonnull_(1, 2, 3, 4);

/* Tells whether a limit has ended the wait. */
bool stream__is_full(const struct stream *s) _nonnull_(1);

/*
 * Makes the readers leave an event off that the kernel stops. To be called before the gates are closed for
 * good.
 */
void stream__close(struct stream *s) _nonnull_(1);

/* Reads what is left, when the events are off, and finishes the file. Logs; 0 or a negative errno. */
int stream__finish(struct stream *s, uint64_t *aux_bytes) _must_check_ _nonnull_(1, 2);

/* Logs what is missing. */
void stream__log(const struct stream *s) _nonnull_(1);

void stream__free(struct stream *s);

DEFINE_CLEANUP(stream, struct stream *, stream__free)

#endif
