// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/libbpf_log.h"

#include <bpf/libbpf.h>
#include <string.h>

#include "base/log.h"

static int _printf_format_(2, 0) print_libbpf(enum libbpf_print_level level, const char *fmt, va_list args)
{
	char line[512];
	size_t len;

	if (log__level() < LOG_DEBUG || level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(line, sizeof(line), fmt, args);
	len = strlen(line);
	if (len && line[len - 1] == '\n')
		line[len - 1] = '\0';
	log_debug("%s", line);
	return 0;
}

void libbpf_log__init(void)
{
	libbpf_set_print(print_libbpf);
}
