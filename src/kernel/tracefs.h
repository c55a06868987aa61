/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What auxbpf needs of tracefs: ids of tracepoints, and the switch of bpf_trace_printk in the global ftrace
 * buffer, which is left as it was found.
 */
#ifndef AUXBPF_KERNEL_TRACEFS_H
#define AUXBPF_KERNEL_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

/* Whether tracefs can be reached under @root, by its own mount point or debugfs. */
bool tracefs__is_mounted(const char *root) _must_check_ _nonnull_(1);

/* The id of a tracepoint, "bpf_trace/bpf_trace_printk". Negative errno: -ENOENT if tracefs is not mounted. */
int tracefs__tracepoint_id(const char *root, const char *tracepoint, uint64_t *ret) _must_check_
	_nonnull_(1, 2, 3);

/*
 * Loading a program that calls bpf_trace_printk() makes the kernel switch that event on in the global ftrace
 * buffer (kernel/trace/bpf_trace.c, __set_printk_clr_event(): at once, since 6.17 from a work queue). If it
 * was off before, tracefs__restore_printk() waits until that has happened and switches it off again.
 */
struct tracefs_printk {
	const char *root;
	bool was_on;
};

/* Remembers the setting: to be called before the first such program is loaded. */
void tracefs__save_printk(const char *root, struct tracefs_printk *saved) _nonnull_(1, 2);
void tracefs__restore_printk(const struct tracefs_printk *saved) _nonnull_(1);

#endif
