/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a perf.data file: header, ids, attributes, data, feature sections, in the layout of
 * perf_session__do_write_header() (tools/perf/util/header.c).
 *
 * Everything goes out through one sink as it comes, and no more than a small buffer is held. Only AUX data
 * goes straight from where it is to its place in the file, without a copy. The header is written last: a file
 * that was not finished has no magic number.
 */
#ifndef AUXBPF_PERFDATA_PERFDATA_H
#define AUXBPF_PERFDATA_PERFDATA_H

#include <stdint.h>

#include "base/buf.h"
#include "perfdata/aux_piece.h"
#include "perfdata/feature.h"

struct perfdata_sink {
	/* Writes all of @span at @offset of the file. Returns 0 or a negative errno. */
	int (*write)(void *ctx, uint64_t offset, struct span span);
	void *ctx;
};

struct perfdata;

/*
 * Makes a writer of a file with these events, the AUX event first. @events must live as long as the writer.
 */
int perfdata__new(const struct perfdata_sink *sink, const struct feature_event *events, uint32_t nr_events,
		  struct perfdata **ret) _must_check_ _nonnull_(1, 2, 4);
void perfdata__free(struct perfdata *pd);

DEFINE_CLEANUP(perfdata, struct perfdata *, perfdata__free)

/* Appends whole records to the data section. */
int perfdata__add_records(struct perfdata *pd, struct span records) _must_check_ _nonnull_(1);

/*
 * Appends an AUXTRACE record, puts it into the index and leaves room at @offset of the file for the data of
 * @piece and @tail bytes behind it. The caller writes these there, at any time and by any thread. The bytes
 * that follow up to a multiple of 8 are not written and must read as zeros.
 */
int perfdata__reserve_aux(struct perfdata *pd, const struct aux_piece *piece, size_t tail,
			  uint64_t *offset) _must_check_ _nonnull_(1, 2, 4);

/*
 * Sets the payload of a feature; the bytes are copied. EVENT_DESC, GROUP_DESC (if there are groups) and
 * AUXTRACE (if there is AUX data) are set by the writer itself. A feature with an empty payload is left out.
 */
int perfdata__set_feature(struct perfdata *pd, enum feature feature, struct span payload) _must_check_
	_nonnull_(1);

/* Writes what is left, the header last. Returns the size of the file in @size. */
int perfdata__finish(struct perfdata *pd, uint64_t *size) _must_check_ _nonnull_(1, 2);

#endif
