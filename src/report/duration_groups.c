// SPDX-License-Identifier: GPL-2.0-only
#include "report/duration_groups.h"

#include <stdlib.h>
#include <string.h>

struct duration_group *duration_groups__get(struct duration_groups *groups, const char *name)
{
	struct duration_group **grown, *group;

	for (size_t i = 0; i < groups->nr; i++) {
		if (!strcmp(groups->list[i]->name, name))
			return groups->list[i];
	}
	grown = reallocarray(groups->list, groups->nr + 1, sizeof(struct duration_group *));
	if (!grown)
		return NULL;
	groups->list = grown;
	group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	group->name = name;
	groups->list[groups->nr++] = group;
	return group;
}

void duration_groups__release(struct duration_groups *groups)
{
	for (size_t i = 0; i < groups->nr; i++)
		free(groups->list[i]);
	free(groups->list);
	*groups = (struct duration_groups){0};
}

void duration_group__add(struct duration_group *group, uint64_t ns)
{
	group->total += ns;
	histogram__add(&group->durations, ns);
}
