/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this machine's sysfs and CPU tell of a trace PMU, for the AUXTRACE_INFO record.
 */
#ifndef AUXBPF_KERNEL_TRACE_SOURCE_H
#define AUXBPF_KERNEL_TRACE_SOURCE_H

#include "base/cleanup.h"
#include "pure/trace_info.h"

/* Where to look: the directory of @pmu under @root. */
struct trace_source_dir {
	const char *root;
	const char *pmu;
};

/* A source that reads there; @dir must live as long as it. */
struct trace_source trace_source__of(struct trace_source_dir *dir) _nonnull_(1);

#endif
