// SPDX-License-Identifier: GPL-2.0-only
#include "rules/condition.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "rules/condition_code.h"
#include "rules/condition_value.h"
#include "rules/rule_lex.h"

/* The most parentheses and ! inside each other. */
#define MAX_DEPTH 64

struct parser {
	struct rule_reader r;
	const struct condition_opts *opts;
	struct auxbpf_condition *condition;
	unsigned int depth;
	/* The last FIELD & MASK, and the places where it begins and ends with all parentheses around it. */
	struct {
		const struct condition_field *field;
		uint64_t mask;
		size_t begin, end;
	} bits;
};

static int parse_condition(struct parser *p);

static int next(struct parser *p)
{
	return rule_reader__next(&p->r);
}

static enum rule_token_kind kind(const struct parser *p)
{
	return p->r.token.kind;
}

static size_t here(const struct parser *p)
{
	return p->r.token.at;
}

static bool is_comparison(enum rule_token_kind token)
{
	return token >= RULE_TOKEN_EQ;
}

static enum condition_comparison to_comparison(enum rule_token_kind token)
{
	_Static_assert(RULE_TOKEN_GE - RULE_TOKEN_EQ == CONDITION_GE - CONDITION_EQ, "in one order");
	return (enum condition_comparison)(token - RULE_TOKEN_EQ + CONDITION_EQ);
}

/*
 * Compares the first 8 bytes of the name and the last 8, each up to its NUL: the bytes after that do not
 * matter.
 */
static int compare_comm(struct parser *p, enum condition_comparison comparison,
			const struct condition_value *value)
{
	uint32_t from = p->condition->nr_tests, second;
	uint64_t val[2], mask[2] = {0};
	int err;

	memcpy(val, value->comm, sizeof(val));
	memset(mask, 0xff, strlen(value->comm) + 1);
	err = condition_code__test(p->condition, AUXBPF_FIELD_COMM_LOW, AUXBPF_OP_EQ, mask[0], val[0]);
	second = p->condition->nr_tests;
	if (!err && mask[1]) {
		err = condition_code__test(p->condition, AUXBPF_FIELD_COMM_HIGH, AUXBPF_OP_EQ, mask[1],
					   val[1]);
		condition_code__and(p->condition, from, second);
	}
	if (!err && comparison == CONDITION_NE)
		condition_code__not(p->condition, from);
	return err;
}

/*
 * Tells whether a comparison with @val has the same outcome for all values of the field. These are at most
 * @max and have no other bits than @bits; if @is_signed they can be negative.
 */
static bool is_constant(enum condition_comparison comparison, bool is_signed, uint64_t max, uint64_t bits,
			uint64_t val)
{
	switch (comparison) {
	case CONDITION_EQ:
	case CONDITION_NE:
		return val > max || val & ~bits;
	case CONDITION_LT:
	case CONDITION_GE:
		return val > max || (!is_signed && !val);
	case CONDITION_LE:
	case CONDITION_GT:
		return val >= max;
	}
	return false;
}

/* Does what is_constant() does, for a negative @val and a field whose values are at least @min. */
static bool is_constant_negative(enum condition_comparison comparison, int64_t min, int64_t val)
{
	switch (comparison) {
	case CONDITION_LT:
	case CONDITION_GE:
		return val <= min;
	case CONDITION_EQ:
	case CONDITION_NE:
	case CONDITION_LE:
	case CONDITION_GT:
		break;
	}
	return val < min;
}

static int check_negative(struct parser *p, const struct condition_field *field,
			  enum condition_comparison comparison, const struct condition_value *value)
{
	int64_t min = -(int64_t)field->max - 1;

	if (!field->is_signed || !is_constant_negative(comparison, min, (int64_t)value->val))
		return 0;
	return rule_fail(&p->r, value->at, "%s is at least %lld", field->name, (long long)min);
}

/* Rejects a comparison that always has the same outcome: it is a mistake. */
static int check_range(struct parser *p, const struct condition_field *field, const uint64_t *mask,
		       enum condition_comparison comparison, const struct condition_value *value)
{
	bool is_signed = field->is_signed && !mask;
	uint64_t max = mask ? *mask : field->max;

	if (value->negative)
		return check_negative(p, field, comparison, value);
	if (!is_constant(comparison, is_signed, max, mask ? *mask : UINT64_MAX, value->val))
		return 0;
	if (!value->val)
		return rule_fail(&p->r, value->at, "%s is unsigned here, never below 0%s", field->name,
				 field->is_raw && !mask ? "; <= -1 takes it as an int" : "");
	if (mask)
		return rule_fail(&p->r, value->at, "with its mask %s is at most 0x%llx and has no other bits",
				 field->name, (unsigned long long)max);
	return rule_fail(&p->r, value->at, "%s is at most %llu", field->name, (unsigned long long)max);
}

