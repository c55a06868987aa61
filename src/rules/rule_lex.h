/* SPDX-License-Identifier: GPL-2.0-only */
/* Splits rules into words, and makes messages that point at a place in a rule. */
#ifndef AUXBPF_RULES_RULE_LEX_H
#define AUXBPF_RULES_RULE_LEX_H

#include <stddef.h>

#include "base/cleanup.h"

/* The size of the longest message: what is wrong, the place in the rule, and a caret below it. */
#define RULE_MESSAGE_SIZE 512

/* The size of the longest word or string, which is a path of a cgroup. */
#define RULE_WORD_MAX 4096

enum rule_token_kind {
	RULE_TOKEN_END,
	RULE_TOKEN_WORD,   /* a name, a number, a bare string */
	RULE_TOKEN_STRING, /* a string in quotes */
	RULE_TOKEN_OPEN,
	RULE_TOKEN_CLOSE,
	RULE_TOKEN_NOT,
	RULE_TOKEN_AND,
	RULE_TOKEN_OR,
	RULE_TOKEN_MASK,  /* & */
	RULE_TOKEN_UNITE, /* | */
	RULE_TOKEN_MINUS,
	RULE_TOKEN_EQ,
	RULE_TOKEN_NE,
	RULE_TOKEN_LT,
	RULE_TOKEN_LE,
	RULE_TOKEN_GT,
	RULE_TOKEN_GE,
};

struct rule_token {
	enum rule_token_kind kind;
	size_t at;		  /* where it begins in the text */
	char text[RULE_WORD_MAX]; /* text of a word or an operator, or contents of a string */
};

/* Reads the text of a rule, one token at a time. */
struct rule_reader {
	const char *text;
	size_t next;		 /* where the next token is looked for */
	struct rule_token token; /* the token that was read last */
	char *message;		 /* what is wrong is written here; RULE_MESSAGE_SIZE is enough */
	size_t size;
};

/*
 * Reads the next token. Returns -EINVAL with a message if there is none: an unknown character, a string
 * without an end.
 */
int rule_reader__next(struct rule_reader *r) _must_check_ _nonnull_(1);

/*
 * Writes into the message what is wrong, and below it the rule with a caret at the place @at. Of a long rule
 * only the part around that place is shown.
 */
void rule_reader__point(const struct rule_reader *r, size_t at, const char *fmt, ...) _printf_format_(3, 4)
	_nonnull_(1, 3);

/* Writes the message of rule_reader__point(), and has the value -EINVAL. */
#define rule_fail(r, at, ...) (rule_reader__point(r, at, __VA_ARGS__), -EINVAL)

#endif
