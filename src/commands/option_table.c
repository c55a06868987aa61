// SPDX-License-Identifier: GPL-2.0-only
#include "commands/option_table.h"

#include <string.h>

/* getopt_long() returns the letter of an option, or this and the index of its entry. */
#define NO_LETTER 256

const struct option_entry option_table[OPTION_TABLE_NR] = {
#define OPTION(set, ...) {__VA_ARGS__},
#include "commands/option_table.def"
#undef OPTION
};

static int value_of(int index)
{
	const char *letter = option_table[index].letter;

	return letter ? letter[1] : NO_LETTER + index;
}

static int has_arg(const struct option_entry *entry)
{
	switch (entry->takes) {
	case ARGUMENT_REQUIRED:
		return required_argument;
	case ARGUMENT_OPTIONAL:
		return optional_argument;
	case ARGUMENT_NONE:
	case ARGUMENT_WORD:
		break;
	}
	return no_argument;
}

void option_table__init_parser(struct option_parser *parser)
{
	char *letters = parser->letters;

	*parser = (struct option_parser){0};
	*letters++ = '+';
	for (int i = 0; i < OPTION_TABLE_NR; i++) {
		const struct option_entry *entry = &option_table[i];

		parser->options[i] =
			(struct option){entry->name + strlen("--"), has_arg(entry), NULL, value_of(i)};
		if (!entry->letter)
			continue;
		*letters++ = entry->letter[1];
		for (int colons = has_arg(entry); colons; colons--)
			*letters++ = ':';
	}
}

int option_table__index(int value)
{
	for (int i = 0; i < OPTION_TABLE_NR; i++) {
		if (value_of(i) == value)
			return i;
	}
	return -1;
}

const char *option_table__spelling(const struct option_entry *entry)
{
	return entry->letter ?: entry->name;
}
