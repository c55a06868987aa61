/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctl way of moving the gate: the BPF programs wake a thread, which enables and disables the AUX events
 * as they want it. It is for kernels and trace PMUs that cannot pause an AUX event. The gate moves later than
 * its cause, by the time that it takes to wake a thread and to reach the other CPU: the begin of a window is
 * missing from the trace, and what ran on the CPU after the window is in it.
 */
#ifndef AUXBPF_GATE_GATE_THREAD_H
#define AUXBPF_GATE_GATE_THREAD_H

#include "auxbpf_shared.h"
#include "base/cleanup.h"

struct gate_thread;

/*
 * Starts the thread, with real-time priority where that is permitted. @map_fd is the ring buffer that wakes
 * it, @cpus the programs' array, which must live longer. Logs; 0 or a negative errno.
 */
int gate_thread__new(int map_fd, const struct auxbpf_cpu *cpus, int nr_cpus,
		     struct gate_thread **ret) _must_check_ _nonnull_(2, 4);

/* The thread's id, which the programs must know. */
int gate_thread__tid(const struct gate_thread *thread) _nonnull_(1);

/* Gives the thread the AUX event @fd of @cpu, which is disabled. The descriptor stays the caller's. */
void gate_thread__add_cpu(struct gate_thread *thread, int cpu, int fd) _nonnull_(1);

/* From here on, until gate_thread__let_go(), nobody but the caller enables or disables the event of @cpu. */
void gate_thread__hold(struct gate_thread *t, int cpu) _nonnull_(1);

/*
 * Gives the event back to the thread; the caller has left it disabled. It is enabled if its gate is to be
 * open by now.
 */
void gate_thread__let_go(struct gate_thread *t, int cpu) _nonnull_(1);

/* Ends the thread; the events stay as they are. */
void gate_thread__free(struct gate_thread *thread);

DEFINE_CLEANUP(gate_thread, struct gate_thread *, gate_thread__free)

#endif