static int compare_number(struct parser *p, const struct condition_field *field,
			  enum condition_comparison comparison, const struct condition_value *value)
{
	int64_t val = (int64_t)value->val;

	if (field->is_signed || (value->negative && val < INT32_MIN))
		return condition_code__compare_signed(p->condition, field->field, comparison, val);
	if (value->negative)
		return condition_code__compare_int(p->condition, field->field, comparison, (int32_t)val);
	return condition_code__compare(p->condition, field->field, comparison, UINT64_MAX, value->val);
}

/* Parses a comparison from its operator on; @mask is NULL for the whole field. */
static int parse_right_side(struct parser *p, const struct condition_field *field, const uint64_t *mask)
{
	enum condition_comparison comparison = to_comparison(kind(p));
	struct condition_value value;
	int err;

	if (field->is_id && comparison != CONDITION_EQ && comparison != CONDITION_NE)
		return rule_fail(&p->r, here(p), "%s is compared with == or !=", field->name);
	err = next(p);
	if (!err)
		err = condition_value__read(&p->r, field, p->opts->names, &value);
	if (!err && mask && value.negative)
		return rule_fail(&p->r, value.at, "with its mask %s is never negative", field->name);
	if (!err)
		err = check_range(p, field, mask, comparison, &value);
	if (err)
		return err;
	if (mask)
		return condition_code__compare(p->condition, field->field, comparison, *mask, value.val);
	if (field->field == AUXBPF_FIELD_COMM_LOW)
		return compare_comm(p, comparison, &value);
	return compare_number(p, field, comparison, &value);
}

/* Parses FIELD & MASK from the & on. */
static int parse_bits(struct parser *p, const struct condition_field *field, size_t begin)
{
	uint32_t from = p->condition->nr_tests;
	struct condition_value mask;
	int err;

	if (!field->has_bits)
		return rule_fail(&p->r, here(p), "the bits of %s mean nothing: expected a comparison",
				 field->name);
	err = next(p);
	if (!err)
		err = condition_value__read(&p->r, field, p->opts->names, &mask);
	if (err)
		return err;
	if (mask.negative || !mask.val)
		return rule_fail(&p->r, mask.at, "a mask is above 0");
	if (is_comparison(kind(p)))
		return rule_fail(&p->r, here(p), "expected parentheses before it: (%s & ...) %s ...",
				 field->name, p->r.token.text);
	err = condition_code__test(p->condition, field->field, AUXBPF_OP_EQ, mask.val, 0);
	if (err)
		return err;
	condition_code__not(p->condition, from);
	p->bits.field = field;
	p->bits.mask = mask.val;
	p->bits.begin = begin;
	p->bits.end = here(p);
	return 0;
}

static int fail_no_field(struct parser *p)
{
	const struct condition_event_fields *event = p->opts->event;
	char names[NEAREST_MAX * (NEAREST_NAME_MAX + 8)], own[80] = "";
	const char *text = p->r.token.text;
	struct nearest near = {0};

	if (kind(p) != RULE_TOKEN_WORD || isdigit((unsigned char)*text))
		return rule_fail(&p->r, here(p),
				 "expected a field and what it is compared with, as in uid == 1000");
	condition_field__offer(&near, text, p->opts->fields);
	if (event)
		event->offer(event->arg, &near, text);
	nearest__format(&near, names, sizeof(names));
	if (*names)
		return rule_fail(&p->r, here(p), "unknown field '%.40s'; did you mean %s?", text, names);
	condition_field__list(p->opts->fields, names, sizeof(names));
	if (event)
		event->list(event->arg, own, sizeof(own));
	return rule_fail(&p->r, here(p), "unknown field '%.40s'; there are %s%s%s", text, names,
			 *own ? "; its own are " : "", own);
}

/* Finds a field of the event or of the language. */
static int find_field(struct parser *p, const struct condition_field **ret)
{
	const struct condition_event_fields *event = p->opts->event;
	char why[192];
	int err = -ENOENT;

	if (kind(p) != RULE_TOKEN_WORD)
		return fail_no_field(p);
	if (event)
		err = event->find(event->arg, p->r.token.text, ret, why, sizeof(why));
	if (err == -EINVAL)
		return rule_fail(&p->r, here(p), "%s", why);
	if (err != -ENOENT)
		return err;
	*ret = condition_field__find(p->r.token.text);
	if (!*ret)
		return fail_no_field(p);
	if (!(p->opts->fields & CONDITION_FIELD((*ret)->field)))
		return rule_fail(&p->r, here(p), "%s is not known %s; only %s triggers have it", (*ret)->name,
				 p->opts->moment, (*ret)->known_at);
	return 0;
}

