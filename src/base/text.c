// SPDX-License-Identifier: GPL-2.0-only
#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The most bytes that an escaped byte takes: "\377". */
#define ESCAPE_SIZE 4

/*
 * Reads one character of UTF-8. Returns its length, or 0 if it is not valid (RFC 3629): a stray or missing
 * continuation, more bytes than needed, a surrogate, or a code beyond U+10FFFF.
 */
static size_t read_char(const unsigned char *s, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = *s < 0x80 ? 1 : *s < 0xc0 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf8 ? 4 : 0;

	*code = len < 2 ? *s : *s & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (len && (*code < least[len] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)))
		return 0;
	return len;
}

static bool is_printable(uint32_t code)
{
	bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
	bool is_line_end = code == 0x2028 || code == 0x2029;
	bool turns = code == 0x61c || code == 0x200e || code == 0x200f ||
		     (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);

	return !is_control && !is_line_end && !turns;
}

static char *escape(char *to, unsigned char byte)
{
	switch (byte) {
	case '\n':
		return stpcpy(to, "\\n");
	case '\t':
		return stpcpy(to, "\\t");
	}
	return to + sprintf(to, "\\%03o", byte);
}

static char *make_printable(const char *text, uint32_t kept)
{
	const unsigned char *s = (const unsigned char *)text;
	char *copy = malloc(strlen(text) * ESCAPE_SIZE + 1), *to = copy;
	uint32_t code;

	while (copy && *s) {
		size_t len = read_char(s, &code);
		bool is_plain = len && (code == kept || is_printable(code));

		for (len = len ?: 1; len; len--, s++) {
			if (is_plain)
				*to++ = (char)*s;
			else
				to = escape(to, *s);
		}
	}
	if (copy)
		*to = '\0';
	return copy;
}

char *text__printable(const char *text)
{
	return make_printable(text, 0);
}

char *text__printable_lines(const char *text)
{
	return make_printable(text, '\n');
}

char *text__utf8(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	const unsigned char *s = (const unsigned char *)text;
	char *copy = malloc(strlen(text) * strlen(replacement) + 1), *to = copy;
	uint32_t code;

	while (copy && *s) {
		size_t len = read_char(s, &code);

		to = len ? mempcpy(to, s, len) : stpcpy(to, replacement);
		s += len ?: 1;
	}
	if (copy)
		*to = '\0';
	return copy;
}

void text__print_line(FILE *to, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL, *line = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	line = text ? text__printable(text) : NULL;
	fprintf(to, "%s\n", line ? line : "out of memory");
}
