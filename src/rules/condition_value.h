/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The values that the fields of a condition are compared with.
 */
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
	char comm[AUXBPF_COMM_LEN]; /* of a string */
};

/*
 * Reads the value that begins with the token that was read last and is for a comparison with @field; the
 * token behind it is the last one then. -EINVAL with a message if it is no value, or none for that field.
 */
int condition_value__read(struct rule_reader *r, const struct condition_field *field,
			  const struct condition_names *names, struct condition_value *ret) _must_check_
	_nonnull_(1, 2, 4);

#endif
