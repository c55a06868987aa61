/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sizes of what is kept of tasks where memory is limited (bpf/kept.bpf.h): how many entries a reserve has,
 * for tasks whose storage the kernel cannot allocate, and how many bytes that storage may take.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_BASE_RESERVE_H
#define AUXBPF_BASE_RESERVE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the number of entries of a reserve with values of @size bytes. auxbpf and what the kernel allocates
 * for it may use @limit bytes.
 */
uint32_t reserve__entries(uint64_t limit, size_t size);

/*
 * Returns how many bytes the storage of all tasks may take with that @limit; AUXBPF_STORAGE_UNLIMITED for
 * UINT64_MAX.
 */
int64_t reserve__storage(uint64_t limit);

#endif
