// SPDX-License-Identifier: GPL-2.0-only
#include "rules/window_set.h"

#include <string.h>

bool window_set__is_any(const struct window_set *set)
{
	return set->on_cpu || set->has_syscalls || set->nr_functions;
}

bool window_set__in_kernel(const struct window_set *set)
{
	if (set->on_cpu)
		return false;
	for (size_t i = 0; i < set->nr_functions; i++)
		if (strchr(set->functions[i], ':'))
			return false;
	return true;
}
