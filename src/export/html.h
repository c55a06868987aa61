/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes calls and windows as a page for a browser, which needs nothing else (page/). Its data are in elements behind it that
 * no browser runs:
 *
 * - `<script class="lane">` for each task: its events as numbers (base64__put_number()), in base64. The first number of an
 *   event is the ns since the event before it, or since the base, times 4, with its kind (enum html_event) added. The
 *   begin of a call is followed by the number of its function and by a byte (enum html_flag), and, if that says so, by the
 *   number of the CPU + 1. An error is followed by the length of what the decoder said, and by that, in UTF-8; a sample by the
 *   number of its path and by that of the CPU + 1.
 * - `<script id="capture">`, JSON: the capture's name, the base in ns, the lanes, the functions by their numbers, the paths of
 *   samples by theirs, the windows and the triggers of snapshots with ns since the base. There is no "<" in it, so nothing in it
 *   can end the element.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_EXPORT_HTML_H
#define AUXBPF_EXPORT_HTML_H

#include <stdio.h>

#include "export/exported.h"

enum html_event {
	HTML_END,   /* of the newest call that has not ended */
	HTML_BEGIN, /* of a call, or of a time without trace */
	HTML_ERROR, /* of the decoder */
	HTML_SAMPLE
};

/* The lowest three bits are the call's kind (enum call_kind), or tell that it is none. */
enum html_flag {
	HTML_GAP = 7,		/* nothing was traced */
	HTML_KERNEL = 1 << 3,	/* the function is of the kernel */
	HTML_OVER = 1 << 4,	/* its end was seen */
	HTML_HOW_SHIFT = 5,	/* how it ended (enum call_end), two bits */
	HTML_OTHER_CPU = 1 << 7 /* it is on another CPU than what was before it */
};

/* Writes the trees of all tasks as they are walked over. Returns 0 or -ENOMEM. */
int html__write(FILE *to, struct exported *exported) _must_check_ _nonnull_(1, 2);

#endif
