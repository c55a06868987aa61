/* SPDX-License-Identifier: GPL-2.0-only */
/* The windows that the user asked for: the times in which a target's execution is traced. */
#ifndef AUXBPF_RULES_WINDOW_SET_H
#define AUXBPF_RULES_WINDOW_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "rules/syscall_set.h"
#include "rules/window_range.h"

struct window_set {
	bool on_cpu; /* a window is open whenever a target runs */
	bool has_syscalls;
	struct syscall_set syscalls;
	const char **functions; /* as given with --on-function */
	size_t nr_functions;
	struct window_range *ranges;
	size_t nr_ranges;
};

/*
 * Adds the range that @text names (rules/window_range.h). 0, -ENOMEM, or -EINVAL with a @message
 * (RULE_MESSAGE_SIZE is enough).
 */
int window_set__add_range(struct window_set *set, const char *text, const struct tracepoint_source *source,
			  char *message, size_t size) _must_check_ _nonnull_(1, 2, 3, 4);

/* Tells whether there are any windows. */
bool window_set__is_any(const struct window_set *set) _nonnull_(1);

/* Tells whether calls open windows, of the system or of functions. */
bool window_set__has_calls(const struct window_set *set) _nonnull_(1);

/*
 * Tells whether all windows are in the kernel. The name of a function has a ':' if it is not the kernel's. On its
 * way from one tracepoint to another a task may leave the kernel.
 */
bool window_set__in_kernel(const struct window_set *set) _nonnull_(1);

/* Frees the lists of functions and ranges. */
void window_set__release(struct window_set *set) _nonnull_(1);

#endif
