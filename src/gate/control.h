/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ways in which BPF moves the gate (enum auxbpf_control): their names, which of them work on this
 * machine, and the siblings that some of them put into the group of each CPU's AUX event.
 *
 * Order of use: control__choose() once, before anything is opened; then, for every AUX event while it is
 * disabled, control__open_siblings(). An AUX event of a way that control__pauses_event() is opened with
 * PERF_AUX_ACTION_START_PAUSED, one of the others without.
 */
#ifndef AUXBPF_GATE_CONTROL_H
#define AUXBPF_GATE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "trace/trace_pmu.h"

/* Size of the buffer in which control__probe() gives the reason. */
#define CONTROL_REASON_SIZE 256

/* The name of a way: "kfunc", "tracepoint", "breakpoint" or "ioctl". */
const char *control__name(enum auxbpf_control way);

/* Finds the way of that name. -EINVAL if there is none. */
int control__parse(const char *name, enum auxbpf_control *ret) _must_check_ _nonnull_(1, 2);

/* The names of all ways, best first, separated by commas. */
const char *control__names(void);

/* Whether the AUX event starts paused, and BPF pauses and resumes it. If not, user space enables it. */
bool control__pauses_event(enum auxbpf_control way);

/*
 * Tests whether @way works for @event on @cpus: opens the event with its siblings and closes them again, and
 * enables nothing. One CPU where the PMU is free is enough, but debug registers are looked at on all CPUs. If
 * @event is NULL, as on a machine without trace PMU, all but the event is tested. @root is that of sysfs and
 * tracefs.
 *
 * 0; -EBUSY if somebody else holds the PMU on all the CPUs, which says nothing about the way; another
 * negative errno if it does not work. An error leaves the reason in words in @reason, CONTROL_REASON_SIZE
 * bytes, without full stop. Logs nothing.
 */
int control__probe(const char *root, enum auxbpf_control way, const struct trace_event *event,
		   const int *cpus, size_t nr_cpus, char *reason) _must_check_ _nonnull_(1, 4, 6);

/*
 * Sets @way to the best way that works for @event on @cpus. If @way comes with one (not AUXBPF_CONTROL_NR),
 * tests only that one. Logs what is wrong. 0; -EBUSY if others hold the PMU on each of the CPUs; -EOPNOTSUPP
 * if no way works.
 */
int control__choose(const char *root, const struct trace_event *event, const int *cpus, size_t nr_cpus,
		    enum auxbpf_control *way) _must_check_ _nonnull_(1, 2, 3, 5);

/* The way, and what its siblings listen to. */
struct control_opts {
	const char *root; /* of tracefs, "" for the real one */
	enum auxbpf_control way;
	/* AUXBPF_CONTROL_TRACEPOINT: the strings with which the programs call bpf_trace_printk(). */
	const char *open_string;
	const char *close_string;
	/*
	 * AUXBPF_CONTROL_BREAKPOINT: addresses in the kernel of two variables of the programs, 8 bytes each
	 * and aligned. A store to one of them moves the gate, whatever its value.
	 */
	uint64_t open_address;
	uint64_t close_address;
};

/*
 * Opens the siblings of the AUX event @aux_fd of @cpu: fds[0] resumes it, fds[1] pauses it; both are -1 for
 * the ways that have none. They are the caller's to close, and are enabled with the group. Logs; 0 or a
 * negative errno, and then both are -1: -ENOSPC if the CPU's debug registers are taken.
 */
int control__open_siblings(const struct control_opts *opts, int cpu, int aux_fd, int fds[2]) _must_check_
	_nonnull_(1, 4);

#endif
