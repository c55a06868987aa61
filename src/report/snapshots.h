/* SPDX-License-Identifier: GPL-2.0-only */
/* The snapshots in a directory, from its index.ndjson, which auxbpf.8 documents. */
#ifndef AUXBPF_REPORT_SNAPSHOTS_H
#define AUXBPF_REPORT_SNAPSHOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* How long before the trigger a CPU's trace begins, and how long behind it the CPU was without trace, ns. */
struct snapshot_cpu_time {
	int32_t cpu;
	uint64_t covered, blind;
};

/* All text is printable. */
struct snapshot_line {
	char *name; /* of the file */
	char *rule;
	char *time;  /* in UTC, as in the index */
	char *comm;  /* of the task at which the rule fired; NULL: it fired at none */
	char *boot;  /* the number of the boot whose clock its time stamps have; NULL: not told */
	char *event; /* a system call, function, signal or interrupt, with its result; NULL: none of these */
	char *json;  /* the line itself */
	int32_t pid, tid, cpu;
	bool has_duration;
	uint64_t duration; /* latency, or time off or waiting for a CPU, ns */
	uint64_t bytes;
	uint64_t blind;	  /* ns that CPUs were without trace for it */
	uint64_t missed;  /* triggers of all rules, since the snapshot before */
	uint64_t trigger; /* when it fired, as a time stamp of the capture, ns; 0: not told */
	struct snapshot_cpu_time *cpus;
	size_t nr_cpus;
};

/* Zero-initialised is empty and valid. */
struct snapshots {
	struct buf lines;  /* struct snapshot_line, in the order of the index */
	size_t nr_removed; /* those that had to make room */
};

static inline size_t snapshots__nr(const struct snapshots *snapshots)
{
	return snapshots->lines.len / sizeof(struct snapshot_line);
}

static inline const struct snapshot_line *snapshots__at(const struct snapshots *snapshots, size_t i)
{
	return (const struct snapshot_line *)(const void *)snapshots->lines.data + i;
}

/*
 * Reads those of @rule, a text or a pattern as of fnmatch(3), or all for NULL. A line that was cut, as a power cut leaves
 * it, is told and left out. Returns 0; -ENOENT, without a message, if @dir has no index; or another negative errno, which
 * is logged.
 */
int snapshots__read(struct snapshots *snapshots, const char *dir, const char *rule) _must_check_
	_nonnull_(1, 2);
void snapshots__release(struct snapshots *snapshots) _nonnull_(1);

/*
 * Reads the line of the snapshot @path from the index beside it. Returns it, which lives as long as @snapshots, or NULL if there is
 * no such index, or no such line in it. 0 or a negative errno, which is logged.
 */
int snapshots__read_one(struct snapshots *snapshots, const char *path,
			const struct snapshot_line **ret) _must_check_ _nonnull_(1, 2, 3);

#endif
