// SPDX-License-Identifier: GPL-2.0-only
#include "rules/named_cgroups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct named_cgroup *find(const struct named_cgroups *set, const char *path)
{
	for (size_t i = 0; i < set->nr; i++)
		if (!strcmp(set->all[i].path, path))
			return &set->all[i];
	return NULL;
}

int named_cgroups__add(struct named_cgroups *set, const char *path, uint64_t id, uint64_t *ret)
{
	const struct named_cgroup *known = find(set, path);
	struct named_cgroup *more;
	char *copy;

	*ret = known ? known->id : id;
	if (known)
		return 0;
	more = reallocarray(set->all, set->nr + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	set->all = more;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	set->all[set->nr++] = (struct named_cgroup){copy, id};
	return 0;
}

void named_cgroups__release(struct named_cgroups *set)
{
	for (size_t i = 0; i < set->nr; i++)
		free(set->all[i].path);
	free(set->all);
	*set = (struct named_cgroups){0};
}
