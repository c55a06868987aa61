/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two buffers of a perf event: the ring of records and the AUX buffer.
 *
 * Barriers (kernel/events/ring_buffer.c, perf_output_put_handle()): data_head and aux_head are loaded with
 * acquire before the data is read, and data_tail is stored with release after it was read. The kernel
 * overwrites an AUX buffer that is mapped read-only; it has no tail, and aux_head is only true while the
 * event is disabled. It writes one that is mapped writable up to its tail and no further; aux_head moves at
 * each interrupt of the trace unit and when the event is disabled, always between two packets. A ring of
 * records that is mapped read-only is overwritten, too; it has no tail either.
 */
#ifndef AUXBPF_TRACE_RING_H
#define AUXBPF_TRACE_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "perfdata/aux_piece.h"

struct ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	size_t data_size; /* bytes, a power of two */
	const uint8_t *aux;
	size_t aux_size; /* bytes, a power of two; 0: none is mapped */
};

/* Maps the ring of the event @fd. @data_size is a power of two and a multiple of the page size. */
int ring__map(int fd, size_t data_size, struct ring *ret) _must_check_ _nonnull_(3);

/* Maps the ring of an event that writes it backward, in overwrite mode; @data_size as above. */
int ring__map_backward(int fd, size_t data_size, struct ring *ret) _must_check_ _nonnull_(3);

/* Maps the AUX buffer of the same event; the kernel overwrites it unless it is @writable. */
int ring__map_aux(struct ring *ring, int fd, size_t aux_size, bool writable) _must_check_ _nonnull_(1);

void ring__unmap(struct ring *ring) _nonnull_(1);

/* Tells whether a record may have had no room: the largest one, with the longest path, needs more than is
 * left. */
bool ring__is_full(const struct ring *ring) _nonnull_(1);

/* Moves all records of the ring to the end of @to. Returns how many bytes, or -ENOMEM (nothing is moved). */
ssize_t ring__drain(struct ring *ring, struct buf *to) _must_check_ _nonnull_(1, 2);

/*
 * Copies from a ring that is written backward, newest first, what was written to it behind the first @seen
 * bytes, as far as it is still there: at most data_size bytes. Returns how many; @written is how many bytes
 * were written by then. The ring's output must be paused. A record that was begun before the pause may still
 * be completed meanwhile, in place of the oldest ones, which are not counted then.
 */
size_t ring__copy_backward(const struct ring *ring, uint64_t seen, uint8_t *to, uint64_t *written)
	_nonnull_(1, 3, 4);

/* Returns how far the AUX buffer is written, as its PMU counts it (trace/aux_new.h). */
uint64_t ring__aux_head(const struct ring *ring) _nonnull_(1);

/*
 * Makes what a writable AUX buffer holds from @from to before @to the data of @ret, whose CPU and reference
 * are left as they are. The head and the tail of such a buffer count all bytes ever written.
 */
void ring__aux_data(const struct ring *ring, uint64_t from, uint64_t to, struct aux_piece *ret)
	_nonnull_(1, 4);

/*
 * Tells whether the kernel does not go further than @head before more is given back to it: it has stopped the
 * event there, or will at its next record.
 */
bool ring__aux_full(const struct ring *ring, uint64_t head) _nonnull_(1);

/*
 * Gives the whole pages before @tail back to the kernel. With a tail within a page the driver of intel_pt may
 * put its stop a whole round too far, and write over what was not read yet (arch/x86/events/intel/pt.c,
 * pt_buffer_reset_markers(), counts the room in whole pages from the page of the head on). True if the buffer
 * was full before the kernel saw the new tail: then it has stopped the event, maybe without a record of it
 * (perf_aux_output_begin()). The kernel stores the head and then loads the tail, and this function does it
 * the other way round, so no such case is missed.
 */
bool ring__aux_release(struct ring *ring, uint64_t tail) _must_check_ _nonnull_(1);

#endif
