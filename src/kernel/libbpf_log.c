// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/libbpf_log.h"

#include <bpf/libbpf.h>
#include <string.h>

#include "base/log.h"

static int _printf_format_(2, 0) print_libbpf(enum libbpf_print_level level, const char *fmt, va_list args)
{
	_cleanup_free_ char *text = NULL;
	size_t len;

	/* Of any length: the verifier's log is one message. */
	if (log__level() < LOG_DEBUG || level == LIBBPF_DEBUG || vasprintf(&text, fmt, args) < 0)
		return 0;
	len = strlen(text);
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	log_debug("%s", text);
	return 0;
}

void libbpf_log__init(void)
{
	libbpf_set_print(print_libbpf);
}
