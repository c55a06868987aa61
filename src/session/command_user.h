/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The user that the traced command runs as, as with strace -u: its user and group IDs and its supplementary
 * groups. The environment and the working directory stay as they are.
 */
#ifndef AUXBPF_SESSION_COMMAND_USER_H
#define AUXBPF_SESSION_COMMAND_USER_H

#include <stddef.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct command_user {
	const char *name; /* as it was given */
	uid_t uid;
	gid_t gid;
	gid_t *groups; /* NULL: none */
	size_t nr_groups;
};

/*
 * Finds a user by name, with all of its groups, or takes the numbers of "UID:GID", which has no supplementary
 * groups and is not looked up. @name must live as long as @ret, which is released in any case. Logs what is
 * wrong; 0, -EINVAL if there is no such user, or another negative errno.
 */
int command_user__find(const char *name, struct command_user *ret) _must_check_ _nonnull_(1, 2);
void command_user__release(struct command_user *user) _nonnull_(1);

/*
 * Makes the calling process one of @user, without a way back: the supplementary groups first, as CAP_SETGID
 * is needed for them, then the group, then the user. No ambient capability is left, so an exec gives the
 * process those of a program's file only (capabilities(7)). Logs the step that failed; 0 or a negative errno,
 * after which the process may not go on.
 */
int command_user__become(const struct command_user *user) _must_check_ _nonnull_(1);

#endif
