/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes paths of calls for flame graphs, a line each, as flamegraph.pl and others read them: "task;caller;callee NS", with
 * the time in the last function itself. The kernel's functions end with "_[k]"; what was not traced is
 * a function "[not traced]".
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_EXPORT_FOLDED_H
#define AUXBPF_EXPORT_FOLDED_H

#include <stdio.h>

#include "export/exported.h"

/* Writes the paths of all tasks. The time of calls that are too deep is that of their callers. Returns 0 or -ENOMEM. */
int folded__write(FILE *to, struct exported *exported) _must_check_ _nonnull_(1, 2);

/*
 * Counts the paths of a tree, whose is_gate marks need not hold, into @paths, which is initialised. Returns 0 or a negative
 * errno.
 */
int folded__count(const struct call_tree *tree, struct task_paths *paths) _must_check_ _nonnull_(1, 2);

#endif
