/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A snapshot between the moment when it is taken and that when it is a file: the recorder fills it, the
 * writer writes it and empties it for the next one.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_JOB_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "auxbpf_trigger.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "sideband/sideband_log.h"
#include "snapshot/snapshot.h"

/* Enough for every name of a snapshot. */
#define SNAPSHOT_NAME_SIZE 64

/* What is told of one CPU besides what is in the file. */
struct snapshot_gap {
	uint64_t blind;	      /* ns that its trace was off for this snapshot */
	uint64_t read;	      /* when it was read, of perf's clock, 0: unknown */
	uint64_t nr_samples;  /* that are in the file ... */
	uint64_t lost;	      /* ... and that the kernel had no room for, while it was read before */
	uint64_t overwritten; /* bytes of trace that the unit took back before they were copied */
	uint64_t begin, end;  /* which bytes of all that the CPU has traced are in the file */
	uint64_t covered;     /* ns from the first moment that decodes to the reading; 0: nothing does */
};

struct snapshot_job {
	struct auxbpf_fired fired;
	struct timespec time; /* of the trigger, CLOCK_REALTIME */
	struct snapshot snapshot;
	struct snapshot_gap *gaps;   /* one a CPU */
	struct buf *lead_ins;	     /* one a CPU: of the snapshot's data, what was not copied */
	struct buf *samples;	     /* one a CPU: what the snapshot's samples show, once they are in order */
	struct buf sideband;	     /* what the snapshot's tasks and records show */
	struct clock_pair clocks[2]; /* when the recording began, and when the samples were taken */
	uint64_t *moves;	     /* of each CPU's gate, AUXBPF_GATE_MOVES; NULL: they are not asked for */
	uint8_t *mem; /* what the snapshot's data shows: room for the buffers of all CPUs, or NULL */
	size_t mem_size;
	uint64_t since;	    /* of perf's clock: of older trace it is not known whose it is */
	uint64_t missed;    /* triggers that were missed since the snapshot before */
	uint64_t no_memory; /* gate__no_memory(), since then */
	uint64_t nr_gaps;   /* in the trace of the file: capture_file__gaps() */
	bool untimed;	    /* when the trace was written is not known */
	bool header_only;   /* it stands for a run without a snapshot */
	char name[SNAPSHOT_NAME_SIZE];
	struct snapshot_job *next; /* in a list of the writer's */
};

/*
 * One that shows nothing yet; @nr and @nr_all as in struct snapshot, @moves: also for moves of gates. 0 or
 * -ENOMEM.
 */
int snapshot_job__new(const struct cpu_trace *cpus, size_t nr, size_t nr_all, bool moves,
		      struct snapshot_job **ret) _must_check_ _nonnull_(1, 5);

/* Sets memory of its own aside, for copies of what the buffers hold. Logs; 0 or -ENOMEM. */
int snapshot_job__map(struct snapshot_job *job) _must_check_ _nonnull_(1);

/*
 * Has the kernel give it all of its memory, so that taking a snapshot waits for none: the first write to each
 * page would otherwise be part of the time without trace. By any thread, also while the job is in use.
 */
void snapshot_job__populate(struct snapshot_job *job) _nonnull_(1);

void snapshot_job__free(struct snapshot_job *job);

DEFINE_CLEANUP(snapshot_job, struct snapshot_job *, snapshot_job__free)

/* Empties it; the memory stays. */
void snapshot_job__reset(struct snapshot_job *job) _nonnull_(1);

/* The time, of perf's clock, of the first moment that decodes, and that of the last: 0 and UINT64_MAX if that
 * is not known. */
uint64_t snapshot_job__begin(const struct snapshot_job *job) _nonnull_(1);
uint64_t snapshot_job__end(const struct snapshot_job *job) _nonnull_(1);

/* Gives it the sideband of @log, an entry of which is a CPU. 0 or -ENOMEM. */
int snapshot_job__set_sideband(struct snapshot_job *job, const struct sideband_log *log) _must_check_
	_nonnull_(1, 2);

/* How many bytes of its CPUs' trace were overwritten before they were copied. */
uint64_t snapshot_job__overwritten(const struct snapshot_job *job) _nonnull_(1);

/* How many bytes of trace and sideband it has. */
uint64_t snapshot_job__payload(const struct snapshot_job *job) _nonnull_(1);

#endif
