/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text of strangers on its way out. The names of tasks, files, cgroups and containers are bytes that anybody
 * chooses: a terminal must not obey them, a line must stay one line, and JSON must stay JSON (RFC 8259, 8.1).
 */
#ifndef AUXBPF_BASE_TEXT_H
#define AUXBPF_BASE_TEXT_H

#include <stdio.h>

#include "base/cleanup.h"

/*
 * A copy of @text for a terminal or a log, to be freed by the caller: what is no printable character of valid
 * UTF-8 stands there as ls -b shows it, "\n", "\t", or "\" and three octal digits for each byte. That includes
 * the control characters of both kinds (ECMA-48, C0 and C1) and those that turn the direction of writing
 * (Unicode, UAX 9). A backslash stays as it is: systemd's names have it. What was made printable once is not
 * changed again. NULL: no memory.
 */
char *text__printable(const char *text) _must_check_ _nonnull_(1);

/* The same, but for newlines: of a text whose lines are ours. */
char *text__printable_lines(const char *text) _must_check_ _nonnull_(1);

/* A copy of @text for JSON, to be freed by the caller: U+FFFD for each byte that is no UTF-8. NULL: no memory. */
char *text__utf8(const char *text) _must_check_ _nonnull_(1);

/* Writes one line to @to, printable as above; a newline is added. */
void text__print_line(FILE *to, const char *fmt, ...) _printf_format_(2, 3) _nonnull_(1);

#endif
