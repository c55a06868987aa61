/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compresses records as perf record -z does: into PERF_RECORD_COMPRESSED
 * (tools/perf/lib/include/perf/event.h), each with many records in Zstandard format (RFC 8878). perf script
 * and other commands of perf read them (tools/perf/util/session.c, perf_session__process_compressed_event()).
 *
 * Each has a frame of its own and a multiple of 8 bytes, so that what follows in the file is aligned.
 */
#ifndef AUXBPF_PERFDATA_COMPRESSOR_H
#define AUXBPF_PERFDATA_COMPRESSOR_H

#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

/*
 * The levels of perf and zstd, from the fastest to the smallest that is used for files without a dictionary.
 */
#define COMPRESSOR_LEVEL_MIN 1
#define COMPRESSOR_LEVEL_MAX 22

struct compressor;

/* @level is from COMPRESSOR_LEVEL_MIN to _MAX. Returns 0 or a negative errno. */
int compressor__new(int level, struct compressor **ret) _must_check_ _nonnull_(2);

/*
 * Takes whole records, and appends to @out what is ready of them and of earlier ones, compressed. Returns 0
 * or a negative errno: -EBADMSG if something is no record.
 */
int compressor__add(struct compressor *c, struct span records, struct buf *out) _must_check_ _nonnull_(1, 3);

/* Appends all that it still holds. Returns 0 or a negative errno. */
int compressor__flush(struct compressor *c, struct buf *out) _must_check_ _nonnull_(1, 2);

/* Appends the payload of FEATURE_COMPRESSED (tools/perf/util/header.c, write_compressed()). */
void compressor__describe(const struct compressor *c, struct buf *b) _nonnull_(1, 2);

void compressor__free(struct compressor *c);

DEFINE_CLEANUP(compressor, struct compressor *, compressor__free)

#endif
