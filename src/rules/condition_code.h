/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes the tests of a struct auxbpf_condition. A part of a condition is a run of tests that leads out to
 * AUXBPF_CONDITION_TRUE and AUXBPF_CONDITION_FALSE. To join two parts, one of these ways out of the first is
 * led on to the second.
 */
#ifndef AUXBPF_RULES_CONDITION_CODE_H
#define AUXBPF_RULES_CONDITION_CODE_H

#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"

enum condition_comparison {
	CONDITION_EQ,
	CONDITION_NE,
	CONDITION_LT,
	CONDITION_LE,
	CONDITION_GT,
	CONDITION_GE,
};

/* Appends a test. Returns -E2BIG if there is no room for it. */
int condition_code__test(struct auxbpf_condition *condition, enum auxbpf_field field,
			 enum auxbpf_condition_op op, uint64_t mask, uint64_t val) _must_check_ _nonnull_(1);

/*
 * Append a comparison of a field, after @mask is applied, with @val: as unsigned numbers, as signed ones, or
 * as ints, which are the low 32 bits of the field (@val is negative then). Return -E2BIG if there is no room.
 * The result of < <= > >= must depend on the field: for unsigned > and <= @val must not be the largest
 * number.
 */
int condition_code__compare(struct auxbpf_condition *condition, enum auxbpf_field field,
			    enum condition_comparison comparison, uint64_t mask, uint64_t val) _must_check_
	_nonnull_(1);
int condition_code__compare_signed(struct auxbpf_condition *condition, enum auxbpf_field field,
				   enum condition_comparison comparison, int64_t val) _must_check_
	_nonnull_(1);
int condition_code__compare_int(struct auxbpf_condition *condition, enum auxbpf_field field,
				enum condition_comparison comparison, int32_t val) _must_check_ _nonnull_(1);

/* Join the part from the test @from up to @second with the part from @second to the end. */
void condition_code__and(struct auxbpf_condition *condition, uint32_t from, uint32_t second) _nonnull_(1);
void condition_code__or(struct auxbpf_condition *condition, uint32_t from, uint32_t second) _nonnull_(1);

/* Turns the part from the test @from to the end into its opposite. */
void condition_code__not(struct auxbpf_condition *condition, uint32_t from) _nonnull_(1);

/*
 * Lets @condition hold if @other does, too. Returns -E2BIG if both together are too long, and leaves
 * @condition as it was.
 */
int condition__or(struct auxbpf_condition *condition, const struct auxbpf_condition *other) _must_check_
	_nonnull_(1, 2);

/* Lets @condition hold only if @other does, too. Returns -E2BIG as condition__or(). */
int condition__and(struct auxbpf_condition *condition, const struct auxbpf_condition *other) _must_check_
	_nonnull_(1, 2);

/* Returns the fields on which the outcome may depend, as CONDITION_FIELD() bits. */
uint32_t condition__fields(const struct auxbpf_condition *condition) _must_check_ _nonnull_(1);

#endif
