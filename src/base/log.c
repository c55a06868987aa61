// SPDX-License-Identifier: GPL-2.0-only
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>

static enum log_level max_level = LOG_INFO;

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

void log__write(enum log_level level, const char *fmt, ...)
{
	int saved_errno = errno;
	va_list args;

	if (level > max_level)
		return;
	/* Locked as a whole, so that lines of several threads do not mix. */
	flockfile(stderr);
	fprintf(stderr, "auxbpf: %s", level_prefix(level));
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	funlockfile(stderr);
	errno = saved_errno;
}
