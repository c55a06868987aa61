// SPDX-License-Identifier: GPL-2.0-only
#include "session/command_user.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/log.h"
#include "base/parse.h"

/* Parses a user or group ID; the largest number stands for none in setresuid(2). */
static int parse_id(const char *text, uint32_t *ret)
{
	uint64_t number;

	if (parse__u64(text, &number) || number >= UINT32_MAX)
		return -EINVAL;
	*ret = (uint32_t)number;
	return 0;
}

static int parse_ids(const char *name, size_t uid_len, struct command_user *user)
{
	_cleanup_free_ char *uid = strndup(name, uid_len);

	if (!uid)
		return -ENOMEM;
	if (!parse_id(uid, &user->uid) && !parse_id(name + uid_len + 1, &user->gid))
		return 0;
	log_err("--user: '%s' is not UID:GID; write a user's name, or two numbers as in 1000:1000", name);
	return -EINVAL;
}

/* Lists the groups as initgroups(3) does; the kernel takes no more than NGROUPS_MAX of them. */
static int list_groups(struct command_user *user)
{
	int nr = NGROUPS_MAX;

	user->groups = calloc(NGROUPS_MAX, sizeof(*user->groups));
	if (!user->groups)
		return -ENOMEM;
	if (getgrouplist(user->name, user->gid, user->groups, &nr) < 0) {
		log_err("--user: '%s' is in more than %d groups, which the kernel does not take", user->name,
			NGROUPS_MAX);
		return -EINVAL;
	}
	user->nr_groups = (size_t)nr;
	return 0;
}

int command_user__find(const char *name, struct command_user *ret)
{
	const char *colon = strchr(name, ':');
	const struct passwd *found;

	command_user__release(ret);
	*ret = (struct command_user){.name = name};
	if (colon)
		return parse_ids(name, (size_t)(colon - name), ret);
	found = getpwnam(name);
	if (!found) {
		log_err("--user: there is no user '%s'; write a name, or numbers as UID:GID", name);
		return -EINVAL;
	}
	ret->uid = found->pw_uid;
	ret->gid = found->pw_gid;
	return list_groups(ret);
}

void command_user__release(struct command_user *user)
{
	free(user->groups);
	user->groups = NULL;
}

static int log_failed(const struct command_user *user, const char *step)
{
	const int err = errno;

	log_err("--user %s: %s failed: %s%s", user->name, step, strerror(err),
		err == EPERM ? "; it needs the capabilities CAP_SETUID and CAP_SETGID" : "");
	return -err;
}

int command_user__become(const struct command_user *user)
{
	if (setgroups(user->nr_groups, user->groups))
		return log_failed(user, "setgroups");
	if (setresgid(user->gid, user->gid, user->gid))
		return log_failed(user, "setresgid");
	if (setresuid(user->uid, user->uid, user->uid))
		return log_failed(user, "setresuid");
	/* The kernel clears them only if it was root that became another user. */
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
		return log_failed(user, "clearing the ambient capabilities");
	return 0;
}
