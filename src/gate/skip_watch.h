/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sees when the kernel skips a BPF program. While a task is preempted inside a program, the kernel skips that
 * program for every other task of the CPU, and counts that: bpf_prog_inc_misses_counter(), called from the
 * place where the program would have run (kernel/trace/bpf_trace.c, __bpf_trace_run()). ftrace keeps away
 * from that function (notrace). But a breakpoint in a debug register can be set on it
 * (arch/x86/kernel/hw_breakpoint.c), and costs nothing until it is hit. All programs are counted there, so a
 * session needs one breakpoint on each CPU.
 */
#ifndef AUXBPF_GATE_SKIP_WATCH_H
#define AUXBPF_GATE_SKIP_WATCH_H

#include <bpf/libbpf.h>
#include <stdint.h>

#include "base/cleanup.h"

struct skip_watch;

/*
 * Sets breakpoints, which see nothing yet, on all CPUs that are online. @address is that of the function, 0
 * if the kernel does not tell; @nr_cpus is the highest CPU number plus one. 0 or a negative errno, logged as
 * a debug message: -ENOENT without an address, -ENOSPC if a CPU has no free debug register.
 */
int skip_watch__new(uint64_t address, int nr_cpus, struct skip_watch **ret) _must_check_ _nonnull_(3);

/*
 * From here on @prog, loaded and of the type perf_event, runs in the breakpoint's exception. Call it once.
 * Logs; 0 or a negative errno.
 */
int skip_watch__attach(struct skip_watch *watch, const struct bpf_program *prog) _must_check_ _nonnull_(1, 2);

/* Returns how often the kernel has skipped @prog, for all tasks, targets or not. 0 if it is not loaded. */
uint64_t skip_watch__count(const struct bpf_program *prog) _nonnull_(1);

/*
 * Says how many @events are lost, if any: those at which @prog was skipped and no other program stood in for
 * it. @stood_in is how often one did. It does not while BPF is kept from perf's events on the CPU
 * (kernel/events/core.c, bpf_overflow_handler()).
 */
void skip_watch__log_losses(const struct bpf_program *prog, uint64_t stood_in, const char *events)
	_nonnull_(1, 3);

void skip_watch__free(struct skip_watch *watch);

DEFINE_CLEANUP(skip_watch, struct skip_watch *, skip_watch__free)

#endif
