// SPDX-License-Identifier: GPL-2.0-only
#include "rules/condition_code.h"

#include <errno.h>
#include <stdbool.h>

#include "rules/condition_field.h"

int rule_code__test(struct auxbpf_rule *rule, enum auxbpf_field field, enum auxbpf_rule_op op, uint64_t mask,
		    uint64_t val)
{
	if (rule->nr_tests == AUXBPF_RULE_TESTS)
		return -E2BIG;
	rule->tests[rule->nr_tests++] = (struct auxbpf_rule_test){
		.field = (uint8_t)field,
		.op = (uint8_t)op,
		.if_true = AUXBPF_RULE_TRUE,
		.if_false = AUXBPF_RULE_FALSE,
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

void rule_code__and(struct auxbpf_rule *rule, uint32_t from, uint32_t second)
{
	for (uint32_t i = from; i < second; i++) {
		redirect(&rule->tests[i].if_true, AUXBPF_RULE_TRUE, second);
		redirect(&rule->tests[i].if_false, AUXBPF_RULE_TRUE, second);
	}
}

void rule_code__or(struct auxbpf_rule *rule, uint32_t from, uint32_t second)
{
	for (uint32_t i = from; i < second; i++) {
		redirect(&rule->tests[i].if_true, AUXBPF_RULE_FALSE, second);
		redirect(&rule->tests[i].if_false, AUXBPF_RULE_FALSE, second);
	}
}

static uint8_t opposite(uint8_t next)
{
	switch (next) {
	case AUXBPF_RULE_TRUE:
		return AUXBPF_RULE_FALSE;
	case AUXBPF_RULE_FALSE:
		return AUXBPF_RULE_TRUE;
	default:
		return next;
	}
}

void rule_code__not(struct auxbpf_rule *rule, uint32_t from)
{
	for (uint32_t i = from; i < rule->nr_tests; i++) {
		rule->tests[i].if_true = opposite(rule->tests[i].if_true);
		rule->tests[i].if_false = opposite(rule->tests[i].if_false);
	}
}

/* One test, or its opposite. */
static int test_or_not(struct auxbpf_rule *rule, enum auxbpf_field field, enum auxbpf_rule_op op,
		       bool opposed, uint64_t mask, uint64_t val)
{
	uint32_t from = rule->nr_tests;
	int err = rule_code__test(rule, field, op, mask, val);

	if (!err && opposed)
		rule_code__not(rule, from);
	return err;
}

/* @op is < in the wanted sense; x <= 3 is x < 4. */
static int compare(struct auxbpf_rule *rule, enum auxbpf_field field, enum rule_comparison comparison,
		   enum auxbpf_rule_op op, uint64_t mask, uint64_t val)
{
	switch (comparison) {
	case RULE_EQ:
	case RULE_NE:
		return test_or_not(rule, field, AUXBPF_OP_EQ, comparison == RULE_NE, mask, val);
	case RULE_LT:
	case RULE_GE:
		return test_or_not(rule, field, op, comparison == RULE_GE, mask, val);
	case RULE_LE:
	case RULE_GT:
		return test_or_not(rule, field, op, comparison == RULE_GT, mask, val + 1);
	}
	return -EINVAL;
}

int rule_code__compare(struct auxbpf_rule *rule, enum auxbpf_field field, enum rule_comparison comparison,
		       uint64_t mask, uint64_t val)
{
	return compare(rule, field, comparison, AUXBPF_OP_LT, mask, val);
}

int rule_code__compare_signed(struct auxbpf_rule *rule, enum auxbpf_field field,
			      enum rule_comparison comparison, int64_t val)
{
	return compare(rule, field, comparison, AUXBPF_OP_SLT, UINT64_MAX, (uint64_t)val);
}

/* x < -5 is: the sign bit is set, and the low 32 bits are less than those of -5. */
int rule_code__compare_int(struct auxbpf_rule *rule, enum auxbpf_field field, enum rule_comparison comparison,
			   int32_t val)
{
	bool opposed = comparison == RULE_GE || comparison == RULE_GT;
	bool or_equal = comparison == RULE_LE || comparison == RULE_GT;
	uint32_t from = rule->nr_tests, second;
	int err;

	if (comparison == RULE_EQ || comparison == RULE_NE)
		return compare(rule, field, comparison, AUXBPF_OP_LT, UINT32_MAX, (uint32_t)val);
	err = rule_code__test(rule, field, AUXBPF_OP_EQ, 1u << 31, 1u << 31);
	second = rule->nr_tests;
	if (!err) {
		err = compare(rule, field, or_equal ? RULE_LE : RULE_LT, AUXBPF_OP_LT, UINT32_MAX,
			      (uint32_t)val);
		rule_code__and(rule, from, second);
	}
	if (!err && opposed)
		rule_code__not(rule, from);
	return err;
}

static int append(struct auxbpf_rule *rule, const struct auxbpf_rule *other)
{
	uint32_t second = rule->nr_tests;

	if (second + other->nr_tests > AUXBPF_RULE_TESTS)
		return -E2BIG;
	for (uint32_t i = 0; i < other->nr_tests; i++) {
		struct auxbpf_rule_test *test = &rule->tests[rule->nr_tests++];

		*test = other->tests[i];
		if (test->if_true < AUXBPF_RULE_TESTS)
			test->if_true = (uint8_t)(test->if_true + second);
		if (test->if_false < AUXBPF_RULE_TESTS)
			test->if_false = (uint8_t)(test->if_false + second);
	}
	return 0;
}

int rule__or(struct auxbpf_rule *rule, const struct auxbpf_rule *other)
{
	uint32_t second = rule->nr_tests;
	int err = append(rule, other);

	if (!err)
		rule_code__or(rule, 0, second);
	return err;
}

int rule__and(struct auxbpf_rule *rule, const struct auxbpf_rule *other)
{
	uint32_t second = rule->nr_tests;
	int err = append(rule, other);

	if (!err)
		rule_code__and(rule, 0, second);
	return err;
}

uint32_t rule__fields(const struct auxbpf_rule *rule)
{
	uint32_t fields = 0;

	for (uint32_t i = 0; i < rule->nr_tests; i++)
		fields |= RULE_FIELD(rule->tests[i].field);
	return fields;
}
