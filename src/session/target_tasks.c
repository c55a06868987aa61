// SPDX-License-Identifier: GPL-2.0-only
#include "session/target_tasks.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include "base/log.h"
#include "base/path.h"

struct target_tasks {
	int pidfds[AUXBPF_MAX_PIDS]; /* -1: ended */
	size_t nr_pidfds, nr_ended;
	size_t nr_tids;
	int timer_fd; /* ticks to look whether threads and children still live */
	struct waiter *waiter;
	struct gate *gate;
};

static int open_process(struct target_tasks *tasks, int pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0 && (errno == EINVAL || errno == ENOENT))
		log_err("%d is a thread, not a process; trace it alone with -t %d", pid, pid);
	else if (fd < 0)
		log_err("cannot trace process %d: %s", pid, strerror(errno));
	if (fd < 0)
		return -errno;
	tasks->pidfds[tasks->nr_pidfds++] = fd;
	return 0;
}

static int find_thread(const char *root, int tid)
{
	if (path__exists(root, "/proc/%d/comm", tid))
		return 0;
	log_err("cannot trace thread %d: %s", tid, strerror(ESRCH));
	return -ESRCH;
}

int target_tasks__new(const char *root, const struct target_set *set, struct target_tasks **ret)
{
	_cleanup_(cleanup__target_tasks) struct target_tasks *tasks = calloc(1, sizeof(*tasks));
	int err = 0;

	if (!tasks)
		return -ENOMEM;
	tasks->timer_fd = -1;
	tasks->nr_tids = set->nr_tids;
	for (size_t i = 0; !err && i < set->nr_pids; i++)
		err = open_process(tasks, set->pids[i]);
	for (size_t i = 0; !err && i < set->nr_tids; i++)
		err = find_thread(root, set->tids[i]);
	if (err)
		return err;
	*ret = steal_ptr(tasks);
	return 0;
}

static int look(void *ctx)
{
	struct target_tasks *tasks = ctx;
	uint64_t ticks;

	if (read(tasks->timer_fd, &ticks, sizeof(ticks)) < 0)
		return -errno;
	return !gate__live_targets(tasks->gate);
}

/* Waits for children that were followed, which may live on when the processes are gone, as with strace -f. */
static int start_looking(struct target_tasks *tasks)
{
	const struct itimerspec interval = {{0, 100000000}, {0, 1}};

	tasks->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (tasks->timer_fd < 0 || timerfd_settime(tasks->timer_fd, 0, &interval, NULL))
		return -errno;
	return waiter__add(tasks->waiter, tasks->timer_fd, look, tasks);
}

static int process_ended(void *ctx)
{
	struct target_tasks *tasks = ctx;

	for (size_t i = 0; i < tasks->nr_pidfds; i++) {
		if (tasks->pidfds[i] < 0 || syscall(SYS_pidfd_send_signal, tasks->pidfds[i], 0, NULL, 0) == 0)
			continue;
		waiter__remove(tasks->waiter, tasks->pidfds[i]);
		cleanup__close(&tasks->pidfds[i]);
		tasks->pidfds[i] = -1;
		tasks->nr_ended++;
	}
	return tasks->nr_ended == tasks->nr_pidfds && tasks->timer_fd < 0 ? start_looking(tasks) : 0;
}

int target_tasks__watch(struct target_tasks *tasks, struct waiter *waiter, struct gate *gate)
{
	int err = 0;

	tasks->waiter = waiter;
	tasks->gate = gate;
	for (size_t i = 0; !err && i < tasks->nr_pidfds; i++)
		err = waiter__add(waiter, tasks->pidfds[i], process_ended, tasks);
	/* Before Linux 6.9 no descriptor tells the end of a thread. */
	return !err && tasks->nr_tids ? start_looking(tasks) : err;
}

void target_tasks__free(struct target_tasks *tasks)
{
	if (!tasks)
		return;
	for (size_t i = 0; i < tasks->nr_pidfds; i++)
		cleanup__close(&tasks->pidfds[i]);
	cleanup__close(&tasks->timer_fd);
	free(tasks);
}
