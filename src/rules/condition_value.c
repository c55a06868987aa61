// SPDX-License-Identifier: GPL-2.0-only
#include "rules/condition_value.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "rules/names.h"

static const struct {
	const char *suffix;
	enum condition_value_kind kind;
	uint64_t factor;
} units[] = {
	{"", CONDITION_NUMBER, 1},	     {"k", CONDITION_SIZE, 1ull << 10},
	{"kb", CONDITION_SIZE, 1ull << 10},  {"kib", CONDITION_SIZE, 1ull << 10},
	{"m", CONDITION_SIZE, 1ull << 20},   {"mb", CONDITION_SIZE, 1ull << 20},
	{"mib", CONDITION_SIZE, 1ull << 20}, {"g", CONDITION_SIZE, 1ull << 30},
	{"gb", CONDITION_SIZE, 1ull << 30},  {"gib", CONDITION_SIZE, 1ull << 30},
	{"ns", CONDITION_TIME, 1},	     {"us", CONDITION_TIME, 1000},
	{"ms", CONDITION_TIME, 1000000},     {"s", CONDITION_TIME, 1000000000},
};

static const char *kind_name(enum condition_value_kind kind)
{
	switch (kind) {
	case CONDITION_NUMBER:
		return "a number";
	case CONDITION_SIZE:
		return "a size";
	case CONDITION_TIME:
		return "a time";
	case CONDITION_FLAG:
		return "a flag";
	case CONDITION_SIGNAL:
		return "a signal";
	case CONDITION_ERRNO:
		return "an error";
	case CONDITION_ID:
		return "a name";
	case CONDITION_STRING:
		break;
	}
	return "a string";
}

/* The value of one word. */
struct word {
	enum condition_value_kind kind;
	uint64_t val;
	bool negative;
};

static int read_number(struct rule_reader *r, struct word *ret)
{
	const char *text = r->token.text;
	uint64_t val;
	char *unit;

	errno = 0;
	val = strtoull(text, &unit, 0);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcasecmp(unit, units[i].suffix))
			continue;
		if (errno == ERANGE || val > UINT64_MAX / units[i].factor)
			return rule_fail(r, r->token.at, "'%.40s' is too large", text);
		*ret = (struct word){units[i].kind, val * units[i].factor, false};
		return 0;
	}
	return rule_fail(r, r->token.at, "'%.40s' is not a number", text);
}

static int read_constant(struct rule_reader *r, const struct condition_field *field, struct word *ret)
{
	static const enum condition_value_kind kinds[] = {
		[NAME_ERRNO] = CONDITION_ERRNO,
		[NAME_SIGNAL] = CONDITION_SIGNAL,
		[NAME_FLAG] = CONDITION_FLAG,
	};
	char names[NEAREST_MAX * (NEAREST_NAME_MAX + 8)];
	struct nearest near = {0};
	enum name_kind kind;
	int64_t val;

	if (!names__find(r->token.text, &kind, &val)) {
		*ret = (struct word){kinds[kind], (uint64_t)val, val < 0};
		return 0;
	}
	names__offer(&near, r->token.text);
	nearest__format(&near, names, sizeof(names));
	if (*names)
		return rule_fail(r, r->token.at, "unknown name '%.40s'; did you mean %s?", r->token.text,
				 names);
	return rule_fail(r, r->token.at, "unknown name '%.40s'; expected %s", r->token.text, field->wants);
}

static int resolve_name(struct rule_reader *r, const struct condition_field *field,
			const struct condition_names *names, struct word *ret)
{
	const char *what = field->field == AUXBPF_FIELD_UID ? "user" : "cgroup";
	int err;

	ret->kind = CONDITION_ID;
	ret->negative = false;
	if (!names)
		return rule_fail(r, r->token.at, "names of a %s are not known here; expected a number", what);
	err = names->resolve(names->arg, field->field, r->token.text, &ret->val);
	if (err == -ENOENT)
		return rule_fail(r, r->token.at, "there is no %s '%.100s'", what, r->token.text);
	if (err)
		return rule_fail(r, r->token.at, "cannot look up the %s '%.100s': %s", what, r->token.text,
				 strerror(-err));
	return 0;
}

static int check_word(struct rule_reader *r, const struct condition_field *field, const struct word *word)
{
	if (!(field->kinds & word->kind))
		return rule_fail(r, r->token.at, "'%.40s' is %s; %s is compared with %s", r->token.text,
				 kind_name(word->kind), field->name, field->wants);
	return 0;
}

