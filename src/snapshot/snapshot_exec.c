// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/snapshot_exec.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/thread.h"
#include "snapshot/exec_helper.h"

struct run {
	struct run *next;
	int dirfd;
	char *name; /* of the snapshot, in that directory */
	char *rule;
};

struct snapshot_exec {
	const char *command;
	struct exec_helper *helper;
	pthread_mutex_t lock; /* for the list, @busy and @ends */
	pthread_cond_t work;
	struct run *first, **last;
	unsigned int nr; /* in the list */
	unsigned int skipped;
	unsigned int gone; /* runs whose snapshot was removed before their turn; used by the thread only */
	bool busy;
	bool ends;
	bool failed; /* a run failed, and that was logged */
	pthread_t thread;
};

static void free_run(struct run *run)
{
	cleanup__close(&run->dirfd);
	free(run->name);
	free(run->rule);
	free(run);
}

static void note_failure(struct snapshot_exec *exec, const struct run *run, const char *how, int number)
{
	if (!exec->failed)
		log_warn("--exec: '%s' %s %d (%s); this is said once", exec->command, how, number, run->name);
	exec->failed = true;
}

static void run_command(struct snapshot_exec *exec, const struct run *run)
{
	struct exec_result result;

	exec_helper__run(exec->helper, run->dirfd, run->name, run->rule, &result);
	if (result.err == ESTALE)
		exec->gone++;
	else if (result.err)
		note_failure(exec, run, "could not be run: error", result.err);
	else if (WIFSIGNALED(result.status))
		note_failure(exec, run, "was ended by signal", WTERMSIG(result.status));
	else if (WEXITSTATUS(result.status))
		note_failure(exec, run, "failed with status", WEXITSTATUS(result.status));
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
		run_command(exec, run);
		free_run(run);
	}
	return NULL;
}

static void release(struct snapshot_exec *exec)
{
	exec_helper__free(exec->helper);
	pthread_cond_destroy(&exec->work);
	pthread_mutex_destroy(&exec->lock);
	free(exec);
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
	err = exec_helper__new(command, &exec->helper);
	if (!err)
		err = thread__start(&exec->thread, work, exec);
	if (err) {
		log_err("cannot start what runs the command of --exec: %s", strerror(-err));
		release(exec);
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
	run->rule = strdup(rule);
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
	release(exec);
}
