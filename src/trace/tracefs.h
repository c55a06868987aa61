/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Uses tracefs for ids of tracepoints, and for the switch of bpf_trace_printk in the global ftrace buffer,
 * which is left as it was found.
 */
#ifndef AUXBPF_TRACE_TRACEFS_H
#define AUXBPF_TRACE_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/nearest.h"
#include "rules/tracepoint_name.h"

/* Tells whether tracefs can be reached under @root, by its own mount point or debugfs. */
bool tracefs__is_mounted(const char *root) _must_check_ _nonnull_(1);

/* Tells whether tracefs is there, but not for this process: only root may read it unless it is mounted
 * otherwise. */
bool tracefs__is_forbidden(const char *root) _must_check_ _nonnull_(1);

/* Opens a file of tracefs, "available_filter_functions", for reading. Returns the descriptor or a negative
 * errno. */
int tracefs__open(const char *root, const char *name) _must_check_ _nonnull_(1, 2);

/* Reads the id of a tracepoint, "bpf_trace/bpf_trace_printk". Negative errno: -ENOENT if tracefs is not
 * mounted. */
int tracefs__tracepoint_id(const char *root, const char *tracepoint, uint64_t *ret) _must_check_
	_nonnull_(1, 2, 3);

/*
 * Appends the format of a tracepoint, as rules/tracepoint_format.h reads it. 0 or a negative errno: -ENODEV if
 * tracefs is not mounted, -ENOENT if there is no such tracepoint.
 */
int tracefs__read_format(const char *root, const char *category, const char *event,
			 struct buf *ret) _must_check_ _nonnull_(1, 2, 3, 4);

/*
 * Calls @visit for each tracepoint, in no order, until it returns something other than 0, which is returned.
 * -ENODEV if tracefs is not mounted.
 */
int tracefs__each_tracepoint(const char *root,
			     int (*visit)(void *ctx, const char *category, const char *event),
			     void *ctx) _must_check_ _nonnull_(1, 2);

/* Offers all tracepoints, as CATEGORY:EVENT, for a wrong name. */
void tracefs__offer_tracepoints(const char *root, const char *wanted, struct nearest *near)
	_nonnull_(1, 2, 3);

/* The tracepoints of the machine whose root is @root, which must live as long. */
struct tracepoint_source tracefs__source(const char *root) _must_check_ _nonnull_(1);

/* Tell whether others need the event: those that have come since begin(). The guard, a copy of this process,
 * asks. */
struct tracefs_printk_users {
	void (*begin)(void *users);	      /* NULL: no others are known */
	bool (*are_there)(const void *users); /* NULL: no others are known */
	void *users;
};

/*
 * The switch as it was before programs were loaded. Loading a program that calls bpf_trace_printk() makes the
 * kernel switch that event on in the global ftrace buffer (kernel/trace/bpf_trace.c,
 * bpf_get_trace_printk_proto(): at once, since 6.17 from a work queue). If it was off before, a process of
 * its own, the guard, switches it off again as soon as the loader says so or is no more: a loader that is
 * killed in between leaves nothing behind.
 *
 * There are two exceptions. If somebody else has written to the switch meanwhile, what he wants cannot be
 * told from what the kernel did, so the event stays as it is. If another tool has loaded such a program, the
 * event stays on, because the kernel would have switched it on for that, too.
 */
struct tracefs_printk {
	const char *root;
	struct tracefs_printk_users users;
	bool was_off;	/* there is something to put back */
	int guard_pipe; /* the guard waits until nobody has this open */
	pid_t guard;
};

/*
 * Remembers the setting and starts the guard; to be called before the first such program is loaded. Waits
 * while another auxbpf does this, whose setting would be taken for the user's. What @users points to must
 * live as long as @saved.
 */
void tracefs__save_printk(const char *root, const struct tracefs_printk_users *users,
			  struct tracefs_printk *saved) _nonnull_(1, 2, 3);

/* To be called when the last such program is loaded: the guard begins to put the setting back while the
 * caller goes on. */
void tracefs__release_printk(struct tracefs_printk *saved) _nonnull_(1);

/*
 * Has the setting put back, and waits until it stays as it was: a tenth of a second from the last load, or
 * from tracefs__release_printk(), on. Once is enough.
 */
void tracefs__restore_printk(struct tracefs_printk *saved) _nonnull_(1);

#endif
