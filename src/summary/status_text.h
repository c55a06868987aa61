/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a recording in one line, for the status line on a terminal.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_SUMMARY_STATUS_TEXT_H
#define AUXBPF_SUMMARY_STATUS_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct status_text {
	uint64_t armed; /* ns since it was armed */
	uint64_t seen;	/* triggers that fired */
	uint64_t snapshots;
	uint64_t missed;
	uint64_t bytes; /* of trace, in the snapshots */
	uint64_t blind; /* ns without trace, of all CPUs together */
};

struct stream_text {
	uint64_t time;	/* ns since it began */
	uint64_t bytes; /* of trace, in the file */
	uint64_t rate;	/* bytes a second, lately */
	uint64_t gaps;	/* how often trace was lost */
};

struct decode_text {
	const char *file;   /* printable */
	size_t part, parts; /* it is one of so many, if these are not one or none */
	uint64_t time;	    /* ns since it began */
	uint64_t done, all; /* of the capture's time, ns; 0: it is not known how much there is */
};

/* Write the line, without a newline. 160 bytes are enough for anything but the name of a file, at the end, which is cut. */
void status_text__format(const struct status_text *s, char *text, size_t size) _nonnull_(1, 2);
void stream_text__format(const struct stream_text *s, char *text, size_t size) _nonnull_(1, 2);
void decode_text__format(const struct decode_text *s, char *text, size_t size) _nonnull_(1, 2);

#endif
