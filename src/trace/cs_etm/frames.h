/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds sync points in the traces of several ETMs that share a buffer: CoreSight's formatter puts the bytes
 * of all of them into frames, with the ID of each source (Arm CoreSight Architecture Specification, ARM IHI
 * 0029, "Formatter protocol"). The buffer begins with a frame, and so does what is cut from it.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_TRACE_CS_ETM_FRAMES_H
#define AUXBPF_TRACE_CS_ETM_FRAMES_H

#include "trace/aux_sync.h"

/* The bytes of a frame. */
#define ETM_FRAME 16u

/*
 * An aux_sync_fn that finds the A-Sync packets of all sources, in the order of their ends. The offset of one
 * is that of the last frame from which all of the packet can be read.
 */
bool etm_frames__next(const struct span data[2], size_t *at, struct aux_sync *ret) _must_check_
	_nonnull_(1, 2, 3);

/*
 * A frame of no source, for the end of a piece of trace. perf takes what is behind a time stamp in a frame
 * only while there is another frame (tools/perf/util/cs-etm.c, cs_etm__get_data_block();
 * cs-etm-decoder/cs-etm-decoder.c, OCSD_OP_FLUSH): without this one the last branches would be missing.
 */
extern const struct span etm_frames__tail;

#endif
