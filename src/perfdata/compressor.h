/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records, compressed as perf record -z does it: PERF_RECORD_COMPRESSED (tools/perf/lib/include/perf/event.h),
 * each with many records in Zstandard format (RFC 8878). perf script and its like read them
 * (tools/perf/util/session.c, perf_session__process_compressed_event()).
 *
 * Each is a frame of its own, and a multiple of 8 bytes long, so that what follows in the file is aligned.
 */
#ifndef AUXBPF_PERFDATA_COMPRESSOR_H
#define AUXBPF_PERFDATA_COMPRESSOR_H

#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* As perf's and zstd's: the fastest, and the smallest that is used for files without a dictionary. */
#define COMPRESSOR_LEVEL_MIN 1
#define COMPRESSOR_LEVEL_MAX 22

struct compressor;

/* @level is one of those. 0 or a negative errno. */
int compressor__new(int level, struct compressor **ret) _must_check_ _nonnull_(2);

/* Appends to @out what has become of these whole records and those before them. 0 or a negative errno:
 * -EBADMSG for what is no record. */
int compressor__add(struct compressor *c, struct span records, struct buf *out) _must_check_ _nonnull_(1, 3);

/* The same of all that it still holds. */
int compressor__flush(struct compressor *c, struct buf *out) _must_check_ _nonnull_(1, 2);

/* Appends the payload of FEATURE_COMPRESSED (tools/perf/util/header.c, write_compressed()). */
void compressor__describe(const struct compressor *c, struct buf *b) _nonnull_(1, 2);

void compressor__free(struct compressor *c);

DEFINE_CLEANUP(compressor, struct compressor *, compressor__free)

#endif
