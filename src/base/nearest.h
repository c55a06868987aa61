/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * "Did you mean": finds the candidates that are nearest to a mistyped name, by edit distance.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_BASE_NEAREST_H
#define AUXBPF_BASE_NEAREST_H

#include <stddef.h>

#include "base/cleanup.h"

#define NEAREST_MAX 3
#define NEAREST_NAME_MAX 64

/* The best candidates so far, nearest first. Zero-initialised is empty. */
struct nearest {
	char names[NEAREST_MAX][NEAREST_NAME_MAX];
	unsigned int distances[NEAREST_MAX];
	size_t nr;
};

/*
 * Offers a candidate for @wanted. It is not taken if it is too far off to be a slip of the fingers, or is in
 * the list already. Names of NEAREST_NAME_MAX characters and more are passed over.
 */
void nearest__offer(struct nearest *n, const char *wanted, const char *candidate) _nonnull_(1, 2, 3);

/* Writes "a, b or c" into @text; an empty string if there is none. */
void nearest__format(const struct nearest *n, char *text, size_t size) _nonnull_(1, 2);

#endif
