// SPDX-License-Identifier: GPL-2.0-only
#include "commands/list_containers.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "commands/list_json.h"
#include "containers/cgroup_tree.h"
#include "containers/container.h"

#define ROOT ""
/* So many digits of an id are shown, as by docker and podman. */
#define SHORT_ID 12

static void print_text(void *ctx, const struct container_info *info)
{
	/* The id of a machine is its name. */
	bool has_id = info->kind == CONTAINER_POD || container_name__is_hex(info->id, SHORT_ID);
	char name[CONTAINER_FULL_NAME_SIZE], owner[CONTAINER_OWNER_SIZE];
	bool *any = ctx;

	container_info__format_name(info, name);
	container_info__format_owner(info, owner);
	if (!has_id && !*name)
		snprintf(name, sizeof(name), "%s", info->id);
	text__print_line(stdout, "%-11s %-*.*s  %-24s  %s%s", info->runtime, SHORT_ID,
			 info->kind == CONTAINER_POD ? CONTAINER_NAME_SIZE : SHORT_ID,
			 has_id ? info->id : "-", *name ? name : "-", info->path, owner);
	*any = true;
}

static void json_add_string(struct json_object *object, const char *key, const char *text)
{
	if (text)
		json__add_text(object, key, text);
}

static void json_add(void *ctx, const struct container_info *info)
{
	struct json_object *list = ctx, *object = json_object_new_object();

	json_add_string(object, "kind", info->kind == CONTAINER_POD ? "pod" : "container");
	json_add_string(object, "runtime", info->runtime);
	json_add_string(object, "id", info->id);
	json_add_string(object, "name", info->name);
	json_add_string(object, "pod", info->pod);
	json_add_string(object, "namespace", info->namespace);
	json_add_string(object, "cgroup", info->path);
	json__add_i64(object, "uid", info->owner);
	json__append(list, object);
}

static int print_json(const struct cgroup_tree *tree)
{
	struct json_object *object = list_json__new(), *list = json_object_new_array();
	int err = container__list(tree, json_add, list);

	json__add(object, "containers", list);
	if (err)
		json_object_put(object);
	else
		list_json__print(object);
	return err;
}

int list_containers__print(bool json)
{
	_cleanup_cgroup_tree_ struct cgroup_tree *tree = NULL;
	bool any = false;
	int err;

	if (cgroup_tree__open(ROOT, &tree))
		return EXIT_FAILURE;
	err = json ? print_json(tree) : container__list(tree, print_text, &any);
	if (err)
		log_err("cannot look for containers: %s", strerror(-err));
	else if (!json && !any)
		log_info("no container, pod or machine has a cgroup here");
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
