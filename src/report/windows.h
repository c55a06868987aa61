/* SPDX-License-Identifier: GPL-2.0-only */
/* The windows of a capture, from its windows.ndjson, which auxbpf.8 documents. */
#ifndef AUXBPF_REPORT_WINDOWS_H
#define AUXBPF_REPORT_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "decode/task_filter.h"

struct window {
	size_t number; /* in the order of their begin, from 1 */
	char *name;    /* printable: of the system call or the function; of others the kind */
	char *comm;    /* printable */
	char *result; /* printable: what a system call returned, with the name of an error; NULL: not known */
	int32_t pid, tid, cpu;
	bool is_over;	     /* its end was seen */
	uint64_t begin, end; /* ns, of the capture's clock */
	uint64_t off;	     /* ns off the CPU */
	uint64_t moves;	     /* to another CPU */
	uint64_t args[6];    /* of a system call */
	bool has_args;
};

/* Zero-initialised is empty and valid. */
struct windows {
	struct window *list; /* by their begin */
	size_t nr, cap;
	uint64_t left_out; /* older ones, which were not kept */
};

/*
 * Reads the windows of the capture @capture. Returns 0; -ENOENT, without a message, for a capture that does not tell
 * of its windows; -EBADMSG for a line that is none of such a file, or another negative errno, which are logged.
 */
int windows__read(struct windows *windows, const char *capture) _must_check_ _nonnull_(1, 2);

/*
 * Makes one list of the windows of several captures, which were read one behind the other into @windows: a window of which two tell is
 * in it once, and all are numbered anew.
 */
void windows__unite(struct windows *windows) _nonnull_(1);
void windows__release(struct windows *windows) _nonnull_(1);

/*
 * Lists the windows of a task into @ret, without copies of their strings: the caller frees only ret->list, which is to be
 * gone before @windows. Returns 0, or -ENOMEM.
 */
int windows__of_task(const struct windows *windows, const struct task_filter *task,
		     struct windows *ret) _must_check_ _nonnull_(1, 2, 3);

/* How long a window was that is over, ns. */
static inline uint64_t window__duration(const struct window *w)
{
	return w->end > w->begin ? w->end - w->begin : 0;
}

/*
 * Lists the @max slowest of those that are over, the slowest first, into @ret, an array of so many. Returns how
 * many there are.
 */
size_t windows__slowest(const struct windows *windows, struct window **ret, size_t max) _must_check_
	_nonnull_(1, 2);

/* The begin of a window of a task. */
struct window_begin {
	int32_t tid;
	uint64_t time, end; /* ns; the end is UINT64_MAX for a window that is not over */
	size_t number;	    /* of the window */
};

/*
 * Makes a list of all begins, by task and time, for the caller to free; it has as many as there are windows. NULL if
 * there is no memory.
 */
struct window_begin *windows__begins(const struct windows *windows) _must_check_ _nonnull_(1);

#endif
