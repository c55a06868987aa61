/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of a capture's windows.ndjson: a header, and one for each window. The man page says what they mean.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CAPTURE_WINDOW_LINE_H
#define AUXBPF_CAPTURE_WINDOW_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "auxbpf_window.h"
#include "base/buf.h"
#include "base/cleanup.h"

/* About so many bytes are in a line, to plan with. */
#define WINDOW_LINE_ABOUT 320

/*
 * Appends the header of a file of @nr windows from which @left_out are missing. 0 or -ENOMEM.
 */
int window_line__add_header(struct buf *to, size_t nr, uint64_t left_out) _must_check_ _nonnull_(1);

/*
 * Appends the line of a window, whose times are of the events' clock. @functions are the @nr_functions names of
 * --on-function. 0 or -ENOMEM.
 */
int window_line__add(struct buf *to, const struct auxbpf_window *window, const char *const *functions,
		     size_t nr_functions) _must_check_ _nonnull_(1, 2);

#endif
