/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A snapshot from the moment when it is taken until it is a file: the recorder fills it, the writer writes it
 * and empties it for the next one.
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

/* What the index tells of one CPU besides what is in the file. */
struct snapshot_gap {
	uint64_t blind;	      /* ns that its trace was off for this snapshot */
	uint64_t read;	      /* when it was read, in perf's time; 0: unknown */
	uint64_t nr_samples;  /* samples in the file */
	uint64_t lost;	      /* samples that the kernel had no room for during an earlier reading */
	uint64_t overwritten; /* bytes of trace that were overwritten before they were copied */
	uint64_t begin, end;  /* the position of the file's bytes in all that the CPU has traced */
	uint64_t covered;     /* ns from the first moment that decodes to the reading; 0: no moment decodes */
};

struct snapshot_job {
	struct auxbpf_fired fired;
	struct timespec time; /* of the trigger, CLOCK_REALTIME */
	struct snapshot snapshot;
	struct snapshot_gap *gaps; /* one a CPU */
	struct buf *lead_ins;	   /* one a CPU: the part of the snapshot's data before the copied trace */
	struct buf *samples; /* one a CPU: the memory of the snapshot's samples, once they are in order */
	struct buf sideband; /* the memory of the snapshot's tasks and records */
	struct clock_pair clocks[2]; /* at the begin of the recording, and when the samples were taken */
	uint64_t *moves;	     /* AUXBPF_GATE_MOVES of each CPU's gate; NULL: not needed */
	uint8_t *mem; /* the memory of the snapshot's data: room for the buffers of all CPUs, or NULL */
	size_t mem_size;
	uint64_t since;	    /* in perf's time: it is unknown whose older trace is */
	uint64_t missed;    /* triggers that were missed since the last snapshot */
	uint64_t no_memory; /* gate__no_memory() since the last snapshot */
	uint64_t nr_gaps;   /* in the trace of the file: capture_file__gaps() */
	bool untimed;	    /* it is not known when the trace was written */
	bool header_only;   /* it stands for a run without a snapshot */
	char name[SNAPSHOT_NAME_SIZE];
	struct snapshot_job *next; /* in a list of the writer */
};

/* Makes an empty job for the CPUs of @traces; @moves: with room for moves of gates. 0 or -ENOMEM. */
int snapshot_job__new(const struct cpu_traces *traces, bool moves, struct snapshot_job **ret) _must_check_
	_nonnull_(1, 3);

/* Sets memory aside for copies of what the buffers hold. Logs; 0 or -ENOMEM. */
int snapshot_job__map(struct snapshot_job *job) _must_check_ _nonnull_(1);

/*
 * Has the kernel give the job all of its memory: otherwise the first write to each page would be part of the
 * time without trace. May be called by any thread, also while the job is in use.
 */
void snapshot_job__populate(struct snapshot_job *job) _nonnull_(1);

void snapshot_job__free(struct snapshot_job *job);

DEFINE_CLEANUP(snapshot_job, struct snapshot_job *, snapshot_job__free)

/* Empties it; the memory stays. */
void snapshot_job__reset(struct snapshot_job *job) _nonnull_(1);

/* Return the first moment that decodes and the last one, in perf's time; 0 and UINT64_MAX if unknown. */
uint64_t snapshot_job__begin(const struct snapshot_job *job) _nonnull_(1);
uint64_t snapshot_job__end(const struct snapshot_job *job) _nonnull_(1);

/* Copies the sideband of @log, which has one ring per CPU, into the job. 0 or -ENOMEM. */
int snapshot_job__set_sideband(struct snapshot_job *job, const struct sideband_log *log) _must_check_
	_nonnull_(1, 2);

/* Returns how many bytes of the CPUs' trace were overwritten before they were copied. */
uint64_t snapshot_job__overwritten(const struct snapshot_job *job) _nonnull_(1);

/* Returns how many bytes of trace, samples and sideband the job has, and about how many its windows take. */
uint64_t snapshot_job__payload(const struct snapshot_job *job) _nonnull_(1);

#endif
