/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash of objects by a number, such as a pid. An object has a struct id_node as its first member; the
 * hash owns its array alone, which grows with the number of objects and does not shrink.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_BASE_ID_HASH_H
#define AUXBPF_BASE_ID_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct id_node {
	struct id_node *next;
	uint32_t id;
};

/* Zero-initialised is empty and valid. */
struct id_hash {
	struct id_node **slots;
	size_t nr_slots; /* a power of two, or 0 */
	size_t nr;
};

/* Returns the object with the number @id, NULL if there is none. */
void *id_hash__find(const struct id_hash *hash, uint32_t id) _nonnull_(1);

/* Adds @node, whose number must not be in the hash. Returns 0 or -ENOMEM. */
int id_hash__add(struct id_hash *hash, struct id_node *node) _must_check_ _nonnull_(1, 2);

/* Removes @node, which must be in the hash. */
void id_hash__remove(struct id_hash *hash, struct id_node *node) _nonnull_(1, 2);

/* Writes all objects, in no order, into an array of hash->nr pointers. */
void id_hash__list(const struct id_hash *hash, void **ret) _nonnull_(1);

/* Hands every object to @release, and leaves the hash empty. */
void id_hash__release(struct id_hash *hash, void (*release)(void *object)) _nonnull_(1, 2);

#endif
