/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate: the BPF programs of bpf/auxbpf.bpf.c and what ties them to the AUX event of every CPU.
 *
 * Order of use: gate__new() loads the programs; gate__add_cpu() for every AUX event, before it is enabled;
 * gate__arm() attaches the programs and makes the given processes targets; gate__disarm() ends all decisions.
 * What the kernel holds for a gate goes with the loader, whatever ends it: nothing is pinned.
 */
#ifndef AUXBPF_KERNEL_GATE_H
#define AUXBPF_KERNEL_GATE_H

#include <stddef.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "pure/syscall_set.h"

struct gate;

struct gate_opts {
	const char *root; /* of sysfs and tracefs, "" for the real one */
	const struct syscall_set *syscalls;
	const int *pids; /* processes whose threads are targets, children included */
	size_t nr_pids;	 /* at most AUXBPF_MAX_PIDS */
	int nr_cpus;	 /* the highest CPU number that may come, plus one */
};

/* Opens and loads. Logs what is wrong; 0 or a negative errno. */
int gate__new(const struct gate_opts *opts, struct gate **ret) _must_check_ _nonnull_(1, 2);

/* Puts the two siblings that move the gate into the group of the AUX event @fd of @cpu. Logs; 0 or a negative
 * errno. */
int gate__add_cpu(struct gate *gate, int cpu, int fd) _must_check_ _nonnull_(1);

/* Attaches, finds the targets, arms. Logs; 0, -ESRCH if none of the processes lives, or another negative
 * errno. */
int gate__arm(struct gate *gate) _must_check_ _nonnull_(1);

/* Detaches. No window is opened any more; the AUX events stay as they are. */
void gate__disarm(struct gate *gate) _nonnull_(1);

/* How many targets live, tasks that were followed included. */
uint64_t gate__live_targets(const struct gate *gate) _nonnull_(1);

/* The counters of @cpu. */
const struct auxbpf_cpu *gate__cpu(const struct gate *gate, int cpu) _nonnull_(1);

void gate__free(struct gate *gate);

DEFINE_CLEANUP(gate, struct gate *, gate__free)

#endif
