/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls and returns of one task in their order, as `auxbpf report` shows them or as they ran: a list of marks, one for
 * each call, with the function that was called, and one for each return from such a call.
 */
#ifndef ORACLE_CALL_LIST_H
#define ORACLE_CALL_LIST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cleanup.h"

#define CALL_LIST_USER "user" /* stands for each function of user mode: kallsyms has no name for it */

/*
 * In this function of the kernel one task goes and the other comes. perf and the log draw the line at different places
 * in it, so what it calls is in no list.
 */
#define CALL_LIST_SWITCH "__switch_to"

struct call_mark {
	char *function; /* NULL: a return */
	uint64_t place; /* of a log: the record; of a report: the line */
};

struct call_list {
	int32_t tid;
	struct call_mark *marks;
	size_t nr, cap;
	size_t nr_calls;
};

/* By task. Zero-initialised is empty and valid. */
struct call_lists {
	struct call_list *lists;
	size_t nr;
};

/* Finds the list of a task, or adds an empty one; NULL if there is no memory. It holds until the next is added. */
struct call_list *call_lists__get(struct call_lists *lists, int32_t tid) _must_check_ _nonnull_(1);

/* Adds a mark; @function is copied. 0 or -ENOMEM. */
int call_list__add(struct call_list *list, const char *function, uint64_t place) _must_check_ _nonnull_(1);

void call_lists__release(struct call_lists *lists) _nonnull_(1);

#endif
