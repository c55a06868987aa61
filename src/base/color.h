/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether output is coloured, by the rules of other programs: --color=WHEN, NO_COLOR (https://no-color.org), TERM=dumb. */
#ifndef AUXBPF_BASE_COLOR_H
#define AUXBPF_BASE_COLOR_H

#include <stdbool.h>

#include "base/cleanup.h"

enum color_when {
	COLOR_AUTO, /* on a terminal */
	COLOR_ALWAYS,
	COLOR_NEVER,
};

/* Reads "auto", "always" or "never"; NULL is "always". Returns 0 or -EINVAL. */
int color__parse(const char *word, enum color_when *ret) _must_check_ _nonnull_(2);

/*
 * Tells whether output is coloured; @is_terminal: it is for a terminal. There it is not if NO_COLOR in the environment is not
 * empty, nor if the terminal is dumb.
 */
bool color__is_wanted(enum color_when when, bool is_terminal) _must_check_;

#endif
