/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the newest windows of a CPU from the ring in which the BPF programs keep them (bpf/auxbpf_window.h), while
 * they write it.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_GATE_WINDOW_RING_H
#define AUXBPF_GATE_WINDOW_RING_H

#include <stdint.h>

#include "auxbpf_window.h"
#include "base/buf.h"
#include "base/cleanup.h"

/* The entries that a CPU has if @nr_cpus CPUs keep windows. */
uint32_t window_ring__size(uint32_t nr_cpus);

/*
 * Appends the windows that @ring, of @size entries, holds whole to @to, oldest end first. @ended is how many have
 * ended, read before. Look at buf__error().
 */
void window_ring__read(const struct auxbpf_window *ring, uint32_t size, uint64_t ended, struct buf *to)
	_nonnull_(1, 4);

#endif
