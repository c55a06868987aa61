// SPDX-License-Identifier: GPL-2.0-only
#include "loader/libbpf_log.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

/* The first warning: later ones are consequences, and often no more than "Invalid argument". */
static char first[256];

static void _printf_format_(1, 0) keep_first(const char *fmt, va_list args)
{
	if (*first)
		return;
	vsnprintf(first, sizeof(first), fmt, args);
	first[strcspn(first, "\n")] = '\0';
}

const char *libbpf_log__first(void)
{
	return first;
}

void libbpf_log__forget(void)
{
	*first = '\0';
}

static int _printf_format_(2, 0) print_libbpf(enum libbpf_print_level level, const char *fmt, va_list args)
{
	_cleanup_free_ char *text = NULL;
	char *line, *rest;
	va_list copy;

	va_copy(copy, args);
	if (level == LIBBPF_WARN)
		keep_first(fmt, copy);
	va_end(copy);
	/* The text can have any length: the verifier's log is one message of many lines. */
	if (log__level() < LOG_DEBUG || level == LIBBPF_DEBUG || vasprintf(&text, fmt, args) < 0)
		return 0;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		log_debug("%s", line);
	return 0;
}

void libbpf_log__init(void)
{
	libbpf_set_print(print_libbpf);
}
