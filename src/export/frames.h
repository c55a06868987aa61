/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions that a file tells of, numbered in the order in which it names them first.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_EXPORT_FRAMES_H
#define AUXBPF_EXPORT_FRAMES_H

#include "calls/function_names.h"

#define FRAME_NOT_TRACED UINT32_MAX /* in the place of a function: nothing was traced */

/* Zero-initialised is empty; frames__init() makes it valid. */
struct frames {
	const struct function_names *names;
	uint32_t *frame_of;	/* by function: the number of its frame, from 1; 0: it has none yet */
	function_id *functions; /* by frame, of those that stand for others (function_names__same()) */
	size_t nr;
};

/* Gets ready for the functions of @names, which must outlive it and get no more of them. 0 or -ENOMEM. */
int frames__init(struct frames *frames, const struct function_names *names) _must_check_ _nonnull_(1, 2);
void frames__release(struct frames *frames) _nonnull_(1);

/* Returns the number of a function's frame, from 0, which it gets at its first time. */
uint32_t frames__get(struct frames *frames, function_id function) _must_check_ _nonnull_(1);

/* Return the name of a frame, and the file that has its function, "" if none is known. Both are printable. */
const char *frames__name(const struct frames *frames, size_t frame) _must_check_ _nonnull_(1);
const char *frames__object(const struct frames *frames, size_t frame) _must_check_ _nonnull_(1);

#endif
