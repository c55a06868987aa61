/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two buffers of a perf event: the ring of records and the AUX buffer.
 *
 * Barriers (kernel/events/ring_buffer.c, perf_output_put_handle()): data_head and aux_head are loaded with
 * acquire before the data is read, data_tail is stored with release after it was read. The AUX buffer is
 * mapped read-only, which makes the kernel overwrite it; it has no tail, and aux_head is only true while the
 * event is disabled.
 */
#ifndef AUXBPF_KERNEL_RING_H
#define AUXBPF_KERNEL_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

struct ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	size_t data_size; /* bytes, a power of two */
	const uint8_t *aux;
	size_t aux_size; /* bytes, a power of two; 0: none is mapped */
};

/* Maps the ring of the event @fd. @data_size is a power of two and a multiple of the page size. */
int ring__map(int fd, size_t data_size, struct ring *ret) _must_check_ _nonnull_(3);

/* Maps the AUX buffer of the same event, in overwrite mode. */
int ring__map_aux(struct ring *ring, int fd, size_t aux_size) _must_check_ _nonnull_(1);

void ring__unmap(struct ring *ring) _nonnull_(1);

/* Moves all records of the ring to the end of @to. Returns how many bytes, or -ENOMEM (nothing is moved). */
ssize_t ring__drain(struct ring *ring, struct buf *to) _must_check_ _nonnull_(1, 2);

/* Up to where the AUX buffer is written, as its PMU counts it (pure/aux_new.h). */
uint64_t ring__aux_head(const struct ring *ring) _nonnull_(1);

#endif
