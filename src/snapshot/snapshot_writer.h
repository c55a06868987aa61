/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The thread that makes files of snapshots while the trace runs on, and the jobs that it gets, one for each
 * copy buffer.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_WRITER_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_WRITER_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "snapshot/snapshot_job.h"

struct rings;
struct snapshot_writer;

struct snapshot_writer_opts {
	const struct capture_opts *capture;
	struct capture_file *file;
	const struct cpu_traces *traces;
	unsigned int spares;
	uint64_t lookback; /* ns; 0: all */
	struct rings *rings;
	struct kept_windows *windows; /* NULL if none are kept */
	/*
	 * Called by any thread, but one at a time, when a job was taken for the rule @rule or, with @by -1,
	 * is free again, and once at the start with @by 0. @nr_free jobs are left.
	 */
	void (*room)(void *ctx, uint32_t rule, int by, unsigned int nr_free);
	/*
	 * Called by the writer's thread. The first tells whether to look at the disk every second, the second
	 * looks.
	 */
	bool (*is_full)(void *ctx);
	void (*look)(void *ctx);
	/*
	 * Called by the writer's thread before a job is written. Returns 0, or what @written gets as @err if
	 * the job is not to be written.
	 */
	int (*make_room)(void *ctx, const struct snapshot_job *job);
	/*
	 * Called by the writer's thread for each job when it is a file, or, with @err, when it will be none.
	 */
	void (*written)(void *ctx, const struct snapshot_job *job, uint64_t aux_bytes, int err);
	void *ctx;
};

/* Sets the memory aside and starts the thread. Logs; 0 or a negative errno. */
int snapshot_writer__new(const struct snapshot_writer_opts *opts, struct snapshot_writer **ret) _must_check_
	_nonnull_(1, 2);

/* Waits until there is a free job. */
void snapshot_writer__wait(struct snapshot_writer *w) _nonnull_(1);

/*
 * Takes a free job for the rule @rule, or NULL if all are in use; give it back with put(), which has it
 * written, or drop().
 */
struct snapshot_job *snapshot_writer__get(struct snapshot_writer *w, uint32_t rule) _must_check_ _nonnull_(1);
void snapshot_writer__put(struct snapshot_writer *w, struct snapshot_job *job) _nonnull_(1, 2);
void snapshot_writer__drop(struct snapshot_writer *w, struct snapshot_job *job) _nonnull_(1, 2);

/* Writes what is waiting, and ends the thread. */
void snapshot_writer__free(struct snapshot_writer *w);

DEFINE_CLEANUP(snapshot_writer, struct snapshot_writer *, snapshot_writer__free)

#endif
