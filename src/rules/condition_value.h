/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of the rule language and the values that they are compared with.
 */
#ifndef AUXBPF_RULES_CONDITION_VALUE_H
#define AUXBPF_RULES_CONDITION_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "base/nearest.h"
#include "rules/condition.h"
#include "rules/condition_lex.h"

enum rule_value_kind {
	RULE_NUMBER = 1 << 0,
	RULE_SIZE = 1 << 1,
	RULE_TIME = 1 << 2,
	RULE_FLAG = 1 << 3,
	RULE_SIGNAL = 1 << 4,
	RULE_ERRNO = 1 << 5,
	RULE_ID = 1 << 6, /* of a user or a cgroup that was named */
	RULE_STRING = 1 << 7,
};

struct rule_field {
	const char *name;
	enum auxbpf_field field;
	unsigned int kinds; /* enum rule_value_kind: that it is compared with */
	const char *wants;  /* the same in words */
	uint64_t max;
	const char *known_at; /* the kinds of triggers that have it; NULL: all, or those of one event */
	bool has_bits;	      /* & is for it */
	bool is_raw;	      /* an argument: 64 bits of any meaning, so negative values are for it */
	bool is_signed;
	bool is_id; /* == and != only */
};

struct rule_value {
	size_t at; /* where it begins in the text */
	uint64_t val;
	bool negative;
	char comm[AUXBPF_COMM_LEN]; /* of a string */
};

/* The field of that name, or NULL. */
const struct rule_field *rule_field__find(const char *name) _nonnull_(1);

/* Offers the fields that are in the set @known (RULE_FIELD() bits) for a wrong one. */
void rule_field__offer(struct nearest *near, const char *wanted, uint32_t known) _nonnull_(1, 2);

/* Writes the names of these: "pid, tid and cpu". */
void rule_field__list(uint32_t known, char *text, size_t size) _nonnull_(2);

/*
 * Reads the value that begins with the token that was read last and is for a comparison with @field; the
 * token behind it is the last one then. -EINVAL with a message if it is no value, or none for that field.
 */
int rule_value__read(struct rule_reader *r, const struct rule_field *field, const struct rule_names *names,
		     struct rule_value *ret) _must_check_ _nonnull_(1, 2, 4);

#endif
