/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A snapshot: what the CPUs' buffers held at one moment, made into a file that decodes on its own.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_H

#include "capture/capture_events.h"
#include "capture/capture_file.h"
#include "capture/capture_opts.h"
#include "perfdata/aux_piece.h"
#include "trace/cpu_trace.h"

/* The data of one CPU. The memory that the spans show belongs to the owner of the snapshot. */
struct snapshot_cpu {
	struct aux_piece aux; /* of the AUX buffer; without data if there is no trace */
	struct capture_event_ids ids;
	struct span records; /* of the sideband */
	struct span samples; /* oldest first */
	uint64_t sampled;    /* position behind the last sample in all its samples */
	uint64_t late;	     /* ns from the trigger's freeze to the reading */
};

struct snapshot {
	struct snapshot_cpu *cpus;
	size_t nr;
	size_t nr_all;	    /* the traced CPUs, then those with sideband only */
	struct span tasks;  /* records of tasks that lived before the sideband begins */
	struct span kernel; /* older records about the kernel's code; may be empty */
	struct tsc_conv tsc;
	struct capture_windows windows; /* what it shows belongs to struct kept_windows */
};

/*
 * Notes the state of the machine for the files. To be called when the sideband runs and the gate's programs
 * are loaded, but before they are armed. @path is the file; with a @dirfd that is not AT_FDCWD it is any name
 * in that directory of the files. The @nr @targets are processes that are targets already: their mappings are
 * read first. For a recorder without a command the kernel's code is copied while it runs: see
 * capture_file__settle(). Logs; 0 or a negative errno.
 */
int snapshot__prepare(const struct capture_opts *opts, int dirfd, const char *path, const int *targets,
		      size_t nr, struct capture_file **ret) _must_check_ _nonnull_(1, 3, 4, 6);

/* Returns how many bytes of trace and samples the CPU has. */
uint64_t snapshot_cpu__bytes(const struct snapshot_cpu *cpu) _nonnull_(1);

/* Makes an entry for each CPU of @traces, without data. 0 or -ENOMEM; call snapshot__release() in any case. */
int snapshot__new(const struct cpu_traces *traces, struct snapshot *ret) _must_check_ _nonnull_(1, 2);
void snapshot__release(struct snapshot *s) _nonnull_(1);

/*
 * Writes the file, as @name in the directory of the files, or as the path that was prepared if @name is NULL.
 * @aux_bytes gets the bytes of trace in it. Logs; 0 or a negative errno.
 */
int snapshot__write(const struct capture_opts *opts, struct capture_file *file, const char *name,
		    const struct snapshot *s, uint64_t *aux_bytes) _must_check_ _nonnull_(1, 2, 4, 5);

#endif
