/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A piece of AUX data: bytes that lie next to one another in the trace of one CPU, and where they belong.
 * Buffers are read, traces cut and files written in such pieces. A piece only shows its bytes, which are
 * somebody else's: they may still be in the AUX buffer, and then they may go around its end.
 */
#ifndef AUXBPF_PERFDATA_AUX_PIECE_H
#define AUXBPF_PERFDATA_AUX_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* Zero-initialised is empty and valid. */
struct aux_piece {
	int cpu;
	uint32_t idx;	     /* one number per AUX mapping, the same in every capture: 0, 1, 2, … */
	int32_t tid;	     /* -1: the event counts every task of the CPU */
	uint64_t offset;     /* position of the first byte in the trace of this CPU */
	uint64_t reference;  /* the trace's clock when the data was read */
	struct span data[2]; /* oldest first; the second is what lies behind the wrap */
};

/* Returns a piece without data of a CPU, all of whose tasks are counted. */
struct aux_piece aux_piece__of_cpu(int cpu, uint32_t idx);

/* Returns the number of bytes. */
size_t aux_piece__len(const struct aux_piece *piece) _nonnull_(1);

/* Returns the position behind the last byte in the trace of the CPU. */
uint64_t aux_piece__end(const struct aux_piece *piece) _nonnull_(1);

/*
 * Makes the data of @piece the @len bytes of the trace from position @from on, which are in an AUX buffer of
 * @size bytes (a power of two). @len is @size at most. A position modulo @size is a place in the buffer.
 */
void aux_piece__set_data(struct aux_piece *piece, const uint8_t *buffer, size_t size, uint64_t from,
			 size_t len) _nonnull_(1, 2);

/* Drop all but the first or the last @len bytes; nothing if there are no more than that. */
void aux_piece__keep_first(struct aux_piece *piece, size_t len) _nonnull_(1);
void aux_piece__keep_last(struct aux_piece *piece, size_t len) _nonnull_(1);

/* Copies the bytes to @to, where there is room for them. */
void aux_piece__copy(const struct aux_piece *piece, uint8_t *to) _nonnull_(1, 2);

/* Tells whether the bytes are the same as those at @bytes. */
bool aux_piece__equals(const struct aux_piece *piece, const uint8_t *bytes) _nonnull_(1, 2);

/*
 * Appends the record that stands in front of @piece in a file, perf's struct perf_record_auxtrace. It tells of
 * the bytes and of @tail more, and of zeros behind them up to a multiple of 8.
 */
void aux_piece__add_record(const struct aux_piece *piece, size_t tail, struct buf *b) _nonnull_(1, 3);

/* Returns the bytes between that record and the next one. */
uint64_t aux_piece__room(const struct aux_piece *piece, size_t tail) _nonnull_(1);

#endif
