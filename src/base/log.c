// SPDX-License-Identifier: GPL-2.0-only
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

#define CLEAR_LINE "\r\033[K"

static enum log_level max_level = LOG_INFO;
static _Atomic unsigned int nr_errors;
static char status[256]; /* the line that is shown now; protected by stderr's lock */

void log__set_level(enum log_level level)
{
	max_level = level;
}

enum log_level log__level(void)
{
	return max_level;
}

static const char *level_prefix(enum log_level level)
{
	switch (level) {
	case LOG_WARN:
		return "warning: ";
	case LOG_ERROR:
	case LOG_INFO:
	case LOG_DEBUG:
		break;
	}
	return "";
}

/*
 * Writes @text, or "out of memory" if it is NULL, and frees it. All goes out in one write, since others, such
 * as the traced command, write to stderr too.
 */
static void write_printable(enum log_level level, char *text)
{
	if (level == LOG_ERROR)
		nr_errors++;
	flockfile(stderr);
	fprintf(stderr, "%sauxbpf: %s%s\n%s", *status ? CLEAR_LINE : "", level_prefix(level),
		text ? text : "out of memory", status);
	funlockfile(stderr);
	free(text);
}

void log__write(enum log_level level, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	int saved_errno = errno;
	va_list args;

	if (level > max_level)
		return;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	write_printable(level, text ? text__printable(text) : NULL);
	errno = saved_errno;
}

void log__err_lines(const char *option, const char *lines)
{
	_cleanup_free_ char *text = NULL;
	int saved_errno = errno;

	if (asprintf(&text, "%s: %s", option, lines) < 0)
		text = NULL;
	write_printable(LOG_ERROR, text ? text__printable_lines(text) : NULL);
	errno = saved_errno;
}

unsigned int log__nr_errors(void)
{
	return nr_errors;
}

void log__err_unless_said(unsigned int before, const char *what, int err)
{
	if (err && nr_errors == before)
		log_err("%s: %s", what, strerror(-err));
}

/* Cuts @line to the width of the terminal: a longer one takes two rows, and only the last can be cleared. */
static void fit_terminal(char *line)
{
	struct winsize size;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_col <= strlen(line))
		line[size.ws_col - 1] = '\0';
}

static void show_status(const char *line)
{
	bool is_there;

	flockfile(stderr);
	is_there = *status || *line;
	/* log__clear_status_in_signal() has to know of a line before it is on the screen, and until it is not. */
	if (*line)
		snprintf(status, sizeof(status), "%s", line);
	if (is_there)
		fprintf(stderr, CLEAR_LINE "%s", line);
	if (!*line)
		*status = '\0';
	funlockfile(stderr);
}

bool log__shows_status(void)
{
	return max_level >= LOG_INFO && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

void log__status(const char *fmt, ...)
{
	char line[sizeof(status)];
	va_list args;

	if (!log__shows_status())
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	fit_terminal(line);
	show_status(line);
}

void log__clear_status(void)
{
	show_status("");
}

/* Neither locks nor stdio: the handler may have interrupted whoever has these. */
void log__clear_status_in_signal(void)
{
	ssize_t len = *status ? write(STDERR_FILENO, CLEAR_LINE, strlen(CLEAR_LINE)) : 0;

	(void)len;
}
