/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of several captures that are shown as one: each capture numbers its functions itself, and those with one name in one
 * file share a number here. The first capture's numbers stay as they are.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_SHARED_NAMES_H
#define AUXBPF_CALLS_SHARED_NAMES_H

#include "calls/function_names.h"

struct shared_slot;

/* Zero-initialised is empty and valid; its functions are in a struct function_names. */
struct shared_names {
	function_id *ids; /* by the number that the capture gives; the first one is for 0 */
	size_t nr, cap;
	struct shared_slot *slots; /* a hash of all functions */
	size_t nr_slots;	   /* a power of two, or 0 */
	size_t nr_used;
	uint32_t capture; /* how many came before */
};

/*
 * Takes the function that the capture gives the number @id, which must be the next one, and adds it to @names if no capture had it
 * before. Two functions of one capture stay two. Returns 0, -EBADMSG for a number out of order, or -ENOMEM.
 */
int shared_names__add(struct shared_names *shared, struct function_names *names, function_id id,
		      const char *name, const char *object) _must_check_ _nonnull_(1, 2, 4, 5);

/*
 * Returns the number in function_names of the capture's number @id, whose FUNCTION_NAMELESS is ignored; 0 for one that it has not
 * given.
 */
function_id shared_names__get(const struct shared_names *shared, function_id id) _must_check_ _nonnull_(1);

/* The numbers that come are those of another capture. */
void shared_names__next_capture(struct shared_names *shared) _nonnull_(1);

void shared_names__release(struct shared_names *shared) _nonnull_(1);

#endif
