/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes text of strangers safe to write. Names of tasks, files, cgroups and containers are bytes that anybody
 * chooses: a terminal must not obey them, a line must stay one line, and JSON must stay JSON (RFC 8259, 8.1).
 */
#ifndef AUXBPF_BASE_TEXT_H
#define AUXBPF_BASE_TEXT_H

#include <stdio.h>

#include "base/cleanup.h"

/*
 * Returns a copy of @text for a terminal or a log, which the caller frees, or NULL if there is no memory.
 * Bytes that are no printable character of valid UTF-8 are escaped as ls -b does: "\n", "\t", or "\" and
 * three octal digits for each byte. So are the control characters of both kinds (ECMA-48, C0 and C1) and
 * those that change the direction of writing (Unicode, UAX 9). A backslash stays as it is, since systemd's
 * names have it. Text that was made printable once is not changed again.
 */
char *text__printable(const char *text) _must_check_ _nonnull_(1);

/* Does what text__printable() does, but keeps newlines: for a text whose lines are ours. */
char *text__printable_lines(const char *text) _must_check_ _nonnull_(1);

/*
 * Returns a copy of @text for JSON, which the caller frees, with U+FFFD for each byte that is not UTF-8; NULL
 * if there is no memory.
 */
char *text__utf8(const char *text) _must_check_ _nonnull_(1);

/* Writes one line to @to, made printable by text__printable(); a newline is added. */
void text__print_line(FILE *to, const char *fmt, ...) _printf_format_(2, 3) _nonnull_(1);

#endif
