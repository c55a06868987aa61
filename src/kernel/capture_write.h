/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data file of a capture, from what was noted at its start and what the session collected; a part of
 * capture_file.
 */
#ifndef AUXBPF_KERNEL_CAPTURE_WRITE_H
#define AUXBPF_KERNEL_CAPTURE_WRITE_H

#include "kernel/bpf_programs.h"
#include "kernel/build_ids.h"
#include "kernel/capture_file.h"
#include "kernel/host_info.h"
#include "kernel/trace_source.h"
#include "kernel/uprobe_page.h"

struct capture_baseline {
	const char *root;
	const char *exe;
	const char *version;
	char *const *cmdline;
	uint64_t sample_type;
	uint64_t start;	    /* perf time of the baseline, 0: unknown */
	struct span kernel; /* records */
	struct span tasks;
	struct host_info *host;
	struct trace_source_dir *pmu;
	const struct build_id_set *kernel_ids;
	struct build_id_set *ids; /* empty: gets those of what is mapped */
	const struct bpf_programs *programs;
	struct uprobe_page *uprobes; /* NULL for traces without user mode */
};

/* Writes everything to @fd, an empty file. Returns the bytes of AUX data in @aux_bytes. 0 or a negative
 * errno. */
int capture_write__data(const struct capture_baseline *baseline, const struct capture_desc *desc, int fd,
			uint64_t *aux_bytes) _must_check_ _nonnull_(1, 2, 4);

#endif
