// SPDX-License-Identifier: GPL-2.0-only
#include "session/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/inherited.h"
#include "base/log.h"

#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127
/* The last switch of the command is looked for at this interval, in ns, and at most so many times. */
#define LAST_SWITCH_TIME 1000000
#define LAST_SWITCH_LOOKS 1000

struct workload {
	char *const *argv;
	char **shell_argv; /* sh, path, the arguments */
	char path[PATH_MAX];
	pid_t pid;
	int pidfd;
	int go_fd;    /* a byte written here lets the child exec */
	int error_fd; /* the child reports how it was prepared, and then a failed exec */
	int started;
	int reaped;
	int status;
	struct waiter *waiter;
	const struct gate *gate;
	unsigned int nr_looks; /* looks for its last switch since it ended */
};

static int check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || access(path, X_OK))
		return -EACCES;
	return 0;
}

/* Looks in one directory of PATH; an empty one is the current directory (POSIX, execvp). */
static int try_directory(const char *dir, size_t len, const char *name, char path[PATH_MAX])
{
	int n = snprintf(path, PATH_MAX, "%.*s%s%s", (int)len, dir, len ? "/" : "", name);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : check_executable(path);
}

/* Finds the command as execvp() does: a file that may not be executed counts only if no other is found. */
static int find_command(const char *name, char path[PATH_MAX])
{
	const char *dirs = getenv("PATH");
	int err = -ENOENT, found;

	if (!*name)
		return -ENOENT;
	if (strchr(name, '/'))
		return try_directory("", 0, name, path);
	if (!dirs)
		dirs = "/usr/local/bin:/usr/bin:/bin";
	for (;;) {
		size_t len = strcspn(dirs, ":");

		found = try_directory(dirs, len, name, path);
		if (!found)
			return 0;
		if (found == -EACCES)
			err = found;
		if (!dirs[len])
			return err;
		dirs += len + 1;
	}
}

int workload__find(const char *name)
{
	char path[PATH_MAX];

	return find_command(name, path);
}

int workload__error(const char *command, int err)
{
	log_err("cannot run '%s': %s", command, err == -ENOENT ? "command not found" : strerror(-err));
	return err == -ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

int workload__exec_error(const char *command, int err)
{
	if (err != -ENOENT)
		return workload__error(command, err);
	log_err("cannot run '%s': the interpreter that it names, in #! or as an ELF file, is not there",
		command);
	return EXIT_NOT_EXECUTABLE;
}

static void exec_command(const struct workload *w)
{
	execv(w->path, w->argv);
	/* Hands a script without #! to the shell, as execvp() does. */
	if (errno == ENOEXEC)
		execv("/bin/sh", w->shell_argv);
}

/* Hands a negative errno or 0 to the parent. */
static void report(int error_fd, int err)
{
	if (write(error_fd, &err, sizeof(err)) != sizeof(err))
		_exit(1);
}

static void run_child(const struct workload *w, const struct command_user *user, int go_fd, int error_fd)
{
	int err = user ? command_user__become(user) : 0;
	char go;

	/*
	 * The child is a target from the go-ahead on, and makes no call from there to its execve that could
	 * be listed.
	 */
	inherited__restore();
	report(error_fd, err);
	if (err)
		_exit(1);
	/* If the parent gave up or is gone, the command must not run untraced. */
	if (read(go_fd, &go, 1) != 1)
		_exit(0);
	exec_command(w);
	report(error_fd, -errno);
	_exit(127);
}

/* Waits for what the child reports. The pipe is close-on-exec, so end of file says that an exec went well. */
static int wait_for_report(const struct workload *w)
{
	int err = 0;
	ssize_t n;

	do {
		n = read(w->error_fd, &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	return n == sizeof(err) ? err : 0;
}

static int fork_child(struct workload *w, const struct command_user *user)
{
	_cleanup_close_ int go_fd = -1, error_fd = -1;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	go_fd = fds[0];
	w->go_fd = fds[1];
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	w->error_fd = fds[0];
	error_fd = fds[1];
	w->pid = fork();
	if (w->pid == 0) {
		close(w->go_fd);
		run_child(w, user, go_fd, error_fd);
	}
	return w->pid < 0 ? -errno : 0;
}

static int make_shell_argv(struct workload *w)
{
	static char shell[] = "sh";
	size_t argc = 0;

	while (w->argv[argc])
		argc++;
	w->shell_argv = calloc(argc + 2, sizeof(*w->shell_argv));
	if (!w->shell_argv)
		return -ENOMEM;
	w->shell_argv[0] = shell;
	w->shell_argv[1] = w->path;
	for (size_t i = 1; i < argc; i++)
		w->shell_argv[i + 1] = w->argv[i];
	return 0;
}

int workload__new(char *const *argv, const struct command_user *user, struct workload **ret)
{
	_cleanup_(cleanup__workload) struct workload *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->argv = argv;
	w->pid = w->pidfd = w->go_fd = w->error_fd = -1;
	err = find_command(argv[0], w->path);
	if (!err)
		err = make_shell_argv(w);
	if (err)
		return err;
	err = fork_child(w, user);
	if (err) {
		log_err("cannot fork: %s", strerror(-err));
		return err;
	}
	w->pidfd = (int)syscall(SYS_pidfd_open, w->pid, 0);
	if (w->pidfd < 0) {
		log_err("cannot open a pidfd of the command: %s", strerror(errno));
		return -errno;
	}
	err = wait_for_report(w);
	if (!err)
		*ret = steal_ptr(w);
	return err;
}

pid_t workload__pid(const struct workload *w)
{
	return w->pid;
}

static int has_switched(void *ctx)
{
	struct workload *w = ctx;

	return !gate__live_command(w->gate) || ++w->nr_looks > LAST_SWITCH_LOOKS;
}

static int has_ended(void *ctx)
{
	struct workload *w = ctx;

	waiter__remove(w->waiter, w->pidfd);
	return waiter__every(w->waiter, LAST_SWITCH_TIME, has_switched, w);
}

int workload__watch(struct workload *w, struct waiter *waiter, const struct gate *gate)
{
	w->waiter = waiter;
	w->gate = gate;
	return waiter__add(waiter, w->pidfd, has_ended, w);
}

int workload__start(struct workload *w)
{
	if (write(w->go_fd, "", 1) != 1)
		return -errno;
	w->started = 1;
	return wait_for_report(w);
}

int workload__status(struct workload *w, int block, int *status)
{
	int wstatus;
	pid_t pid;

	if (!w->reaped) {
		pid = waitpid(w->pid, &wstatus, block ? 0 : WNOHANG);
		if (pid < 0)
			return -errno;
		if (!pid)
			return 0;
		w->reaped = 1;
		w->status = WIFSIGNALED(wstatus) ? 128 + WTERMSIG(wstatus) : WEXITSTATUS(wstatus);
	}
	*status = w->status;
	return 1;
}

int workload__end_status(struct workload *w, const struct waiter *waiter)
{
	bool sent;
	int status = 0, signal = waiter__signal(waiter, &sent);

	if (signal && sent)
		kill(w->pid, signal);
	while (workload__status(w, 1, &status) == -EINTR)
		;
	return status;
}

void workload__free(struct workload *w)
{
	if (!w)
		return;
	cleanup__close(&w->go_fd);
	cleanup__close(&w->error_fd);
	cleanup__close(&w->pidfd);
	/* A child that waits reads end of file now. */
	if (w->pid > 0 && !w->started)
		waitpid(w->pid, NULL, 0);
	free(w->shell_argv);
	free(w);
}
