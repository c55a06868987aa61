// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/kallsyms.h"

#include <string.h>

/* Reads the line at *@pos without its newline and moves *@pos behind it; false at the end of the text. */
static bool next_line(struct span text, size_t *pos, struct span *line)
{
	const char *start = (const char *)text.data + *pos;
	const char *end;

	if (*pos >= text.len)
		return false;
	end = memchr(start, '\n', text.len - *pos);
	line->data = start;
	line->len = end ? (size_t)(end - start) : text.len - *pos;
	*pos += line->len + 1;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Takes the next word off *@line; empty if there is none. */
static struct span next_word(struct span *line)
{
	const char *s = line->data, *end = s + line->len;
	const char *start;

	while (s < end && is_blank(*s))
		s++;
	start = s;
	while (s < end && !is_blank(*s))
		s++;
	*line = (struct span){s, (size_t)(end - s)};
	return (struct span){start, (size_t)(s - start)};
}

static bool parse_number(struct span word, unsigned int base, uint64_t *ret)
{
	const char *s = word.data;
	size_t i = 0;

	if (base == 16 && word.len > 2 && s[0] == '0' && s[1] == 'x')
		i = 2;
	*ret = 0;
	if (i == word.len)
		return false;
	for (; i < word.len; i++) {
		unsigned int c = (unsigned char)s[i], letter = c | 0x20;
		unsigned int digit = c >= '0' && c <= '9'	      ? c - '0'
				     : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
								      : base;

		if (digit >= base)
			return false;
		*ret = *ret * base + digit;
	}
	return true;
}

static bool parse_symbol(struct span line, struct kallsyms_symbol *ret)
{
	struct span addr = next_word(&line), type = next_word(&line), name = next_word(&line);
	struct span module = next_word(&line);

	if (!parse_number(addr, 16, &ret->addr) || type.len != 1 || !name.len)
		return false;
	ret->type = *(const char *)type.data;
	ret->name = name;
	ret->module = (struct span){NULL, 0};
	if (module.len > 2 && *(const char *)module.data == '[')
		ret->module = (struct span){(const char *)module.data + 1, module.len - 2};
	return true;
}

bool kallsyms__next(struct span text, size_t *pos, struct kallsyms_symbol *ret)
{
	struct span line;

	while (next_line(text, pos, &line))
		if (parse_symbol(line, ret))
			return true;
	return false;
}

static struct span line_around(struct span text, size_t at)
{
	const char *s = text.data;
	size_t begin = at, end = at;

	while (begin && s[begin - 1] != '\n')
		begin--;
	while (end < text.len && s[end] != '\n')
		end++;
	return (struct span){s + begin, end - begin};
}

uint64_t kallsyms__find(struct span text, const char *name)
{
	const char *s = text.data, *at = s;
	struct kallsyms_symbol sym;

	while (at && (at = memmem(at, text.len - (size_t)(at - s), name, strlen(name)))) {
		if (parse_symbol(line_around(text, (size_t)(at - s)), &sym) && !sym.module.len &&
		    kallsyms__name_is(sym.name, name))
			return sym.addr;
		at = memchr(at, '\n', text.len - (size_t)(at - s));
	}
	return 0;
}

size_t kallsyms__modules_at(struct span text)
{
	const char *s = text.data, *at = memmem(text.data, text.len, "\t[", 2);
	struct span line;

	if (!at)
		return text.len;
	line = line_around(text, (size_t)(at - s));
	return (size_t)((const char *)line.data - s);
}

/* A line is: name size uses users state address [taints] */
static bool parse_module(struct span line, struct kallsyms_module *ret)
{
	struct span name = next_word(&line), size = next_word(&line);
	struct span addr;

	next_word(&line);
	next_word(&line);
	next_word(&line);
	addr = next_word(&line);
	if (!name.len || name.len >= sizeof(ret->name) || !parse_number(size, 10, &ret->size) ||
	    !parse_number(addr, 16, &ret->addr))
		return false;
	memcpy(ret->name, name.data, name.len);
	ret->name[name.len] = '\0';
	return true;
}

bool kallsyms__next_module(struct span text, size_t *pos, struct kallsyms_module *ret)
{
	struct span line;

	while (next_line(text, pos, &line))
		if (parse_module(line, ret))
			return true;
	return false;
}

bool kallsyms__is_code(const struct kallsyms_symbol *sym)
{
	return sym->type == 'T' || sym->type == 't' || sym->type == 'W' || sym->type == 'w';
}

bool kallsyms__name_is(struct span name, const char *s)
{
	return name.len == strlen(s) && !memcmp(name.data, s, name.len);
}

bool kallsyms__same_modules(struct span a, struct span b)
{
	struct kallsyms_module ma, mb;
	size_t pa = 0, pb = 0;
	bool more;

	do {
		more = kallsyms__next_module(a, &pa, &ma);
		if (more != kallsyms__next_module(b, &pb, &mb))
			return false;
		if (more && (ma.addr != mb.addr || ma.size != mb.size || strcmp(ma.name, mb.name)))
			return false;
	} while (more);
	return true;
}
