/* SPDX-License-Identifier: GPL-2.0-only */
/* The windows that the user asked for: the times in which a target's execution is traced. */
#ifndef AUXBPF_RULES_WINDOW_SET_H
#define AUXBPF_RULES_WINDOW_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "rules/syscall_set.h"

struct window_set {
	bool on_cpu; /* a window is open whenever a target runs */
	bool has_syscalls;
	struct syscall_set syscalls;
	const char **functions; /* as given with --on-function */
	size_t nr_functions;
};

/* Tells whether there are any windows. */
bool window_set__is_any(const struct window_set *set) _nonnull_(1);

/* Tells whether all windows are in the kernel. The name of a function has a ':' if it is not the kernel's. */
bool window_set__in_kernel(const struct window_set *set) _nonnull_(1);

#endif
