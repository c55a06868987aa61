/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much memory this process, and what the kernel allocates for it, may use: MemoryMax= of its service.
 */
#ifndef AUXBPF_CONTAINERS_MEMORY_LIMIT_H
#define AUXBPF_CONTAINERS_MEMORY_LIMIT_H

#include <stdint.h>

#include "base/cleanup.h"

/*
 * The least limit of its memory cgroup, of either version, and of those above that can be seen; in bytes,
 * UINT64_MAX where there is none.
 */
uint64_t memory_limit__read(const char *root) _nonnull_(1);

#endif
