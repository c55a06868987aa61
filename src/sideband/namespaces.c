// SPDX-License-Identifier: GPL-2.0-only
#include "sideband/namespaces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct namespaces {
	size_t refs;
	struct perf_ns_link_info links[NR_NAMESPACES];
};

struct namespaces *namespaces__share(struct namespaces *ns)
{
	if (ns)
		__atomic_fetch_add(&ns->refs, 1, __ATOMIC_RELAXED);
	return ns;
}

void namespaces__release(struct namespaces *ns)
{
	if (ns && __atomic_fetch_sub(&ns->refs, 1, __ATOMIC_ACQ_REL) == 1)
		free(ns);
}

static bool is_same(const struct namespaces *ns, const struct record_namespaces *record)
{
	return ns && !memcmp(ns->links, record->links, sizeof(ns->links));
}

static struct namespaces *make(const struct record_namespaces *record)
{
	struct namespaces *ns = malloc(sizeof(*ns));

	if (!ns)
		return NULL;
	ns->refs = 1;
	memcpy(ns->links, record->links, sizeof(ns->links));
	return ns;
}

int namespaces__set(struct namespaces **ns, struct namespaces *near, const struct record_namespaces *record)
{
	struct namespaces *now;

	if (is_same(*ns, record))
		return 0;
	now = is_same(near, record) ? namespaces__share(near) : make(record);
	if (!now)
		return -ENOMEM;
	namespaces__release(*ns);
	*ns = now;
	return 0;
}

bool namespaces__are_same(const struct namespaces *a, const struct namespaces *b)
{
	return a && b && !memcmp(a->links, b->links, sizeof(a->links));
}

void namespaces__get(const struct namespaces *ns, struct record_namespaces *ret)
{
	memcpy(ret->links, ns->links, sizeof(ns->links));
}
