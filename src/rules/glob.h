/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compiles patterns of task names, written like those of file names, for BPF; auxbpf_glob.h (bpf/) matches
 * them.
 *
 * The syntax is that of glob(7): * stands for any characters, ? for one, [abc], [a-z] and [!a-z] for one of a
 * set, and a backslash takes the next character as it is. A character is a byte. A name begins with a dot or
 * holds a slash like any other character. [[:alpha:]] and its like are not accepted.
 */
#ifndef AUXBPF_RULES_GLOB_H
#define AUXBPF_RULES_GLOB_H

#include <stddef.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"

/*
 * Adds @pattern to @glob, which is all zeros at first and matches what any of its patterns matches. A pattern
 * takes one of the 64 places plus one for each character that it asks for, so three of 15 characters always
 * fit.
 *
 * Returns -EINVAL if it is no pattern, or asks for more characters than a name has, and -E2BIG if no place is
 * left for it. Then @message says what is wrong with it, and @glob is as it was.
 */
int glob__compile(struct auxbpf_glob *glob, const char *pattern, char *message, size_t size) _must_check_
	_nonnull_(1, 2, 3);

#endif