static int read_word(struct rule_reader *r, const struct condition_field *field,
		     const struct condition_names *names, struct word *ret)
{
	int err;

	*ret = (struct word){CONDITION_STRING};
	if (r->token.kind == RULE_TOKEN_WORD && isdigit((unsigned char)*r->token.text))
		err = read_number(r, ret);
	else if (field->kinds & CONDITION_ID)
		err = resolve_name(r, field, names, ret);
	else if (r->token.kind == RULE_TOKEN_STRING)
		err = 0;
	else
		err = read_constant(r, field, ret);
	return err ? err : check_word(r, field, ret);
}

static int negate(struct rule_reader *r, const struct condition_field *field, size_t at, struct word *word)
{
	if (!field->is_raw && !field->is_signed)
		return rule_fail(r, at, "%s is never negative", field->name);
	if (!word->negative && word->val > 1ull << 63)
		return rule_fail(r, at, "'-%.40s' is too small", r->token.text);
	word->val = -word->val;
	word->negative = (int64_t)word->val < 0;
	return 0;
}

/* Reads a word with its sign. */
static int read_signed(struct rule_reader *r, const struct condition_field *field,
		       const struct condition_names *names, struct word *ret)
{
	bool minus = r->token.kind == RULE_TOKEN_MINUS;
	size_t at = r->token.at;
	int err = minus ? rule_reader__next(r) : 0;

	if (err)
		return err;
	if (r->token.kind != RULE_TOKEN_WORD && r->token.kind != RULE_TOKEN_STRING)
		return rule_fail(r, r->token.at, "expected %s", field->wants);
	err = read_word(r, field, names, ret);
	if (!err && minus)
		err = negate(r, field, at, ret);
	else if (!err && ret->kind == CONDITION_ERRNO && field->field == AUXBPF_FIELD_RET)
		return rule_fail(r, at, "errors are returned as negative numbers: expected -%s",
				 r->token.text);
	return err ? err : rule_reader__next(r);
}

static int read_list(struct rule_reader *r, const struct condition_field *field,
		     const struct condition_names *names, struct condition_value *ret)
{
	bool joined = false;
	struct word word;
	int err;

	for (;; joined = true) {
		size_t at = r->token.at;

		err = read_signed(r, field, names, &word);
		if (err)
			return err;
		ret->val |= word.val;
		ret->negative |= word.negative;
		joined |= r->token.kind == RULE_TOKEN_UNITE;
		if (joined && (!(field->kinds & CONDITION_FLAG) || word.negative))
			return rule_fail(r, at, "only flags and positive numbers are joined with |");
		if (r->token.kind != RULE_TOKEN_UNITE)
			return 0;
		err = rule_reader__next(r);
		if (err)
			return err;
	}
}

static int read_comm(struct rule_reader *r, const struct condition_field *field, struct condition_value *ret)
{
	const char *text = r->token.text;

	if (r->token.kind != RULE_TOKEN_WORD && r->token.kind != RULE_TOKEN_STRING)
		return rule_fail(r, r->token.at, "expected %s", field->wants);
	if (r->token.kind == RULE_TOKEN_WORD && strpbrk(text, "*?["))
		return rule_fail(r, r->token.at,
				 "comm is compared with a whole name, not with a pattern; in quotes "
				 "these characters are themselves");
	if (strlen(text) >= sizeof(ret->comm))
		return rule_fail(r, r->token.at,
				 "a task's name has at most %zu characters; of this one the kernel "
				 "keeps '%.15s'",
				 sizeof(ret->comm) - 1, text);
	strncpy(ret->comm, text, sizeof(ret->comm));
	return rule_reader__next(r);
}

int condition_value__read(struct rule_reader *r, const struct condition_field *field,
			  const struct condition_names *names, struct condition_value *ret)
{
	int err;

	*ret = (struct condition_value){.at = r->token.at};
	if (field->kinds & CONDITION_STRING)
		return read_comm(r, field, ret);
	if (r->token.kind != RULE_TOKEN_OPEN)
		return read_list(r, field, names, ret);
	err = rule_reader__next(r);
	if (!err)
		err = read_list(r, field, names, ret);
	if (err)
		return err;
	if (r->token.kind != RULE_TOKEN_CLOSE)
		return rule_fail(r, r->token.at, "expected ) or |");
	return rule_reader__next(r);
}
