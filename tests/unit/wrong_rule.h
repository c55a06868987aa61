/* SPDX-License-Identifier: GPL-2.0-only */
/* A rule that is wrong, and the message that shows where. */
#ifndef TESTS_WRONG_RULE_H
#define TESTS_WRONG_RULE_H

#include <string.h>

#include "check.h"

/* A rule, where in it the caret is, and what the message begins with. */
struct wrong {
	const char *text;
	size_t at;
	const char *message;
};

static inline void check_caret(const struct wrong *wrong, const char *message)
{
	const char *line = strchr(message, '\n'), *caret = strrchr(message, '\n');

	if (!CHECK(line && caret != line))
		return;
	CHECK_EQ(caret - line - 1, strlen(wrong->text) + 2);
	CHECK(!strncmp(line + 3, wrong->text, strlen(wrong->text)));
	CHECK_EQ(strspn(caret + 1, " "), wrong->at + 2);
	CHECK_STREQ(caret + 1 + strspn(caret + 1, " "), "^");
}

static inline void check_told(const struct wrong *wrong, const char *message)
{
	unsigned int failed = check_failed;

	CHECK(!strncmp(message, wrong->message, strlen(wrong->message)));
	check_caret(wrong, message);
	if (check_failed != failed)
		fprintf(stderr, "expected: %s\n%s\n", wrong->message, message);
}

#endif
