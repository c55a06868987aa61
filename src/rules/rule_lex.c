// SPDX-License-Identifier: GPL-2.0-only
#include "rules/rule_lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* How many bytes of a rule are shown before the caret and behind it. */
#define SHOWN_BEFORE 56
#define SHOWN_BEHIND 40

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Appends the characters of @text from @from to @to; control characters become blanks. */
static size_t put_excerpt(char *line, const char *text, size_t from, size_t to)
{
	size_t len = 0;

	for (size_t i = from; i < to; i++)
		line[len++] = iscntrl((unsigned char)text[i]) ? ' ' : text[i];
	return len;
}

/* Writes two lines of the same width: the rule and the caret below it. */
static void put_lines(char *message, size_t size, const char *text, size_t at)
{
	size_t end = strlen(text), from = at > SHOWN_BEFORE ? at - SHOWN_BEFORE : 0;
	size_t to = end - at > SHOWN_BEHIND ? at + SHOWN_BEHIND : end, len, column = 0;
	char line[SHOWN_BEFORE + SHOWN_BEHIND + 8];

	while (from && from < at && is_continuation(text[from]))
		from++;
	while (to < end && to > at && is_continuation(text[to]))
		to--;
	len = put_excerpt(line, text, from, to);
	line[len] = '\0';
	for (size_t i = from; i < at; i++)
		column += !is_continuation(text[i]);
	snprintf(message, size, "\n  %s%s%s\n  %s%*s^", from ? "..." : "", line, to < end ? "..." : "",
		 from ? "   " : "", (int)column, "");
}

void rule_reader__point(const struct rule_reader *r, size_t at, const char *fmt, ...)
{
	va_list args;
	size_t len;

	va_start(args, fmt);
	vsnprintf(r->message, r->size, fmt, args);
	va_end(args);
	len = strlen(r->message);
	put_lines(r->message + len, r->size - len, r->text, at);
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 || (c && strchr("_./:@%+*?[]\\~-", c));
}

static const struct {
	const char *text;
	enum rule_token_kind kind;
} operators[] = {
	/* The longer ones come first. */
	{"&&", RULE_TOKEN_AND},	 {"||", RULE_TOKEN_OR},	  {"==", RULE_TOKEN_EQ},   {"!=", RULE_TOKEN_NE},
	{"<=", RULE_TOKEN_LE},	 {">=", RULE_TOKEN_GE},	  {"<", RULE_TOKEN_LT},	   {">", RULE_TOKEN_GT},
	{"!", RULE_TOKEN_NOT},	 {"&", RULE_TOKEN_MASK},  {"|", RULE_TOKEN_UNITE}, {"(", RULE_TOKEN_OPEN},
	{")", RULE_TOKEN_CLOSE}, {"-", RULE_TOKEN_MINUS},
};

static bool take_operator(struct rule_reader *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		size_t len = strlen(operators[i].text);

		if (strncmp(r->text + r->next, operators[i].text, len))
			continue;
		r->token.kind = operators[i].kind;
		strcpy(r->token.text, operators[i].text);
		r->next += len;
		return true;
	}
	return false;
}

static int take_word(struct rule_reader *r)
{
	const char *word = r->text + r->next;
	size_t len = 0;

	while (is_word_char(word[len]))
		len++;
	if (len >= RULE_WORD_MAX)
		return rule_fail(r, r->token.at, "a word of %zu characters is too long", len);
	memcpy(r->token.text, word, len);
	r->token.text[len] = '\0';
	r->token.kind = RULE_TOKEN_WORD;
	r->next += len;
	return 0;
}

/* Takes a string in quotes of either kind; a backslash takes the next character as it is. */
static int take_string(struct rule_reader *r)
{
	const char *text = r->text;
	char quote = text[r->next++];
	size_t len = 0;

	for (; text[r->next] != quote; r->next++) {
		if (text[r->next] == '\\' && text[r->next + 1])
			r->next++;
		if (!text[r->next] || len == RULE_WORD_MAX - 1)
			return rule_fail(r, r->token.at, "this string has no end: expected another %c",
					 quote);
		r->token.text[len++] = text[r->next];
	}
	r->next++;
	r->token.text[len] = '\0';
	r->token.kind = RULE_TOKEN_STRING;
	return 0;
}

int rule_reader__next(struct rule_reader *r)
{
	char c;

	r->next += strspn(r->text + r->next, " \t\n");
	c = r->text[r->next];
	r->token.at = r->next;
	r->token.kind = RULE_TOKEN_END;
	*r->token.text = '\0';
	if (!c || take_operator(r))
		return 0;
	if (c == '"' || c == '\'')
		return take_string(r);
	if (is_word_char(c))
		return take_word(r);
	if (c == '=')
		return rule_fail(r, r->next, "'=' is no operator; == compares");
	if (isprint((unsigned char)c))
		return rule_fail(r, r->next, "'%c' is not part of the language", c);
	return rule_fail(r, r->next, "a control character (0x%02x)", c);
}
