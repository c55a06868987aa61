/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Says which tasks there are, where one is asked for that there is not.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_REPORT_TASK_NAMES_H
#define AUXBPF_REPORT_TASK_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct task_name {
	int32_t tid;
	const char *name;
};

/*
 * Writes "sh 12, ls 13 and 5 more" for the @nr tasks of @list, which it sorts by number; a task that is in it twice counts once.
 * It is cut where @text ends, at a whole task.
 */
void task_names__write(struct task_name *list, size_t nr, char *text, size_t size) _nonnull_(1, 3);

#endif
