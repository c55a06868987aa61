// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/exec_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/dir.h"
#include "base/inherited.h"
#include "base/own_processes.h"
#include "files/fd_message.h"

#define SHELL "/bin/sh"
#define SNAPSHOT "AUXBPF_SNAPSHOT="
#define RULE "AUXBPF_RULE="

struct exec_helper {
	int fd;
	pid_t pid;
};

struct request {
	char name[NAME_MAX + 1]; /* of the snapshot, in the directory whose descriptor comes with this */
	size_t rule_len;	 /* the rule follows in a message of its own */
};

/* The two variables that a run adds to the environment. */
struct variables {
	char *snapshot, *rule;
};

static bool is_ours(const char *variable)
{
	return !strncmp(variable, SNAPSHOT, sizeof(SNAPSHOT) - 1) ||
	       !strncmp(variable, RULE, sizeof(RULE) - 1);
}

/* Makes the environment of auxbpf, with the two variables of the run. */
static char **make_environment(const struct variables *run)
{
	size_t nr = 0, to = 0;
	char **env;

	while (environ[nr])
		nr++;
	env = calloc(nr + 3, sizeof(*env));
	if (!env)
		return NULL;
	env[to++] = run->snapshot;
	env[to++] = run->rule;
	for (size_t i = 0; i < nr; i++)
		if (!is_ours(environ[i]))
			env[to++] = environ[i];
	return env;
}

/*
 * Runs the command in a process group of its own, so that a Ctrl-C at the terminal ends the recording but not
 * the command. posix_spawn() is not used because it sets no limits.
 */
static _Noreturn void exec_shell(const char *command, char *const env[])
{
	char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)command, NULL};
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	inherited__restore();
	execve(SHELL, argv, env);
	_exit(127);
}

/* Finds the path of the snapshot anew, as its directory may have been renamed. */
static int find_path(int dirfd, const char *name, char **variable)
{
	char fd[32], dir[PATH_MAX];
	ssize_t len;

	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", dirfd);
	len = readlink(fd, dir, sizeof(dir));
	if (len < 0 || faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW))
		return ESTALE;
	return asprintf(variable, SNAPSHOT "%.*s/%s", (int)len, dir, name) < 0 ? ENOMEM : 0;
}

static void run_command(const char *command, const struct variables *run, struct exec_result *ret)
{
	_cleanup_free_ char **env = make_environment(run);
	pid_t pid;

	if (!env) {
		ret->err = ENOMEM;
		return;
	}
	pid = fork();
	if (!pid)
		exec_shell(command, env);
	if (pid < 0)
		ret->err = errno;
	while (pid > 0 && waitpid(pid, &ret->status, 0) < 0 && errno == EINTR)
		;
}

static void serve_one(const char *command, int dirfd, const char *name, const char *rule,
		      struct exec_result *ret)
{
	struct variables run = {NULL, NULL};

	ret->err = find_path(dirfd, name, &run.snapshot);
	if (!ret->err && asprintf(&run.rule, RULE "%s", rule) < 0)
		ret->err = ENOMEM;
	if (!ret->err)
		run_command(command, &run, ret);
	free(run.snapshot);
	free(run.rule);
}

/*
 * Receives a request, with the descriptor of the snapshot's directory in @fds. Returns its rule, or NULL if
 * none will come.
 */
static char *receive(int from, struct request *request, int fds[2])
{
	_cleanup_free_ char *rule = NULL;
	int none[2];

	if (!fd_message__receive(from, request, sizeof(*request), fds))
		return NULL;
	rule = malloc(request->rule_len + 1);
	if (!rule || !fd_message__receive(from, rule, request->rule_len + 1, none))
		return NULL;
	return steal_ptr(rule);
}

/*
 * Closes all that auxbpf has opened, which has FD_CLOEXEC; this process must not keep it open. The
 * descriptors that auxbpf was started with are for the command.
 */
static void close_ours(int but)
{
	_cleanup_closedir_ DIR *dir = dir__list(AT_FDCWD, "/proc/self/fd");
	const struct dirent *entry;

	while (dir && (entry = dir__next(dir))) {
		int fd = atoi(entry->d_name);

		if (fd != but && fd != dirfd(dir) && fcntl(fd, F_GETFD) == FD_CLOEXEC)
			close(fd);
	}
}

/* Blocks all signals: one of the terminal is for auxbpf, whose end ends this process too. */
static _Noreturn void serve(const char *command, int from)
{
	struct request request;
	sigset_t all;
	char *rule;
	int fds[2];

	prctl(PR_SET_NAME, "auxbpf-exec");
	close_ours(from);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	while ((rule = receive(from, &request, fds))) {
		struct exec_result result = {0};

		serve_one(command, fds[0], request.name, rule, &result);
		free(rule);
		cleanup__close(&fds[0]);
		if (!fd_message__send(from, &result, sizeof(result), NULL, 0))
			break;
	}
	own_processes__leave();
	_exit(EXIT_SUCCESS);
}

static int start(const char *command, struct exec_helper *helper)
{
	uint64_t since = clock__ns(CLOCK_MONOTONIC);
	int pair[2], err = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	helper->pid = fork();
	if (!helper->pid) {
		own_processes__enter(since);
		serve(command, pair[1]);
	}
	if (helper->pid < 0)
		err = -errno;
	close(pair[1]);
	helper->fd = pair[0];
	return err;
}

int exec_helper__new(const char *command, struct exec_helper **ret)
{
	_cleanup_(cleanup__exec_helper) struct exec_helper *helper = calloc(1, sizeof(*helper));
	int err;

	if (!helper)
		return -ENOMEM;
	helper->fd = helper->pid = -1;
	err = start(command, helper);
	if (!err)
		*ret = steal_ptr(helper);
	return err;
}

void exec_helper__run(struct exec_helper *helper, int dirfd, const char *name, const char *rule,
		      struct exec_result *ret)
{
	struct request request = {.rule_len = strlen(rule)};
	int none[2];

	*ret = (struct exec_result){0};
	if (snprintf(request.name, sizeof(request.name), "%s", name) > NAME_MAX)
		ret->err = ENAMETOOLONG;
	else if (!fd_message__send(helper->fd, &request, sizeof(request), &dirfd, 1) ||
		 !fd_message__send(helper->fd, rule, request.rule_len + 1, NULL, 0) ||
		 !fd_message__receive(helper->fd, ret, sizeof(*ret), none))
		*ret = (struct exec_result){.err = EPIPE};
}

void exec_helper__free(struct exec_helper *helper)
{
	if (!helper)
		return;
	cleanup__close(&helper->fd);
	while (helper->pid > 0 && waitpid(helper->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(helper);
}
