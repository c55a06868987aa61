/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one log sink. Messages go to stderr, each a line that begins with the program's name;
 * stdin and stdout belong to the traced command.
 */
#ifndef AUXBPF_BASE_LOG_H
#define AUXBPF_BASE_LOG_H

#include <stdbool.h>

#include "base/cleanup.h"

enum log_level {
	LOG_ERROR,
	LOG_WARN,
	LOG_INFO,
	LOG_DEBUG,
};

/* Messages above @level are dropped. The default is LOG_INFO; -q asks for LOG_WARN, -v for LOG_DEBUG. */
void log__set_level(enum log_level level);
enum log_level log__level(void);

/*
 * Writes one line, whatever is in it: what is not printable is escaped (base/text.h). A newline is added.
 * errno is preserved.
 */
void log__write(enum log_level level, const char *fmt, ...) _printf_format_(2, 3);

/* An error about @option whose text has several lines: a rule, and where in it the fault is. */
void log__err_lines(const char *option, const char *lines) _nonnull_(1, 2);

/*
 * For who gets an error from afar: logs that @what failed with @err, a negative errno, unless an error was
 * written since log__nr_errors() was @before.
 */
unsigned int log__nr_errors(void);
void log__err_unless_said(unsigned int before, const char *what, int err) _nonnull_(2);

/*
 * The status line, the last one on a terminal: messages come above it, each call writes it anew. Nothing is
 * shown where stderr is no terminal, to a shell that has its prompt there, or with -q.
 */
void log__status(const char *fmt, ...) _printf_format_(1, 2);
void log__clear_status(void);

/* Whether it is shown at all. */
bool log__shows_status(void);

/* What makes a noun mean @nr of them. */
static inline const char *log__plural(unsigned long long nr)
{
	return nr == 1 ? "" : "s";
}

#define log_err(...) log__write(LOG_ERROR, __VA_ARGS__)
#define log_warn(...) log__write(LOG_WARN, __VA_ARGS__)
#define log_info(...) log__write(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log__write(LOG_DEBUG, __VA_ARGS__)

#endif
