/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many tasks a reserve is for: what is kept of those whose storage the kernel cannot make (bpf/kept.bpf.h).
 */
#ifndef AUXBPF_PURE_RESERVE_H
#define AUXBPF_PURE_RESERVE_H

#include <stddef.h>
#include <stdint.h>

/* With values of @size bytes, where auxbpf and what the kernel allocates for it may use @limit bytes. */
uint32_t reserve__entries(uint64_t limit, size_t size);

#endif
