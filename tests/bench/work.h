/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The work that is timed: short loops in processes that all run on one CPU, before everything else that wants
 * it (SCHED_FIFO), so that other load on the machine has little effect.
 */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/cleanup.h"

enum work {
	WORK_MISS,   /* a system call that nobody listens for: getppid() of a task that is no target */
	WORK_OTHER,  /* uname(), the listened-for system call, of a task that is no target */
	WORK_TARGET, /* uname() of the target */
	WORK_SWITCH, /* a context switch, with sched_yield(), between two tasks that -p does not name */
	WORK_MOVE,   /* a context switch between the target and another task */
	WORK_NR,
};

#define WORK_BIT(work) (1u << (work))

enum worker {
	WORKER_TARGET, /* called "bench-target" */
	WORKER_OTHER,
	WORKER_PARTNER, /* the other side of WORKER_OTHER's context switches */
	WORKER_NR,
};

struct workers;

/* Starts the processes, on the last CPU that is online. 0 or a negative errno. */
int workers__new(struct workers **ret) _must_check_ _nonnull_(1);
void workers__free(struct workers *workers);

DEFINE_CLEANUP(workers, struct workers *, workers__free)

int workers__cpu(const struct workers *workers) _nonnull_(1);
pid_t workers__pid(const struct workers *workers, enum worker who) _nonnull_(1);

/*
 * Returns the cost of one @work, in ns or, if work__counts(), in instructions: the least of several runs.
 * Negative if the work could not be done as meant, which is logged.
 */
double workers__measure(struct workers *workers, enum work work) _nonnull_(1);

/* Tells whether instructions are counted: they are in the lab with tests/bench/count.c. */
bool work__counts(void);

#endif
