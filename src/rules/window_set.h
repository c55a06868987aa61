/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Windows, as the user asked for them: when a target's execution counts.
 */
#ifndef AUXBPF_RULES_WINDOW_SET_H
#define AUXBPF_RULES_WINDOW_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "rules/syscall_set.h"

struct window_set {
	bool on_cpu; /* whenever it runs */
	bool has_syscalls;
	struct syscall_set syscalls;
	const char **functions; /* as given with --on-function */
	size_t nr_functions;
};

/* Whether there are windows. */
bool window_set__is_any(const struct window_set *set) _nonnull_(1);

/* Whether all windows lie in the kernel. A function's name has a ':' if it is one of a program. */
bool window_set__in_kernel(const struct window_set *set) _nonnull_(1);

#endif
