/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * File name patterns over task names, compiled for BPF; auxbpf_glob.h (bpf/) matches them.
 *
 * As in glob(7): * stands for any characters, ? for one, [abc], [a-z] and [!a-z] for one of a set, a
 * backslash takes the next character as it is. A character is a byte. A name begins with a dot or holds a
 * slash like any other character. Not taken: [[:alpha:]] and its like.
 */
#ifndef AUXBPF_RULES_GLOB_H
#define AUXBPF_RULES_GLOB_H

#include <stddef.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"

/*
 * Adds @pattern to @glob, which is all zeros at first and then matches what any of its patterns does. A
 * pattern takes one of the 64 places plus one for each character that it asks for, so three of 15 characters
 * always fit.
 *
 * -EINVAL: it is no pattern, or asks for more characters than a name has; -E2BIG: no place is left for it.
 * @message then says what is wrong with it, and @glob is as it was.
 */
int glob__compile(struct auxbpf_glob *glob, const char *pattern, char *message, size_t size) _must_check_
	_nonnull_(1, 2, 3);

#endif
