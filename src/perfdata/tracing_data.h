/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a reader of samples of tracepoints has to know of them: the section of perf.data that perf's
 * util/trace-event-read.c reads (trace_report()). All that is in it are files of tracefs.
 */
#ifndef AUXBPF_PERFDATA_TRACING_DATA_H
#define AUXBPF_PERFDATA_TRACING_DATA_H

#include "base/buf.h"

/* A tracepoint. */
struct tracing_event {
	const char *category;
	struct span format; /* its file "format" */
};

/* Appends the section for @nr @events, each one once. @header_page and @header_event are files of events/. */
void tracing_data__add(struct buf *b, struct span header_page, struct span header_event,
		       const struct tracing_event *events, size_t nr) _nonnull_(1, 4);

#endif
