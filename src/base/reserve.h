/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much is kept of tasks where memory is limited: how many a reserve is for, of whose tasks the kernel cannot make
 * storage, and how much that storage may take (bpf/kept.bpf.h).
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_BASE_RESERVE_H
#define AUXBPF_BASE_RESERVE_H

#include <stddef.h>
#include <stdint.h>

/* With values of @size bytes, where auxbpf and what the kernel allocates for it may use @limit bytes. */
uint32_t reserve__entries(uint64_t limit, size_t size);

/* Bytes that the storage of all tasks may take there; AUXBPF_STORAGE_UNLIMITED with a @limit of UINT64_MAX. */
int64_t reserve__storage(uint64_t limit);

#endif
