/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads what this machine's sysfs and CPU tell of a trace PMU, for the AUXTRACE_INFO record.
 */
#ifndef AUXBPF_TRACE_TRACE_SOURCE_H
#define AUXBPF_TRACE_TRACE_SOURCE_H

#include "base/buf.h"
#include "base/cleanup.h"
#include "perfdata/trace_info.h"

struct trace_source_dir;

/* A value from a file: of the PMU's directory itself, of its format, or of the unit of a CPU. */
struct trace_source_value {
	const char *name; /* a string literal */
	int cpu;	  /* -1: the file is not about a CPU */
	uint64_t (*read)(const struct trace_source_dir *dir, int cpu, const char *name);
	uint64_t value;
};

/* The directory of a PMU, and what was read there. Zero-initialised, nothing was read yet. */
struct trace_source_dir {
	const char *root;
	const char *pmu;
	struct buf known; /* of struct trace_source_value */
};

/* Returns a source that reads the files of @pmu under @root, each once, and keeps the values in @dir, which
 * must be for this PMU only. */
struct trace_source trace_source__of(struct trace_source_dir *dir, const char *root, const char *pmu)
	_nonnull_(1, 2);

void trace_source_dir__release(struct trace_source_dir *dir) _nonnull_(1);

#endif
