// SPDX-License-Identifier: GPL-2.0-only
#include "containers/id_names.h"

#include <errno.h>
#include <pwd.h>

#include "base/parse.h"
#include "containers/cgroup_tree.h"
#include "rules/named_cgroups.h"

int id_names__user(const char *name, uint32_t *ret)
{
	const struct passwd *user = getpwnam(name);
	uint64_t number;

	if (user) {
		*ret = user->pw_uid;
		return 0;
	}
	if (parse__u64(name, &number) || number >= UINT32_MAX)
		return -ENOENT;
	*ret = (uint32_t)number;
	return 0;
}

static int find_cgroup(struct named_cgroups *named, const char *text, uint64_t *ret)
{
	_cleanup_cgroup_tree_ struct cgroup_tree *tree = NULL;
	_cleanup_free_ char *path = NULL;
	uint64_t id;
	int err = cgroup_tree__open("", &tree);

	if (!err)
		err = cgroup_tree__find(tree, text, &path);
	if (!err)
		err = cgroup_tree__id(tree, path, &id);
	return err ? err : named_cgroups__add(named, path, id, ret);
}

int id_names__resolve(void *arg, enum auxbpf_field field, const char *name, uint64_t *ret)
{
	uint32_t uid;
	int err;

	if (field == AUXBPF_FIELD_CGROUP)
		return find_cgroup(arg, name, ret);
	err = id_names__user(name, &uid);
	if (!err)
		*ret = uid;
	return err;
}
