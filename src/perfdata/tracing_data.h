/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The section of perf.data that a reader needs to decode samples of tracepoints; perf's
 * util/trace-event-read.c reads it (trace_report()). All its contents are files of tracefs.
 */
#ifndef AUXBPF_PERFDATA_TRACING_DATA_H
#define AUXBPF_PERFDATA_TRACING_DATA_H

#include "base/buf.h"

/* A tracepoint. */
struct tracing_event {
	const char *category;
	struct span format; /* the contents of its file "format" */
};

/*
 * Appends the section for @nr @events, none of them twice. @header_page and @header_event are the contents of
 * these files of events/.
 */
void tracing_data__add(struct buf *b, struct span header_page, struct span header_event,
		       const struct tracing_event *events, size_t nr) _nonnull_(1, 4);

#endif
