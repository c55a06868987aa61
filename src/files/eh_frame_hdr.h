/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads .eh_frame_hdr, the table by which exceptions find a function's unwinding rules. It tells where
 * functions are in files that have lost their symbols (Linux Standard Base, Core, 10.6).
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_FILES_EH_FRAME_HDR_H
#define AUXBPF_FILES_EH_FRAME_HDR_H

#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

struct eh_frame_entry {
	uint64_t start;	      /* where a function begins */
	uint64_t description; /* where its unwinding rules are, in .eh_frame */
};

/*
 * Finds the last entry of the table whose function does not begin above the address @addr. @hdr_addr is the
 * address of the section itself. -ENOENT if there is none, -EINVAL if the table is not of the one form that
 * linkers make (sorted, 4 bytes, relative to the section).
 */
int eh_frame_hdr__find(struct span hdr, uint64_t hdr_addr, uint64_t addr,
		       struct eh_frame_entry *ret) _must_check_ _nonnull_(4);

/* The first bytes of a description that tell the function's length. */
#define EH_FRAME_HEAD 16

/* Computes the length of the function from the first bytes of its description. -EINVAL if they are of another
 * form. */
int eh_frame__length(const uint8_t head[EH_FRAME_HEAD], const struct eh_frame_entry *entry,
		     uint64_t *ret) _must_check_ _nonnull_(1, 2, 3);

#endif
