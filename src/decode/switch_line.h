/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of perf script for records of switches (--show-switch-events).
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_DECODE_SWITCH_LINE_H
#define AUXBPF_DECODE_SWITCH_LINE_H

#include "calls/off_cpu.h"

/*
 * Reads such a line, with nanoseconds (--ns), as in "comm 12 [001] 34.123456789: PERF_RECORD_SWITCH OUT preempt". Returns 0;
 * or -EINVAL for another one, or one of a task that has no number any more.
 */
int switch_line__read(const char *line, struct task_switch *ret) _must_check_ _nonnull_(1, 2);

#endif
