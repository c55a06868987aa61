/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the data file of a capture, from what was noted at its start and what the session collected. It is a
 * part of capture_file.
 */
#ifndef AUXBPF_CAPTURE_CAPTURE_WRITER_H
#define AUXBPF_CAPTURE_CAPTURE_WRITER_H

#include "capture/capture_desc.h"
#include "capture/kernel_code/bpf_programs.h"
#include "capture/programs/uprobe_page.h"
#include "capture/records/cgroup_records.h"
#include "capture/records/host_info.h"
#include "files/build_ids.h"
#include "trace/trace_source.h"

struct capture_baseline {
	const char *root;
	const char *exe;
	const char *version;
	char *const *cmdline;
	uint64_t sample_type;
	int compression;    /* level for the sideband, 0: none */
	uint64_t start;	    /* perf time of the baseline, 0: unknown */
	struct span kernel; /* records */
	struct span tasks;
	struct cgroup_records *cgroups; /* may be NULL */
	struct host_info *host;
	struct trace_source_dir *pmu;
	const struct build_id_set *kernel_ids;
	struct build_id_set *ids; /* gets the build ids of what is mapped, and which of it is used */
	const struct bpf_programs *programs;
	bool program_code;	     /* the file has their code and types, too */
	struct uprobe_page *uprobes; /* NULL for traces without user mode */
};

struct capture_writer;

/*
 * Begins the file @fd, which is empty: writes what comes before the sideband. @base is copied; what it and
 * the events of @desc point to is not. 0 or a negative errno.
 */
int capture_writer__new(const struct capture_baseline *base, const struct capture_desc *desc, int fd,
			struct capture_writer **ret) _must_check_ _nonnull_(1, 2, 4);

/*
 * Writes what came in each of the rings since the last call. Nothing that comes later may be older than what
 * was written by the call before the last one. Called by one thread. 0 or a negative errno.
 */
int capture_writer__add_sideband(struct capture_writer *w, const struct capture_sideband *sideband,
				 unsigned int nr) _must_check_ _nonnull_(1);

/* Writes AUX data straight from where it is; it may be empty. Called by any thread. 0 or a negative errno. */
int capture_writer__add_aux(struct capture_writer *w, const struct aux_piece *piece) _must_check_
	_nonnull_(1, 2);

/* Writes the rest, the header last. Sets @aux_bytes to the bytes of AUX data. 0 or a negative errno. */
int capture_writer__finish(struct capture_writer *w, uint64_t *aux_bytes) _must_check_ _nonnull_(1, 2);

/* Counts gaps for capture_file__gaps(). */
uint64_t capture_writer__gaps(const struct capture_writer *w) _nonnull_(1);

void capture_writer__free(struct capture_writer *w);

DEFINE_CLEANUP(capture_writer, struct capture_writer *, capture_writer__free)

#endif
