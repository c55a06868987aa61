// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/libbpf_log.h"

#include <bpf/libbpf.h>
#include <string.h>

#include "base/log.h"

static int _printf_format_(2, 0) print_libbpf(enum libbpf_print_level level, const char *fmt, va_list args)
{
	_cleanup_free_ char *text = NULL;
	char *line, *rest;

	/* Of any length: the verifier's log is one message of many lines. */
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
