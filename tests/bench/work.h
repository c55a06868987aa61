/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is timed: short loops of processes that all run on one CPU, before everything else that wants it
 * (SCHED_FIFO), so that other load on the machine shows little.
 */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/cleanup.h"

enum work {
	WORK_MISS,   /* a system call that nobody listens for: getppid() of a task that is no target */
	WORK_OTHER,  /* the one that is listened for, of a task that is no target: uname() */
	WORK_TARGET, /* the target's */
	WORK_SWITCH, /* one context switch, sched_yield() and all, between two tasks that are no targets by
			pid */
	WORK_MOVE,   /* the same between the target and another task */
	WORK_NR,
};

#define WORK_BIT(work) (1u << (work))

enum worker {
	WORKER_TARGET, /* called "bench-target" */
	WORKER_OTHER,
	WORKER_PARTNER, /* OTHER's, in context switches */
	WORKER_NR,
};

struct workers;

/* Starts the processes, on the last CPU that is online. Says what is wrong; 0 or a negative errno. */
int workers__new(struct workers **ret) _must_check_ _nonnull_(1);
void workers__free(struct workers *workers);

DEFINE_CLEANUP(workers, struct workers *, workers__free)

int workers__cpu(const struct workers *workers) _nonnull_(1);
pid_t workers__pid(const struct workers *workers, enum worker who) _nonnull_(1);

/*
 * The cost of one @work: nanoseconds, or instructions if work__counts(). The least of several runs. Negative
 * if it could not be done as meant, which is said.
 */
double workers__measure(struct workers *workers, enum work work) _nonnull_(1);

/* Whether instructions are counted: in the lab with tests/bench/count.c. */
bool work__counts(void);

#endif
