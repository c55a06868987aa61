/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine code of the seccomp filters of all tasks. The system calls of a task that has filters run
 * through them (kernel/seccomp.c, seccomp_run_filters()), but the kernel has no list of filters and tells
 * nobody when one comes or goes.
 */
#ifndef AUXBPF_CAPTURE_KERNEL_CODE_SECCOMP_FILTERS_H
#define AUXBPF_CAPTURE_KERNEL_CODE_SECCOMP_FILTERS_H

#include <stdbool.h>

#include "auxbpf_shared.h"
#include "base/buf.h"
#include "base/cleanup.h"

struct seccomp_filters;

/* Loads the BPF programs that look for filters. Logs nothing; 0 or a negative errno. */
int seccomp_filters__new(struct seccomp_filters **ret) _must_check_ _nonnull_(1);
void seccomp_filters__free(struct seccomp_filters *filters);

DEFINE_CLEANUP(seccomp_filters, struct seccomp_filters *, seccomp_filters__free)

/* Whether there are new filters to take. Cheap. */
bool seccomp_filters__has_new(const struct seccomp_filters *filters) _nonnull_(1);

/*
 * Shows @fn each filter that a task has got since the last call, with its code, though the task may be gone
 * by now. Finds none where programs cannot be attached to the kernel's functions.
 */
void seccomp_filters__take(struct seccomp_filters *filters,
			   void (*fn)(void *ctx, const struct auxbpf_filter *filter, struct span code),
			   void *ctx) _nonnull_(1, 2);

/*
 * Appends a struct auxbpf_filter for each filter that a task has now, up to 16,384; tasks may have the same.
 * 0 or a negative errno.
 */
int seccomp_filters__list(const struct seccomp_filters *filters, struct buf *ret) _must_check_
	_nonnull_(1, 2);

/*
 * Reads the code of a filter, which is valid until the next call. 0, or a negative errno, for example if the
 * filter is gone.
 */
int seccomp_filters__read(struct seccomp_filters *filters, const struct auxbpf_filter *filter,
			  struct span *ret) _must_check_ _nonnull_(1, 2, 3);

#endif
