// SPDX-License-Identifier: GPL-2.0-only
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static unsigned int min_uint(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Returns the edit distance by insertion, deletion and replacement. Only one row of the table is kept. */
static unsigned int edit_distance(const char *a, const char *b)
{
	unsigned int row[NEAREST_NAME_MAX + 1], diagonal, above;
	size_t len = strlen(b);

	for (size_t j = 0; j <= len; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 0; a[i]; i++) {
		diagonal = row[0];
		row[0] = (unsigned int)i + 1;
		for (size_t j = 0; j < len; j++) {
			above = row[j + 1];
			row[j + 1] = min_uint(min_uint(row[j], above) + 1, diagonal + (a[i] != b[j]));
			diagonal = above;
		}
	}
	return row[len];
}

static void insert(struct nearest *n, size_t at, const char *name, unsigned int distance)
{
	if (n->nr < NEAREST_MAX)
		n->nr++;
	for (size_t i = n->nr - 1; i > at; i--) {
		memcpy(n->names[i], n->names[i - 1], NEAREST_NAME_MAX);
		n->distances[i] = n->distances[i - 1];
	}
	snprintf(n->names[at], NEAREST_NAME_MAX, "%s", name);
	n->distances[at] = distance;
}

/*
 * Returns how far off a candidate is. The wanted name with a word added after an underscore counts as a slip.
 */
static unsigned int measure(const char *wanted, size_t len, const char *candidate)
{
	if (!strncmp(candidate, wanted, len) && candidate[len] == '_')
		return 1 + (unsigned int)(strlen(candidate) - len) / 8;
	return edit_distance(wanted, candidate);
}

void nearest__offer(struct nearest *n, const char *wanted, const char *candidate)
{
	size_t len = strlen(wanted), at = 0;
	unsigned int distance;

	if (len >= NEAREST_NAME_MAX || strlen(candidate) >= NEAREST_NAME_MAX)
		return;
	distance = measure(wanted, len, candidate);
	/*
	 * With half of its letters wrong it is another name, unless it contains the whole one ("uname",
	 * "newuname").
	 */
	if (distance > len / 2 && !strstr(candidate, wanted))
		return;
	for (size_t i = 0; i < n->nr; i++) {
		if (!strcmp(n->names[i], candidate))
			return;
		if (n->distances[i] <= distance)
			at = i + 1;
	}
	if (at < NEAREST_MAX)
		insert(n, at, candidate, distance);
}

void nearest__format(const struct nearest *n, char *text, size_t size)
{
	size_t len = 0;

	*text = '\0';
	for (size_t i = 0; i < n->nr && len < size; i++) {
		const char *separator = !i ? "" : i + 1 == n->nr ? " or " : ", ";

		len += (size_t)snprintf(text + len, size - len, "%s%s", separator, n->names[i]);
	}
}
