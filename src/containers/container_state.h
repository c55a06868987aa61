/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the files in which container runtimes keep the names of their containers, which are not in a cgroup's
 * path. This needs no daemon, so it works while none answers, and without their libraries.
 */
#ifndef AUXBPF_CONTAINERS_CONTAINER_STATE_H
#define AUXBPF_CONTAINERS_CONTAINER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "containers/cgroup_tree.h"

/* A record of a runtime about a container. All but @runtime and @id may be NULL; several records may be about
 * one container. */
struct container_state {
	/* A static string. */
	const char *runtime;
	/* The owner of the file: root, 0, is believed about every cgroup, others about their own. */
	uid_t owner;
	bool is_last; /* the last one that is read of this user, who has too many */
	char *id;
	char *name;
	/* The pod of Kubernetes that the container belongs to, its namespace and its UID. */
	char *pod;
	char *namespace;
	char *pod_uid;
	/* The path of its cgroup, as in cgroup_tree.h, if the runtime tells it. */
	char *cgroup;
};

/* At most so many records of each user are read, and all of root's. */
#define CONTAINER_STATES_OF_USER 16384

/* Zero-initialised, it is empty. */
struct container_states {
	struct container_state *all;
	size_t nr;
};

/*
 * Reads the files of docker, podman, CRI-O, containerd, nerdctl, runc and crun under the tree's root, also
 * those of users, with a helper that can be given up. Files that are not readable, have another form, or are
 * on a file system that does not answer are passed over, with a line for -v. 0 or a negative errno.
 */
int container_states__read(const struct cgroup_tree *tree, struct container_states *ret) _must_check_
	_nonnull_(1, 2);

/* An id or a name about which there may be records, or its beginning. */
struct container_clue {
	char *name;
	bool begins;
};

struct container_clues {
	struct container_clue *all;
	size_t nr;
	bool in_lists;	/* files with the records of many containers may have some, too ... */
	bool by_docker; /* ... and so may docker's daemon where it keeps its files somewhere else */
};

/* Does the same for the records that the clues lead to, without reading those of other containers. */
int container_states__read_about(const struct cgroup_tree *tree, const struct container_clues *clues,
				 struct container_states *ret) _must_check_ _nonnull_(1, 2, 3);

void container_states__release(struct container_states *states) _nonnull_(1);
#define _cleanup_container_states_ _cleanup_(container_states__release)

#endif
