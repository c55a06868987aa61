/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one log sink. Messages go to stderr, each in a line that begins with the program's name. stdin and
 * stdout belong to the traced command.
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
 * Writes one line, whatever the text is: characters that are not printable are escaped (base/text.h). A
 * newline is added. errno is preserved.
 */
void log__write(enum log_level level, const char *fmt, ...) _printf_format_(2, 3);

/* Logs an error about @option in several lines: a rule, and a mark where its fault is. */
void log__err_lines(const char *option, const char *lines) _nonnull_(1, 2);

/*
 * For a caller who gets an error from far below: logs that @what failed with @err, a negative errno, unless
 * an error was logged since log__nr_errors() returned @before.
 */
unsigned int log__nr_errors(void);
void log__err_unless_said(unsigned int before, const char *what, int err) _nonnull_(2);

/*
 * Shows the status line, the last one on a terminal. Messages appear above it, and each call replaces it. It
 * is not shown if stderr is no terminal, if the shell has its prompt there, or with -q.
 */
void log__status(const char *fmt, ...) _printf_format_(1, 2);
void log__clear_status(void);

/* Takes the line away in the handler of a signal that ends the program. */
void log__clear_status_in_signal(void);

/* Tells whether the status line is shown at all. */
bool log__shows_status(void);

/* Returns the ending of a noun that counts @nr things. */
static inline const char *log__plural(unsigned long long nr)
{
	return nr == 1 ? "" : "s";
}

#define log_err(...) log__write(LOG_ERROR, __VA_ARGS__)
#define log_warn(...) log__write(LOG_WARN, __VA_ARGS__)
#define log_info(...) log__write(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log__write(LOG_DEBUG, __VA_ARGS__)

#endif
