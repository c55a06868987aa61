// SPDX-License-Identifier: GPL-2.0-only
#include "rules/condition_code.h"

#include <errno.h>
#include <stdbool.h>

#include "rules/condition_field.h"

int condition_code__test(struct auxbpf_condition *condition, enum auxbpf_field field,
			 enum auxbpf_condition_op op, uint64_t mask, uint64_t val)
{
	if (condition->nr_tests == AUXBPF_CONDITION_TESTS)
		return -E2BIG;
	condition->tests[condition->nr_tests++] = (struct auxbpf_condition_test){
		.field = (uint8_t)field,
		.op = (uint8_t)op,
		.if_true = AUXBPF_CONDITION_TRUE,
		.if_false = AUXBPF_CONDITION_FALSE,
		.mask = mask,
		.value = val,
	};
	return 0;
}

static void redirect(uint8_t *next, uint8_t from, uint32_t to)
{
	if (*next == from)
		*next = (uint8_t)to;
}

void condition_code__and(struct auxbpf_condition *condition, uint32_t from, uint32_t second)
{
	for (uint32_t i = from; i < second; i++) {
		redirect(&condition->tests[i].if_true, AUXBPF_CONDITION_TRUE, second);
		redirect(&condition->tests[i].if_false, AUXBPF_CONDITION_TRUE, second);
	}
}

void condition_code__or(struct auxbpf_condition *condition, uint32_t from, uint32_t second)
{
	for (uint32_t i = from; i < second; i++) {
		redirect(&condition->tests[i].if_true, AUXBPF_CONDITION_FALSE, second);
		redirect(&condition->tests[i].if_false, AUXBPF_CONDITION_FALSE, second);
	}
}

static uint8_t opposite(uint8_t next)
{
	switch (next) {
	case AUXBPF_CONDITION_TRUE:
		return AUXBPF_CONDITION_FALSE;
	case AUXBPF_CONDITION_FALSE:
		return AUXBPF_CONDITION_TRUE;
	default:
		return next;
	}
}

void condition_code__not(struct auxbpf_condition *condition, uint32_t from)
{
	for (uint32_t i = from; i < condition->nr_tests; i++) {
		condition->tests[i].if_true = opposite(condition->tests[i].if_true);
		condition->tests[i].if_false = opposite(condition->tests[i].if_false);
	}
}

/* Appends one test, or its opposite if @opposed. */
static int test_or_not(struct auxbpf_condition *condition, enum auxbpf_field field,
		       enum auxbpf_condition_op op, bool opposed, uint64_t mask, uint64_t val)
{
	uint32_t from = condition->nr_tests;
	int err = condition_code__test(condition, field, op, mask, val);

	if (!err && opposed)
		condition_code__not(condition, from);
	return err;
}

/* Appends a comparison. @op is the signed or unsigned <, and x <= 3 becomes x < 4. */
static int compare(struct auxbpf_condition *condition, enum auxbpf_field field,
		   enum condition_comparison comparison, enum auxbpf_condition_op op, uint64_t mask,
		   uint64_t val)
{
	switch (comparison) {
	case CONDITION_EQ:
	case CONDITION_NE:
		return test_or_not(condition, field, AUXBPF_OP_EQ, comparison == CONDITION_NE, mask, val);
	case CONDITION_LT:
	case CONDITION_GE:
		return test_or_not(condition, field, op, comparison == CONDITION_GE, mask, val);
	case CONDITION_LE:
	case CONDITION_GT:
		return test_or_not(condition, field, op, comparison == CONDITION_GT, mask, val + 1);
	}
	return -EINVAL;
}

int condition_code__compare(struct auxbpf_condition *condition, enum auxbpf_field field,
			    enum condition_comparison comparison, uint64_t mask, uint64_t val)
{
	return compare(condition, field, comparison, AUXBPF_OP_LT, mask, val);
}

int condition_code__compare_signed(struct auxbpf_condition *condition, enum auxbpf_field field,
				   enum condition_comparison comparison, int64_t val)
{
	return compare(condition, field, comparison, AUXBPF_OP_SLT, UINT64_MAX, (uint64_t)val);
}

/* x < -5 becomes: the sign bit is set, and the low 32 bits are less than those of -5. */
int condition_code__compare_int(struct auxbpf_condition *condition, enum auxbpf_field field,
				enum condition_comparison comparison, int32_t val)
{
	bool opposed = comparison == CONDITION_GE || comparison == CONDITION_GT;
	bool or_equal = comparison == CONDITION_LE || comparison == CONDITION_GT;
	uint32_t from = condition->nr_tests, second;
	int err;

	if (comparison == CONDITION_EQ || comparison == CONDITION_NE)
		return compare(condition, field, comparison, AUXBPF_OP_LT, UINT32_MAX, (uint32_t)val);
	err = condition_code__test(condition, field, AUXBPF_OP_EQ, 1u << 31, 1u << 31);
	second = condition->nr_tests;
	if (!err) {
		err = compare(condition, field, or_equal ? CONDITION_LE : CONDITION_LT, AUXBPF_OP_LT,
			      UINT32_MAX, (uint32_t)val);
		condition_code__and(condition, from, second);
	}
	if (!err && opposed)
		condition_code__not(condition, from);
	return err;
}

static int append(struct auxbpf_condition *condition, const struct auxbpf_condition *other)
{
	uint32_t second = condition->nr_tests;

	if (second + other->nr_tests > AUXBPF_CONDITION_TESTS)
		return -E2BIG;
	for (uint32_t i = 0; i < other->nr_tests; i++) {
		struct auxbpf_condition_test *test = &condition->tests[condition->nr_tests++];

		*test = other->tests[i];
		if (test->if_true < AUXBPF_CONDITION_TESTS)
			test->if_true = (uint8_t)(test->if_true + second);
		if (test->if_false < AUXBPF_CONDITION_TESTS)
			test->if_false = (uint8_t)(test->if_false + second);
	}
	return 0;
}

int condition__or(struct auxbpf_condition *condition, const struct auxbpf_condition *other)
{
	uint32_t second = condition->nr_tests;
	int err = append(condition, other);

	if (!err)
		condition_code__or(condition, 0, second);
	return err;
}

int condition__and(struct auxbpf_condition *condition, const struct auxbpf_condition *other)
{
	uint32_t second = condition->nr_tests;
	int err = append(condition, other);

	if (!err)
		condition_code__and(condition, 0, second);
	return err;
}

uint32_t condition__fields(const struct auxbpf_condition *condition)
{
	uint32_t fields = 0;

	for (uint32_t i = 0; i < condition->nr_tests; i++)
		fields |= CONDITION_FIELD(condition->tests[i].field);
	return fields;
}
