// SPDX-License-Identifier: GPL-2.0-only
#include "rules/glob.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PLACES 64

/*
 * Compiles one pattern. A pattern of n characters has n + 1 places: one before each of them, and one behind
 * the last. The last place accepts nothing, so no pattern goes on into the next one.
 */
struct compiler {
	const char *pattern;
	const char *at;
	struct auxbpf_glob glob;
	unsigned int place;
	unsigned int nr; /* number of characters so far */
	char *message;
	size_t size;
};

/* A set of bytes, for one character of a pattern. */
struct byte_set {
	bool has[256];
};

static unsigned int free_place(const struct auxbpf_glob *glob)
{
	/* The highest place in use is always the end of a pattern. */
	return glob->ends ? PLACES - (unsigned int)__builtin_clzll(glob->ends) : 0;
}

#define fail(c, ...) (snprintf((c)->message, (c)->size, __VA_ARGS__), -EINVAL)

/* Takes one byte inside brackets, or outside of them after a backslash. */
static int take_byte(struct compiler *c, unsigned char *ret)
{
	if (*c->at == '\\')
		c->at++;
	if (!*c->at)
		return fail(c, "the pattern '%s' ends with a backslash", c->pattern);
	*ret = (unsigned char)*c->at++;
	return 0;
}

/* Takes "a" or "a-z". A minus before the closing bracket stands for itself. */
static int take_range(struct compiler *c, struct byte_set *set)
{
	unsigned char first, last;
	int err;

	if (c->at[0] == '[' && c->at[1] && strchr(":.=", c->at[1]))
		return fail(
			c,
			"'[%c' inside brackets in the pattern '%s': only characters and ranges can be there",
			c->at[1], c->pattern);
	err = take_byte(c, &first);
	if (err)
		return err;
	last = first;
	if (c->at[0] == '-' && c->at[1] && c->at[1] != ']') {
		c->at++;
		err = take_byte(c, &last);
		if (err)
			return err;
	}
	if (last < first)
		return fail(c, "the range %c-%c in the pattern '%s' is backwards", first, last, c->pattern);
	for (unsigned int b = first; b <= last; b++)
		set->has[b] = true;
	return 0;
}

static int take_brackets(struct compiler *c, struct byte_set *set)
{
	bool exclude, first = true;
	int err;

	c->at++;
	exclude = *c->at == '!' || *c->at == '^';
	if (exclude)
		c->at++;
	/* A closing bracket that comes first stands for itself. */
	for (; first || *c->at != ']'; first = false) {
		if (!*c->at)
			return fail(c,
				    "'[' without ']' in the pattern '%s'; for the character itself write \\[",
				    c->pattern);
		err = take_range(c, set);
		if (err)
			return err;
	}
	c->at++;
	for (unsigned int b = 0; exclude && b < ARRAY_SIZE(set->has); b++)
		set->has[b] = !set->has[b];
	return 0;
}

static int take_set(struct compiler *c, struct byte_set *set)
{
	unsigned char byte;
	int err;

	if (*c->at == '[')
		return take_brackets(c, set);
	if (*c->at == '?') {
		memset(set, true, sizeof(*set));
		c->at++;
		return 0;
	}
	err = take_byte(c, &byte);
	if (!err)
		set->has[byte] = true;
	return err;
}

static int check_length(struct compiler *c)
{
	if (c->nr == AUXBPF_COMM_LEN - 1)
		return fail(c, "the pattern '%s' asks for more than the %d characters that a task's name has",
			    c->pattern, AUXBPF_COMM_LEN - 1);
	if (c->place + 1 < PLACES)
		return 0;
	snprintf(c->message, c->size,
		 "no room for the pattern '%s': patterns have %d places, one each and one for each character",
		 c->pattern, PLACES);
	return -E2BIG;
}

static int take_character(struct compiler *c)
{
	struct byte_set set = {0};
	int err = take_set(c, &set);

	if (!err)
		err = check_length(c);
	if (err)
		return err;
	for (unsigned int b = 0; b < ARRAY_SIZE(set.has); b++) {
		if (set.has[b])
			c->glob.accepts[b] |= 1ull << c->place;
	}
	c->place++;
	c->nr++;
	return 0;
}

int glob__compile(struct auxbpf_glob *glob, const char *pattern, char *message, size_t size)
{
	struct compiler c = {.pattern = pattern, .at = pattern, .message = message, .size = size};
	int err = 0;

	if (!*pattern)
		return fail(&c, "an empty pattern: no task is without a name");
	c.glob = *glob;
	c.place = free_place(glob);
	if (c.place == PLACES) {
		snprintf(message, size, "no room for the pattern '%s': those before it take all %d places",
			 pattern, PLACES);
		return -E2BIG;
	}
	c.glob.begins |= 1ull << c.place;
	while (!err && *c.at) {
		if (*c.at == '*') {
			c.glob.stays |= 1ull << c.place;
			c.at++;
		} else {
			err = take_character(&c);
		}
	}
	if (err)
		return err;
	c.glob.ends |= 1ull << c.place;
	*glob = c.glob;
	return 0;
}
