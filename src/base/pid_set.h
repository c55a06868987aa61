/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set of process ids with a bit for each, so its size depends on the highest id and not on how many there
 * are.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_BASE_PID_SET_H
#define AUXBPF_BASE_PID_SET_H

#include <stdbool.h>

#include "base/buf.h"

/* Zero-initialised is empty. */
struct pid_set {
	struct buf bits;
};

/*
 * Adds @pid. An id that no process can have is passed over: records of a task that ends can have one.
 * Returns 0 or -ENOMEM.
 */
int pid_set__add(struct pid_set *set, uint32_t pid) _must_check_ _nonnull_(1);
bool pid_set__has(const struct pid_set *set, uint32_t pid) _nonnull_(1);
void pid_set__release(struct pid_set *set) _nonnull_(1);

#endif
