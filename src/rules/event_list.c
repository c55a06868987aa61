// SPDX-License-Identifier: GPL-2.0-only
#include "rules/event_list.h"

#include <stdbool.h>
#include <string.h>

#define BREAKPOINT "mem:"

char *event_list__next(char **list)
{
	char *item = *list, *end = item;
	bool in_terms = false, in_group = false, has_terms;

	if (!item)
		return NULL;
	/* A breakpoint has a single slash, in front of its length. */
	has_terms = strncmp(item, BREAKPOINT, strlen(BREAKPOINT));
	for (; *end && (in_terms || in_group || *end != ','); end++) {
		if (*end == '{' || *end == '}')
			in_group = *end == '{';
		in_terms ^= has_terms && !in_group && *end == '/';
	}
	*list = *end ? end + 1 : NULL;
	*end = '\0';
	return item;
}
