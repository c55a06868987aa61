// SPDX-License-Identifier: GPL-2.0-only
#include "rules/window_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auxbpf_shared.h"

int window_set__add_range(struct window_set *set, const char *text, const struct tracepoint_source *source,
			  char *message, size_t size)
{
	struct window_range *more;
	int err;

	if (set->nr_ranges == AUXBPF_MAX_RANGES) {
		snprintf(message, size, "at most %d ranges", AUXBPF_MAX_RANGES);
		return -EINVAL;
	}
	more = reallocarray(set->ranges, set->nr_ranges + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	set->ranges = more;
	err = window_range__parse(text, source, &more[set->nr_ranges], message, size);
	set->nr_ranges += !err;
	return err;
}

bool window_set__is_any(const struct window_set *set)
{
	return set->on_cpu || set->has_syscalls || set->nr_functions || set->nr_ranges;
}

bool window_set__has_calls(const struct window_set *set)
{
	return set->has_syscalls || set->nr_functions;
}

bool window_set__in_kernel(const struct window_set *set)
{
	if (set->on_cpu || set->nr_ranges)
		return false;
	for (size_t i = 0; i < set->nr_functions; i++)
		if (strchr(set->functions[i], ':'))
			return false;
	return true;
}

void window_set__release(struct window_set *set)
{
	for (size_t i = 0; i < set->nr_ranges; i++)
		window_range__release(&set->ranges[i]);
	free(set->ranges);
	free(set->functions);
}
