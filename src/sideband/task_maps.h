/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The executable mappings of one process, by its MMAP2 records. munmap() sends no record, so a mapping counts
 * until another one covers it. A process may have as many mappings as it likes and change them as often as it
 * likes: a change takes time and memory that grow with the logarithm of their number. This is also true of a
 * set that it shares with the process from which it was forked.
 */
#ifndef AUXBPF_SIDEBAND_TASK_MAPS_H
#define AUXBPF_SIDEBAND_TASK_MAPS_H

#include <stdbool.h>

#include "perfdata/record.h"

/* NULL is the empty set. */
struct task_maps;

/*
 * Adds a mapping. What is in its range is replaced, cut or split, as by MAP_FIXED. Returns 0, or -ENOMEM:
 * then some mappings may be missing.
 */
int task_maps__put(struct task_maps **maps, const struct record_mmap *map) _must_check_ _nonnull_(1, 2);

/* Removes what is mapped from @start to @end. Returns 0, or -ENOMEM: then some mappings may be missing. */
int task_maps__cut(struct task_maps **maps, uint64_t start, uint64_t end) _must_check_ _nonnull_(1);

/* Returns another reference to the same set, to be released on its own, also by another thread. */
struct task_maps *task_maps__share(struct task_maps *maps);

void task_maps__release(struct task_maps *maps);

/* Tells whether all of @part is in @maps, too, with the same names. */
bool task_maps__has(const struct task_maps *maps, const struct task_maps *part);

size_t task_maps__nr(const struct task_maps *maps);

/* Returns the length of the mappings' MMAP2 records, without trailers. They take about as much memory. */
size_t task_maps__bytes(const struct task_maps *maps);

/* Writes the mapping @i in order of addresses, without its pid and tid. The name is the set's. */
void task_maps__get(const struct task_maps *maps, size_t i, struct record_mmap *ret) _nonnull_(1, 3);

#endif
