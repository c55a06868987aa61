// SPDX-License-Identifier: GPL-2.0-only
#include "session/snapshot_exec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include "base/inherited.h"
#include "base/log.h"
#include "base/thread.h"

#define SHELL "/bin/sh"
#define SNAPSHOT "AUXBPF_SNAPSHOT="
#define RULE "AUXBPF_RULE="

/* One run, with what it adds to the environment. */
struct run {
	struct run *next;
	int dirfd;
	char *name;	/* of the snapshot, in that directory ... */
	char *snapshot; /* ... and the variable with its path, once its turn has come */
	char *rule;
};

struct snapshot_exec {
	const char *command;
	pthread_mutex_t lock; /* of the list, @busy and @ends */
	pthread_cond_t work;
	struct run *first, **last;
	unsigned int nr; /* in the list */
	unsigned int skipped;
	unsigned int gone; /* removed while they waited, the thread's */
	bool busy;
	bool ends;
	bool failed; /* and that was said */
	pthread_t thread;
};

static void free_run(struct run *run)
{
	cleanup__close(&run->dirfd);
	free(run->name);
	free(run->snapshot);
	free(run->rule);
	free(run);
}

static bool is_ours(const char *variable)
{
	return !strncmp(variable, SNAPSHOT, sizeof(SNAPSHOT) - 1) ||
	       !strncmp(variable, RULE, sizeof(RULE) - 1);
}

/* That of auxbpf, with the two of the run. */
static char **make_environment(const struct run *run)
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

/* In the memory of auxbpf until the exec: vfork(2). */
static _Noreturn void exec_shell(char *const argv[], char *const env[])
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	inherited__restore();
	execve(SHELL, argv, env);
	_exit(127);
}

/*
 * In a process group of its own: a Ctrl-C at the terminal ends the recording and not what is done with a
 * snapshot. A fork would copy the tables of all the memory that is set aside for snapshots, and have their next
 * write of each page wait; posix_spawn() sets no limits. No signal comes in between: this thread takes none,
 * and none has a handler.
 */
static int spawn(const char *command, char **env, pid_t *pid)
{
	char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)command, NULL};

	*pid = vfork();
	if (!*pid)
		exec_shell(argv, env);
	return *pid < 0 ? errno : 0;
}

static void note_failure(struct snapshot_exec *exec, const struct run *run, const char *how, int number)
{
	if (!exec->failed)
		log_warn("--exec: '%s' %s %d (%s); this is said once", exec->command, how, number, run->name);
	exec->failed = true;
}

/* Where the snapshot is now: its directory may have another name since. False if it is not there any more. */
static bool find_path(struct run *run)
{
	char fd[32], dir[PATH_MAX];
	ssize_t len;

	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", run->dirfd);
	len = readlink(fd, dir, sizeof(dir));
	if (len < 0 || faccessat(run->dirfd, run->name, F_OK, AT_SYMLINK_NOFOLLOW))
		return false;
	if (asprintf(&run->snapshot, SNAPSHOT "%.*s/%s", (int)len, dir, run->name) < 0)
		run->snapshot = NULL;
	return run->snapshot;
}

static void run_command(struct snapshot_exec *exec, const struct run *run)
{
	_cleanup_free_ char **env = make_environment(run);
	int status = 0, err;
	pid_t pid;

	err = env ? spawn(exec->command, env, &pid) : ENOMEM;
	if (err) {
		note_failure(exec, run, "could not be run: error", err);
		return;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		note_failure(exec, run, "was ended by signal", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		note_failure(exec, run, "failed with status", WEXITSTATUS(status));
}

static struct run *next_run(struct snapshot_exec *exec)
{
	struct run *run;

	pthread_mutex_lock(&exec->lock);
	exec->busy = false;
	while (!exec->first && !exec->ends)
		pthread_cond_wait(&exec->work, &exec->lock);
	run = exec->first;
	if (run) {
		exec->busy = true;
		exec->first = run->next;
		exec->nr--;
	}
	if (!exec->first)
		exec->last = &exec->first;
	pthread_mutex_unlock(&exec->lock);
	return run;
}

static void *work(void *arg)
{
	struct snapshot_exec *exec = arg;
	struct run *run;

	while ((run = next_run(exec))) {
		if (find_path(run))
			run_command(exec, run);
		else
			exec->gone++;
		free_run(run);
	}
	return NULL;
}

int snapshot_exec__new(const char *command, struct snapshot_exec **ret)
{
	struct snapshot_exec *exec = calloc(1, sizeof(*exec));
	int err;

	if (!exec)
		return -ENOMEM;
	exec->command = command;
	exec->last = &exec->first;
	thread__init_lock(&exec->lock);
	pthread_cond_init(&exec->work, NULL);
	err = thread__start(&exec->thread, work, exec);
	if (err) {
		log_err("cannot start the thread of --exec: %s", strerror(-err));
		free(exec);
		return err;
	}
	*ret = exec;
	return 0;
}

static struct run *new_run(int dirfd, const char *name, const char *rule)
{
	struct run *run = calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	run->dirfd = fcntl(dirfd, F_DUPFD_CLOEXEC, 0);
	run->name = strdup(name);
	if (asprintf(&run->rule, RULE "%s", rule) < 0)
		run->rule = NULL;
	if (run->dirfd >= 0 && run->name && run->rule)
		return run;
	free_run(run);
	return NULL;
}

void snapshot_exec__run(struct snapshot_exec *exec, int dirfd, const char *name, const char *rule)
{
	struct run *run = new_run(dirfd, name, rule);

	if (!run) {
		log_warn("--exec: no memory or descriptor to run '%s' for %s", exec->command, name);
		return;
	}
	pthread_mutex_lock(&exec->lock);
	if (exec->nr < SNAPSHOT_EXEC_MAX) {
		*exec->last = run;
		exec->last = &run->next;
		exec->nr++;
		run = NULL;
	} else {
		exec->skipped++;
	}
	pthread_cond_signal(&exec->work);
	pthread_mutex_unlock(&exec->lock);
	if (run)
		free_run(run);
}

unsigned int snapshot_exec__skipped(struct snapshot_exec *exec)
{
	unsigned int skipped;

	pthread_mutex_lock(&exec->lock);
	skipped = exec->skipped;
	pthread_mutex_unlock(&exec->lock);
	return skipped;
}

void snapshot_exec__free(struct snapshot_exec *exec)
{
	unsigned int skipped;

	if (!exec)
		return;
	skipped = snapshot_exec__skipped(exec);
	pthread_mutex_lock(&exec->lock);
	if (exec->first || exec->busy)
		log_info("waiting for what --exec runs; Ctrl-C ends that");
	exec->ends = true;
	pthread_cond_signal(&exec->work);
	pthread_mutex_unlock(&exec->lock);
	pthread_join(exec->thread, NULL);
	if (skipped)
		log_warn("--exec: '%s' takes too long: not run for %u snapshot%s", exec->command, skipped,
			 log__plural(skipped));
	if (exec->gone)
		log_warn("--exec: '%s' was not run for %u snapshot%s: removed before its turn came",
			 exec->command, exec->gone, log__plural(exec->gone));
	pthread_cond_destroy(&exec->work);
	pthread_mutex_destroy(&exec->lock);
	free(exec);
}
