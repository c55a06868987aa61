/* SPDX-License-Identifier: GPL-2.0-only */
/* The status line while a capture is decoded: from the first second on, and on a terminal alone (base/log.h). */
#ifndef AUXBPF_DECODE_DECODE_PROGRESS_H
#define AUXBPF_DECODE_DECODE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* The work that a decoding is a part of. Zero-initialised it is all of it. */
struct decode_work {
	uint64_t since;	    /* when it began, ns of CLOCK_MONOTONIC; 0: with this decoding */
	size_t part, parts; /* this is one of so many, from 1; 0: the only one */
	bool is_quiet;	    /* there is no status line */
};

struct decode_progress {
	struct decode_work work;
	char *file; /* its name, printable */
	bool is_wanted;
	uint64_t shown; /* when the line was written last, ns of CLOCK_MONOTONIC; 0: it is not there */
	uint64_t first, at,
		last; /* what was decoded first and last, and until when there is anything, ns; 0: not known */
};

/* @file is the capture, of which nothing behind @end, ns, is decoded. */
void decode_progress__begin(struct decode_progress *progress, const char *file, uint64_t end,
			    const struct decode_work *work) _nonnull_(1, 2, 4);

/* Waits until there is something to read from @fd, and shows the line meanwhile. */
void decode_progress__wait(struct decode_progress *progress, int fd) _nonnull_(1);

/* Notes that the decoder has come to this time of the capture, ns. */
static inline void decode_progress__reach(struct decode_progress *progress, uint64_t time)
{
	if (!progress->first)
		progress->first = time;
	progress->at = time;
}

/* Takes the line away. */
void decode_progress__end(struct decode_progress *progress) _nonnull_(1);

#endif
