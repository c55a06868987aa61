/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the values that the fields of a condition are compared with. */
#ifndef AUXBPF_RULES_CONDITION_VALUE_H
#define AUXBPF_RULES_CONDITION_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "rules/condition_field.h"
#include "rules/rule_lex.h"

struct condition_value {
	size_t at; /* where it begins in the text */
	uint64_t val;
	bool negative;
	char comm[AUXBPF_COMM_LEN]; /* the value of a string */
};

/*
 * Reads the value that begins with the last token of @r and is compared with @field. Then the last token is
 * the one behind the value. Returns -EINVAL with a message if it is no value, or not one for that field.
 */
int condition_value__read(struct rule_reader *r, const struct condition_field *field,
			  const struct condition_names *names, struct condition_value *ret) _must_check_
	_nonnull_(1, 2, 4);

#endif
