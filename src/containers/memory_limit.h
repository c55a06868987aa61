/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads how much memory this process, and the kernel for it, may use: MemoryMax= of its service.
 */
#ifndef AUXBPF_CONTAINERS_MEMORY_LIMIT_H
#define AUXBPF_CONTAINERS_MEMORY_LIMIT_H

#include <stdint.h>

#include "base/cleanup.h"

/*
 * Returns the least limit of the process's memory cgroup, of either version, and of those above it that can
 * be seen; in bytes, UINT64_MAX if there is none.
 */
uint64_t memory_limit__read(const char *root) _nonnull_(1);

#endif
