// SPDX-License-Identifier: GPL-2.0-only
#include "commands/sample_options.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"

#define DEFAULT_STACK 8192
/* The kernel tells the length of a record in 16 bits, and of the stack takes multiples of 8. */
#define MAX_STACK (UINT16_MAX & ~7u)

static int parse_stack(const char *text, uint32_t *ret)
{
	uint64_t size;

	if (parse__size(text, &size) || !size || size > MAX_STACK) {
		log_err("--call-graph: '%s' is not a size from 8 to %u", text, MAX_STACK);
		return -EINVAL;
	}
	*ret = ((uint32_t)size + 7) & ~7u;
	return 0;
}

int sample_options__callers(const char *text, struct sample_callers *ret)
{
	*ret = (struct sample_callers){.wanted = true};
	if (!strcmp(text, "fp"))
		return 0;
	ret->stack = DEFAULT_STACK;
	if (!strcmp(text, "dwarf"))
		return 0;
	if (!strncmp(text, "dwarf,", 6))
		return parse_stack(text + 6, &ret->stack);
	log_err("--call-graph: '%s' is none of fp, dwarf, dwarf,SIZE", text);
	return -EINVAL;
}
