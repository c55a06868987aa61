/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branches that ran and branches that were decoded, side by side: where they differ, and how to say so.
 */
#ifndef ORACLE_BRANCH_PAIR_H
#define ORACLE_BRANCH_PAIR_H

#include <stdbool.h>
#include <stdio.h>

#include "decode_text.h"
#include "log_reader.h"
#include "symbols.h"

/* Both sides of one CPU, from the place on where they are compared. */
struct branch_pair {
	const struct oracle_record **ran; /* of a traced_stream */
	uint64_t nr_ran;
	const struct decoded_branch *dec;
	uint64_t nr_dec;
	bool open_end; /* what was decoded may end before what ran */
};

/* Whether the branch that ran at @ran is the one that was decoded at @dec. */
bool branch_pair__is_equal(const struct branch_pair *p, uint64_t ran, uint64_t dec) _nonnull_(1);

/* The place of the first difference, or the shorter length. */
uint64_t branch_pair__first_difference(const struct branch_pair *p) _nonnull_(1);

/* The place of the last difference, or the length if there is none; of sides of the same length. */
uint64_t branch_pair__last_difference(const struct branch_pair *p) _nonnull_(1);

/* Shows both sides around the place @at, where they differ, and says what is missing there or too much. */
void branch_pair__print_difference(const struct branch_pair *p, uint64_t at, const struct oracle_log *log,
				   const struct symbols *syms, FILE *out) _nonnull_(1, 3, 5);

#endif
