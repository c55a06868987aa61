/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the cgroups of containers, pods, machines and systemd units by the names that people give them.
 */
#ifndef AUXBPF_CONTAINERS_CONTAINER_H
#define AUXBPF_CONTAINERS_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "containers/cgroup_tree.h"
#include "containers/container_name.h"

/* Paths of cgroups. Zero-initialised, it is empty. */
struct container_paths {
	char **all;
	size_t nr;
};

void container_paths__release(struct container_paths *paths) _nonnull_(1);
#define _cleanup_container_paths_ _cleanup_(container_paths__release)

enum container_wanted {
	CONTAINER_ONE,
	CONTAINER_ONE_OR_NONE, /* none is no error: it may come later */
	CONTAINER_ALL,	       /* all of that name, however many */
};

/*
 * Finds the cgroups of what @text names: a container by its id or its first digits (four or more), or by the
 * name that docker, podman, containerd, nerdctl, CRI-O, runc or crun know; one of Kubernetes by NAME,
 * POD/NAME or NAMESPACE/POD/NAME; a pod by its UID, POD or NAMESPACE/POD; a machine of LXC, systemd-nspawn or
 * libvirt; a systemd unit by its whole name ("nginx.service"). An exact name goes before the first digits of
 * an id, a cgroup outside of a container before one inside, and root's own cgroups before all that: a user
 * who has cgroups of their own may call them what they like.
 *
 * Some runtimes write down a name only after they made the cgroup, so it may help to ask again a little
 * later. There are several paths if the thing is in several places; none of them is below another one. If
 * nothing has the name, that is -ENOENT, and if different things have it, -ENOTUNIQ, unless @wanted allows
 * for that. Both are logged with what was found, and so are other errors.
 */
int container__find(const struct cgroup_tree *tree, const char *text, enum container_wanted wanted,
		    struct container_paths *ret) _must_check_ _nonnull_(1, 2, 4);

struct container_info {
	enum container_kind kind;
	const char *runtime;
	const char *id;
	/* Any of the rest may be NULL, except @path. */
	const char *name;
	const char *pod;
	const char *namespace;
	const char *path;
	/* The owner of the cgroup; the names are from root's files and from the owner's. */
	uid_t owner;
};

/* Formats the name as --container takes it: [[NAMESPACE/]POD/]NAME, as far as it is known; may be empty. */
#define CONTAINER_FULL_NAME_SIZE (3 * CONTAINER_NAME_SIZE)
void container_info__format_name(const struct container_info *info, char name[CONTAINER_FULL_NAME_SIZE])
	_nonnull_(1, 2);

/* Formats the note behind the path of a user's own container, "  (of uid 1000)", or "" for root's. */
#define CONTAINER_OWNER_SIZE 32
void container_info__format_owner(const struct container_info *info, char text[CONTAINER_OWNER_SIZE])
	_nonnull_(1, 2);

/* Calls @show for every container, pod and machine that has a cgroup. Negative errno, not logged. */
int container__list(const struct cgroup_tree *tree,
		    void (*show)(void *ctx, const struct container_info *info), void *ctx) _must_check_
	_nonnull_(1, 2);

#endif
