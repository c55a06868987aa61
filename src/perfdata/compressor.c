// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/compressor.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "perfdata/record.h"

/*
 * Bytes of records that are compressed at once. A piece that does not get smaller goes into the file as it
 * is.
 */
#define PIECE_MAX (64u << 10)
#define PERF_COMP_ZSTD 1
/* The header of a frame that decoders skip: a magic number and the size of what follows (RFC 8878, 3.1.2). */
#define SKIPPABLE_FRAME 8u

struct compressor {
	ZSTD_CCtx *zstd;
	int level;
	struct buf piece;
	uint64_t bytes_in, bytes_out;
	char frame[UINT16_MAX - sizeof(struct perf_event_header) - SKIPPABLE_FRAME - 7];
};

int compressor__new(int level, struct compressor **ret)
{
	_cleanup_(cleanup__compressor) struct compressor *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->level = level;
	c->zstd = ZSTD_createCCtx();
	if (!c->zstd)
		return -ENOMEM;
	*ret = steal_ptr(c);
	return 0;
}

static uint32_t padding(size_t len)
{
	const uint32_t missing = -(uint32_t)len & 7;

	return missing ? missing + SKIPPABLE_FRAME : 0;
}

/*
 * Padding comes first, as perf has no room for a frame behind one with content (util/zstd.c,
 * zstd_decompress_stream()).
 */
static void add_padding(uint32_t len, struct buf *out)
{
	static const char zeros[8];

	if (!len)
		return;
	buf__add_u32(out, ZSTD_MAGIC_SKIPPABLE_START);
	buf__add_u32(out, len - SKIPPABLE_FRAME);
	buf__add(out, zeros, len - SKIPPABLE_FRAME);
}

int compressor__flush(struct compressor *c, struct buf *out)
{
	struct perf_event_header header = {.type = RECORD_COMPRESSED};
	const size_t len = c->piece.len ? ZSTD_compressCCtx(c->zstd, c->frame, sizeof(c->frame),
							    c->piece.data, c->piece.len, c->level)
					: 0;
	const size_t size = sizeof(header) + len + padding(len);

	if (ZSTD_isError(len) || size >= c->piece.len) {
		buf__add_buf(out, &c->piece);
	} else {
		header.size = (uint16_t)size;
		buf__add(out, &header, sizeof(header));
		add_padding(padding(len), out);
		buf__add(out, c->frame, len);
		c->bytes_in += c->piece.len;
		c->bytes_out += size;
	}
	buf__truncate(&c->piece, 0);
	return buf__error(&c->piece) ?: buf__error(out);
}

int compressor__add(struct compressor *c, struct span records, struct buf *out)
{
	const struct perf_event_header *record;
	size_t pos = 0;
	int err = 0;

	while (!err && (record = record__next(records, &pos))) {
		if (c->piece.len + record->size > PIECE_MAX)
			err = compressor__flush(c, out);
		buf__add(&c->piece, record, record->size);
	}
	if (!err && pos != records.len)
		err = -EBADMSG;
	return err ?: buf__error(&c->piece);
}

/* perf reserves PIECE_MAX bytes for the content of one record. */
void compressor__describe(const struct compressor *c, struct buf *b)
{
	const uint64_t ratio = c->bytes_out ? c->bytes_in / c->bytes_out : 1;

	buf__add_u32(b, 1); /* version */
	buf__add_u32(b, PERF_COMP_ZSTD);
	buf__add_u32(b, (uint32_t)c->level);
	buf__add_u32(b, (uint32_t)ratio);
	buf__add_u32(b, PIECE_MAX);
}

void compressor__free(struct compressor *c)
{
	if (!c)
		return;
	ZSTD_freeCCtx(c->zstd);
	buf__release(&c->piece);
	free(c);
}
