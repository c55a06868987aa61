// SPDX-License-Identifier: GPL-2.0-only
#include "rules/target_set.h"

uint32_t target_set__kinds(const struct target_set *set)
{
	return (set->by_task ? AUXBPF_BY_TASK : 0) | (set->by_cgroup ? AUXBPF_BY_CGROUP : 0) |
	       (set->by_comm ? AUXBPF_BY_COMM : 0) | (set->by_uid ? AUXBPF_BY_UID : 0);
}

size_t target_set__tasks(const struct target_set *set, int *ids, size_t max)
{
	size_t nr = 0;

	for (size_t i = 0; i < set->nr_pids && nr < max; i++)
		ids[nr++] = set->pids[i];
	for (size_t i = 0; i < set->nr_tids && nr < max; i++)
		ids[nr++] = set->tids[i];
	return nr;
}
