/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two buffers of a perf event: the ring of records and the AUX buffer.
 *
 * Barriers (kernel/events/ring_buffer.c, perf_output_put_handle()): data_head and aux_head are loaded with
 * acquire before the data is read, data_tail is stored with release after it was read. An AUX buffer that is
 * mapped read-only is overwritten by the kernel; it has no tail, and aux_head is only true while the event is
 * disabled. One that is mapped writable is written up to its tail and no further; aux_head moves at each
 * interrupt of the trace unit and when the event is disabled, always between two packets. A ring of records
 * that is mapped read-only is overwritten, too; it has no tail either.
 */
#ifndef AUXBPF_TRACE_RING_H
#define AUXBPF_TRACE_RING_H

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

/* Maps the ring of an event that writes it backward, in overwrite mode; likewise. */
int ring__map_backward(int fd, size_t data_size, struct ring *ret) _must_check_ _nonnull_(3);

/* Maps the AUX buffer of the same event; the kernel overwrites it unless it is @writable. */
int ring__map_aux(struct ring *ring, int fd, size_t aux_size, bool writable) _must_check_ _nonnull_(1);

void ring__unmap(struct ring *ring) _nonnull_(1);

/* Whether a record may have had no room: the largest ones, with the longest path, need more than is left. */
bool ring__is_full(const struct ring *ring) _nonnull_(1);

/* Moves all records of the ring to the end of @to. Returns how many bytes, or -ENOMEM (nothing is moved). */
ssize_t ring__drain(struct ring *ring, struct buf *to) _must_check_ _nonnull_(1, 2);

/*
 * Copies from a ring that is written backward, newest first, what came behind the first @seen bytes that were
 * written to it, as far as it is there: at most data_size bytes. Returns how many, and in @written how many
 * there were by then. Its output is paused; a record that was begun before may still be completed meanwhile,
 * in place of the oldest, which are not counted then.
 */
size_t ring__copy_backward(const struct ring *ring, uint64_t seen, uint8_t *to, uint64_t *written)
	_nonnull_(1, 3, 4);

/* Up to where the AUX buffer is written, as its PMU counts it (trace/aux_new.h). */
uint64_t ring__aux_head(const struct ring *ring) _nonnull_(1);

/*
 * Of a writable AUX buffer, whose head and tail count all bytes ever written: what it holds from @from to before
 * @to, oldest first; the second span is for what lies behind the wrap.
 */
void ring__aux_data(const struct ring *ring, uint64_t from, uint64_t to, struct span ret[2]) _nonnull_(1, 4);

/*
 * Whether @head is as far as the kernel goes before more is given back to it: it has stopped the event there, or
 * will at its next record.
 */
bool ring__aux_full(const struct ring *ring, uint64_t head) _nonnull_(1);

/*
 * Gives the whole pages before @tail back to the kernel: with a tail within a page the driver of intel_pt may put
 * its stop a whole round too far, and write over what was not read yet (arch/x86/events/intel/pt.c,
 * pt_buffer_reset_markers(), counts the room in whole pages from the page of the head on). True if the buffer was
 * full before the kernel saw that: it has stopped the event then, maybe without a record of it
 * (perf_aux_output_begin()). It stores the head and then loads the tail, this the other way round, so no such case
 * is missed.
 */
bool ring__aux_release(struct ring *ring, uint64_t tail) _must_check_ _nonnull_(1);

#endif
