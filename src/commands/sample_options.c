// SPDX-License-Identifier: GPL-2.0-only
#include "commands/sample_options.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"

#define DEFAULT_STACK 8192
/* The kernel gives the length of a record in 16 bits, and copies the stack in multiples of 8. */
#define MAX_STACK (UINT16_MAX & ~7u)
/* The limit leaves room for the rest of the sample, as in perf. */
#define DEFAULT_AUX 4096
#define MAX_AUX (60u << 10)

static int parse_size(const char *option, const char *text, uint32_t max, uint32_t *ret)
{
	uint64_t size;

	if (parse__size(text, &size) || !size || size > max) {
		log_err("%s: '%s' is not a size from 8 to %u", option, text, max);
		return -EINVAL;
	}
	*ret = ((uint32_t)size + 7) & ~7u;
	return 0;
}

int sample_options__callers(const char *text, struct sample_opts *ret)
{
	ret->callers = true;
	ret->stack = 0;
	if (!strcmp(text, "fp"))
		return 0;
	ret->stack = DEFAULT_STACK;
	if (!strcmp(text, "dwarf"))
		return 0;
	if (!strncmp(text, "dwarf,", 6))
		return parse_size("--call-graph", text + 6, MAX_STACK, &ret->stack);
	log_err("--call-graph: '%s' is none of fp, dwarf, dwarf,SIZE", text);
	return -EINVAL;
}

int sample_options__aux(const char *text, struct sample_opts *ret)
{
	ret->aux = DEFAULT_AUX;
	return text ? parse_size("--aux-sample", text, MAX_AUX, &ret->aux) : 0;
}
