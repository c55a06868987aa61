// SPDX-License-Identifier: GPL-2.0-only
#include "base/color.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int color__parse(const char *word, enum color_when *ret)
{
	static const char *const words[] = {
		[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

	if (!word)
		word = words[COLOR_ALWAYS];
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(word, words[i])) {
			*ret = (enum color_when)i;
			return 0;
		}
	}
	return -EINVAL;
}

bool color__is_wanted(enum color_when when, bool is_terminal)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	return is_terminal && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}