static int parse_comparison(struct parser *p)
{
	const struct condition_field *field = NULL;
	size_t begin = here(p);
	int err = find_field(p, &field);

	if (!err)
		err = next(p);
	if (err)
		return err;
	if (kind(p) == RULE_TOKEN_MASK)
		return parse_bits(p, field, begin);
	if (is_comparison(kind(p)))
		return parse_right_side(p, field, NULL);
	return rule_fail(&p->r, here(p), "expected an operator behind %s: == != < <= > >= or &", field->name);
}

static int parse_parentheses(struct parser *p)
{
	size_t begin = here(p), inside;
	int err;

	if (p->depth++ == MAX_DEPTH)
		return rule_fail(&p->r, begin, "more than %d parentheses inside each other", MAX_DEPTH);
	err = next(p);
	inside = here(p);
	if (!err)
		err = parse_condition(p);
	if (err)
		return err;
	if (kind(p) != RULE_TOKEN_CLOSE)
		return rule_fail(&p->r, here(p), "expected ) or && or ||");
	if (p->bits.begin != inside || p->bits.end != here(p))
		p->bits.field = NULL;
	err = next(p);
	p->bits.begin = begin;
	p->bits.end = here(p);
	p->depth--;
	return err;
}

static int parse_not(struct parser *p)
{
	uint32_t from = p->condition->nr_tests;
	int err = next(p);

	if (err)
		return err;
	if (kind(p) != RULE_TOKEN_OPEN)
		return rule_fail(&p->r, here(p), "expected ( behind !, as in !(uid == 0)");
	err = parse_parentheses(p);
	if (err)
		return err;
	if (is_comparison(kind(p)))
		return rule_fail(&p->r, here(p), "expected && or ||: what ! gives is not compared");
	condition_code__not(p->condition, from);
	return 0;
}

/* Parses what parentheses are around: a condition, or the FIELD & MASK of a comparison. */
static int parse_group(struct parser *p)
{
	int err = parse_parentheses(p);

	if (err || !is_comparison(kind(p)))
		return err;
	if (!p->bits.field)
		return rule_fail(&p->r, here(p),
				 "expected && or ||: in parentheses only FIELD & MASK is compared");
	p->condition->nr_tests--;
	return parse_right_side(p, p->bits.field, &p->bits.mask);
}

static int parse_primary(struct parser *p)
{
	size_t begin = here(p);
	int err;

	if (kind(p) == RULE_TOKEN_NOT)
		err = parse_not(p);
	else if (kind(p) == RULE_TOKEN_OPEN)
		err = parse_group(p);
	else
		err = parse_comparison(p);
	if (err == -E2BIG)
		return rule_fail(&p->r, begin, "the condition is too long: there is room for %d comparisons",
				 AUXBPF_CONDITION_TESTS);
	return err;
}

static int parse_all_of(struct parser *p)
{
	uint32_t from = p->condition->nr_tests, second;
	int err = parse_primary(p);

	while (!err && kind(p) == RULE_TOKEN_AND) {
		second = p->condition->nr_tests;
		err = next(p);
		if (!err)
			err = parse_primary(p);
		if (!err)
			condition_code__and(p->condition, from, second);
	}
	return err;
}

static int parse_condition(struct parser *p)
{
	uint32_t from = p->condition->nr_tests, second;
	int err = parse_all_of(p);

	while (!err && kind(p) == RULE_TOKEN_OR) {
		second = p->condition->nr_tests;
		err = next(p);
		if (!err)
			err = parse_all_of(p);
		if (!err)
			condition_code__or(p->condition, from, second);
	}
	return err;
}

int condition__parse(const char *text, size_t *at, const struct condition_opts *opts,
		     struct auxbpf_condition *ret, char *message, size_t size)
{
	struct parser p = {
		.r = {.text = text, .next = *at, .message = message, .size = size},
		.opts = opts,
		.condition = ret,
	};
	int err;

	memset(ret, 0, sizeof(*ret));
	err = next(&p);
	if (!err)
		err = parse_condition(&p);
	if (err)
		return err;
	if (kind(&p) != RULE_TOKEN_END && kind(&p) != RULE_TOKEN_CLOSE)
		return rule_fail(&p.r, here(&p), "expected && or || or the end of the condition");
	*at = here(&p);
	return 0;
}

int condition__parse_rest(const char *text, size_t at, const struct condition_opts *opts,
			  struct auxbpf_condition *ret, char *message, size_t size)
{
	const struct rule_reader r = {.text = text, .message = message, .size = size};
	int err = condition__parse(text, &at, opts, ret, message, size);

	if (!err && text[at])
		return rule_fail(&r, at, "this ) has no (");
	return err;
}
