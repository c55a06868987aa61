/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A snapshot: what the CPUs' buffers held at one moment, made into a file that decodes on its own.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_H

#include <stdbool.h>

#include "capture/capture_file.h"
#include "trace/cpu_trace.h"
#include "capture/capture_opts.h"

/* Of one CPU. What the spans show is the owner's of the snapshot. */
struct snapshot_cpu {
	int cpu;
	uint64_t aux_id, sideband_id;
	const uint64_t *sample_ids; /* of the regular events */
	struct span records;	    /* of the sideband */
	struct span samples;	    /* oldest first */
	struct span data[2];	    /* of the AUX buffer, oldest first; may be empty */
	uint64_t offset;	    /* of the first byte in all that this CPU has traced */
	uint64_t sampled;	    /* likewise of samples, behind the last one */
	uint64_t reference;	    /* of the trace's clock, when the data was read */
	uint64_t late;		    /* ns from the trigger's freeze to that */
};

struct snapshot {
	struct snapshot_cpu *cpus;
	size_t nr;
	size_t nr_all; /* with those behind them of which there are ids and records of the sideband alone */
	struct span tasks;  /* records of those that lived before the first of the sideband ... */
	struct span kernel; /* ... and of what became of the kernel's code; empty: since the capture began */
	struct tsc_conv tsc;
	bool paused; /* the events were opened to be paused and resumed */
};

/*
 * Notes the state of the machine for the files: to be called after the sideband runs and the gate's programs
 * are loaded, before they are armed. @path is the file, or, with a @dirfd that is not AT_FDCWD, any name in that
 * directory of the files. The @nr @targets are processes that are targets already: what they have mapped comes
 * first. For a recorder without a command the kernel's code is copied while it runs: capture_file__settle(). Logs;
 * 0 or a negative errno.
 */
int snapshot__prepare(const struct capture_opts *opts, int dirfd, const char *path, const int *targets,
		      size_t nr, struct capture_file **ret) _must_check_ _nonnull_(1, 3, 4, 6);

/* How many bytes of trace and samples it has. */
uint64_t snapshot_cpu__bytes(const struct snapshot_cpu *cpu) _nonnull_(1);

/* An entry for each of @cpus, without data. 0 or -ENOMEM; snapshot__release() in any case. */
int snapshot__new(const struct cpu_trace *cpus, size_t nr, size_t nr_all, struct snapshot *ret) _must_check_
	_nonnull_(1, 4);
void snapshot__release(struct snapshot *s) _nonnull_(1);

/*
 * Writes the file, as @name in the directory of the files, or, with NULL, as the path that was prepared.
 * Returns how many bytes of trace are in it. Logs; 0 or a negative errno.
 */
int snapshot__write(const struct capture_opts *opts, struct capture_file *file, const char *name,
		    const struct snapshot *s, uint64_t *aux_bytes) _must_check_ _nonnull_(1, 2, 4, 5);

#endif
