// SPDX-License-Identifier: GPL-2.0-only
#include "rules/tracepoint_format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t"

/* A declaration: "unsigned int nr_sector", "char rwbs[8]", "__data_loc char[] cmd". */
struct declaration {
	const char *text;
	size_t len;
	size_t name, name_end; /* where the name is in it */
	bool is_array;
};

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool has(const struct declaration *d, const char *what)
{
	return memmem(d->text, d->len, what, strlen(what));
}

static bool begins(const struct declaration *d, const char *with)
{
	return d->len >= strlen(with) && !strncmp(d->text, with, strlen(with));
}

/* Finds the name: the last word before the size of an array. */
static void find_name(struct declaration *d)
{
	size_t end = d->len;

	while (end && !is_name_char(d->text[end - 1]) && d->text[end - 1] != ']')
		end--;
	d->is_array = end && d->text[end - 1] == ']';
	if (d->is_array) {
		while (end && d->text[end - 1] != '[')
			end--;
		end -= !!end;
	}
	d->name_end = end;
	while (end && is_name_char(d->text[end - 1]))
		end--;
	d->name = end;
}

static enum trace_field_kind classify(const struct declaration *d, uint64_t size)
{
	if (d->is_array || begins(d, "__data_loc") || begins(d, "__rel_loc"))
		return has(d, "char") ? TRACE_FIELD_TEXT : TRACE_FIELD_OTHER;
	if ((begins(d, "struct ") || begins(d, "union ")) && !has(d, "*"))
		return TRACE_FIELD_OTHER;
	return size == 1 || size == 2 || size == 4 || size == 8 ? TRACE_FIELD_NUMBER : TRACE_FIELD_OTHER;
}

/* Takes "KEY:NUMBER;" and the blanks around it. */
static bool take_number(const char **s, const char *key, uint64_t *ret)
{
	char *end;

	*s += strspn(*s, BLANKS);
	if (strncmp(*s, key, strlen(key)))
		return false;
	*s += strlen(key);
	if (!isdigit((unsigned char)**s))
		return false;
	*ret = strtoull(*s, &end, 10);
	*s = end + 1;
	return *end == ';';
}

static bool take_field(const char *line, struct trace_field *ret)
{
	struct declaration d;
	uint64_t offset, size, is_signed;
	size_t len;

	line += strspn(line, BLANKS);
	if (strncmp(line, "field:", 6))
		return false;
	d.text = line + 6;
	d.len = strcspn(d.text, ";\n");
	line = d.text + d.len;
	if (*line++ != ';' || !take_number(&line, "offset:", &offset) ||
	    !take_number(&line, "size:", &size) || !take_number(&line, "signed:", &is_signed) ||
	    offset > UINT16_MAX || size > UINT16_MAX)
		return false;
	find_name(&d);
	len = d.name_end - d.name;
	if (!len || len >= sizeof(ret->name) || !strncmp(d.text + d.name, "common_", 7))
		return false;
	memcpy(ret->name, d.text + d.name, len);
	ret->name[len] = '\0';
	ret->kind = classify(&d, size);
	ret->offset = (uint16_t)offset;
	ret->size = (uint16_t)size;
	ret->is_signed = is_signed;
	return true;
}

bool tracepoint_format__next(const char **text, struct trace_field *ret)
{
	while (**text) {
		const char *line = *text;

		*text += strcspn(*text, "\n");
		*text += **text == '\n';
		if (take_field(line, ret))
			return true;
	}
	return false;
}
