// SPDX-License-Identifier: GPL-2.0-only
/* The command that is traced: what its start leaves behind when it fails, and that it runs as the user asked for. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <seccomp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "said.h"
#include "session/workload.h"

#define FILES 64

static int count_open(void)
{
	int nr = 0;

	for (int fd = 0; fd < FILES; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

/* With room for ever more files: whichever is the one that cannot be opened, all before it are closed. */
static void test_no_room(void)
{
	char *const argv[] = {(char[]){"true"}, NULL};
	const int before = count_open();
	struct workload *w = NULL;
	int err = -EMFILE;

	for (int room = 0; err == -EMFILE && room < FILES / 2; room++) {
		const struct rlimit limit = {(rlim_t)(before + room), FILES};

		CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
		err = workload__new(argv, NULL, &w);
		if (err)
			CHECK_EQ(count_open(), before);
		else
			CHECK(room > 3);
	}
	CHECK_EQ(err, 0);
	workload__free(w);
	CHECK_EQ(count_open(), before);
}

/* In a process of its own: calls before @failing in the list succeed without an effect, and the others fail. */
static void become_until(const int *calls, int nr, int failing, const char *wanted)
{
	char *const argv[] = {(char[]){"true"}, NULL};
	const struct command_user user = {.name = "somebody", .uid = 1, .gid = 2};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	struct workload *w = NULL;
	struct said said;
	char text[256];
	int err;

	for (int i = 0; i < nr; i++)
		CHECK_EQ(seccomp_rule_add(filter, SCMP_ACT_ERRNO(i < failing ? 0 : EPERM), calls[i], 0), 0);
	CHECK_EQ(seccomp_load(filter), 0);
	said = said__begin();
	err = workload__new(argv, &user, &w);
	said__end(said, text, sizeof(text));
	CHECK_EQ(err, failing < nr ? -EPERM : 0);
	CHECK_EQ(w != NULL, failing == nr);
	CHECK_STREQ(text, wanted);
	workload__free(w);
	seccomp_release(filter);
	_exit(check__done());
}

/* Each of the steps, in their order: if it fails there is no command, and the message tells which it was. */
static void test_steps(void)
{
	static const int calls[] = {SCMP_SYS(setgroups), SCMP_SYS(setresgid), SCMP_SYS(setresuid),
				    SCMP_SYS(prctl)};
	static const char *const steps[] = {"setgroups", "setresgid", "setresuid",
					    "clearing the ambient capabilities"};
	int status;

	for (int failing = 0; failing <= 4; failing++) {
		char wanted[256] = "";

		if (failing < 4)
			snprintf(wanted, sizeof(wanted),
				 "auxbpf: --user somebody: %s failed: Operation not permitted; it needs the "
				 "capabilities CAP_SETUID and CAP_SETGID\n",
				 steps[failing]);
		fflush(stdout);
		if (!fork())
			become_until(calls, 4, failing, wanted);
		CHECK(wait(&status) > 0);
		CHECK_EQ(status, 0);
	}
}

static void test_find(void)
{
	struct command_user user = {0};
	struct said said;
	char text[256];

	CHECK_EQ(command_user__find("root", &user), 0);
	CHECK_EQ(user.uid, 0);
	CHECK_EQ(user.gid, 0);
	CHECK(user.nr_groups > 0);
	CHECK_EQ(user.groups[0], 0);
	CHECK_EQ(command_user__find("4294967294:12", &user), 0);
	CHECK_EQ(user.uid, 4294967294);
	CHECK_EQ(user.gid, 12);
	CHECK_EQ(user.nr_groups, 0);
	for (const char *const *name =
		     (const char *const[]){"", "no-such-user", "1", ":", "1:", ":1", "1:x", "1:2:3",
					   "4294967295:1", "1:4294967295", "-1:1", NULL};
	     *name; name++) {
		int err;

		said = said__begin();
		err = command_user__find(*name, &user);
		said__end(said, text, sizeof(text));
		CHECK_EQ(err, -EINVAL);
		CHECK(strstr(text, "UID:GID") != NULL);
	}
	command_user__release(&user);
}

int main(void)
{
	for (int fd = 3; fd < FILES; fd++)
		close(fd);
	test_find();
	test_steps();
	test_no_room();
	return check__done();
}
