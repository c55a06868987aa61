// SPDX-License-Identifier: GPL-2.0-only
#include "trace/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/own_processes.h"
#include "base/path.h"
#include "base/privileges.h"

#define PRINTK "bpf_trace/bpf_trace_printk"
/* The time that the kernel may take to switch the event on, once its work queues have come to that. */
#define SETTLE_MS 100
/* The time to wait for the work queues. */
#define WORK_MS 5000
#define LOCK_MS 10000
/* The result of the guard if others need the event; no errno is so large. */
#define LEFT_ON 200

/* Returns where tracefs is: at its own mount point, or where debugfs shows it. */
static const char *tracefs_dir(const char *root)
{
	return path__exists(root, "/sys/kernel/tracing/events") ? "/sys/kernel/tracing"
								: "/sys/kernel/debug/tracing";
}

bool tracefs__is_mounted(const char *root)
{
	return path__exists(root, "%s/events", tracefs_dir(root));
}

bool tracefs__is_forbidden(const char *root)
{
	static const char *const places[] = {"/sys/kernel/tracing/events",
					     "/sys/kernel/debug/tracing/events"};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_close_ int fd = path__open(root, "%s", places[i]);

		if (fd >= 0)
			return false;
		if (fd == -EACCES)
			return true;
	}
	return false;
}

int tracefs__open(const char *root, const char *name)
{
	return path__open(root, "%s/%s", tracefs_dir(root), name);
}

int tracefs__tracepoint_id(const char *root, const char *tracepoint, uint64_t *ret)
{
	return path__read_u64(root, ret, "%s/events/%s/id", tracefs_dir(root), tracepoint);
}

int tracefs__read_format(const char *root, const char *category, const char *event, struct buf *ret)
{
	_cleanup_close_ int fd =
		path__open(root, "%s/events/%s/%s/format", tracefs_dir(root), category, event);

	if (fd == -ENOENT && !tracefs__is_mounted(root))
		return -ENODEV;
	return fd < 0 ? fd : path__read_all(fd, ret);
}

static int visit_category(const char *root, const char *category,
			  int (*visit)(void *ctx, const char *category, const char *event), void *ctx)
{
	_cleanup_closedir_ DIR *dir = path__opendir(root, "%s/events/%s", tracefs_dir(root), category);
	struct dirent *d;
	int ret = 0;

	while (!ret && dir && (d = readdir(dir)))
		if (*d->d_name != '.' && d->d_type == DT_DIR)
			ret = visit(ctx, category, d->d_name);
	return ret;
}

int tracefs__each_tracepoint(const char *root,
			     int (*visit)(void *ctx, const char *category, const char *event), void *ctx)
{
	_cleanup_closedir_ DIR *dir = path__opendir(root, "%s/events", tracefs_dir(root));
	struct dirent *d;
	int ret = dir ? 0 : -ENODEV;

	while (!ret && (d = readdir(dir)))
		if (*d->d_name != '.' && d->d_type == DT_DIR)
			ret = visit_category(root, d->d_name, visit, ctx);
	return ret;
}

struct offer {
	const char *wanted;
	struct nearest *near;
};

static int offer_tracepoint(void *ctx, const char *category, const char *event)
{
	const struct offer *offer = ctx;
	char name[NEAREST_NAME_MAX];

	if (snprintf(name, sizeof(name), "%s:%s", category, event) < (int)sizeof(name))
		nearest__offer(offer->near, offer->wanted, name);
	return 0;
}

void tracefs__offer_tracepoints(const char *root, const char *wanted, struct nearest *near)
{
	struct offer offer = {wanted, near};

	/* Without tracefs there is nothing to offer. */
	(void)!tracefs__each_tracepoint(root, offer_tracepoint, &offer);
}

static int read_format(void *root, const char *category, const char *event, struct buf *text)
{
	return tracefs__read_format(root, category, event, text);
}

static void offer_tracepoints(void *root, const char *wanted, struct nearest *near)
{
	tracefs__offer_tracepoints(root, wanted, near);
}

struct tracepoint_source tracefs__source(const char *root)
{
	return (struct tracepoint_source){read_format, offer_tracepoints, (void *)(uintptr_t)root};
}

static void sleep_ms(long ms)
{
	const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

static bool printk_is_on(const char *root)
{
	char text[16];

	return path__read(root, text, sizeof(text), "%s/events/" PRINTK "/enable", tracefs_dir(root)) > 0 &&
	       text[0] == '1';
}

static bool wait_for_on(const char *root, int ms)
{
	while (!printk_is_on(root)) {
		if (!ms--)
			return false;
		sleep_ms(1);
	}
	return true;
}

/*
 * Waits for the work that loading a program queues, which may come late on a busy CPU. A read of stat_refresh
 * queues work on each CPU behind it, and waits for that (mm/vmstat.c, vmstat_refresh()). A child reads it, as
 * a CPU may be busy for ever.
 */
static void wait_for_work(const char *root)
{
	pid_t pid = fork();
	char text[16];

	if (!pid) {
		(void)!path__read(root, text, sizeof(text), "/proc/sys/vm/stat_refresh");
		_exit(EXIT_SUCCESS);
	}
	for (int ms = WORK_MS; pid > 0 && ms && !waitpid(pid, NULL, WNOHANG); ms--)
		sleep_ms(1);
}

/* The event's switch, opened, and an inotify descriptor that tells if somebody else writes to it. */
struct printk_switch {
	int fd;
	int watch;
};

static bool format_path(char *path, const char *root, const char *file)
{
	return snprintf(path, PATH_MAX, "%s%s/%s", root, tracefs_dir(root), file) < PATH_MAX;
}

/*
 * Watches all files that user space can write in order to switch the event. inotify tells of such writes, but
 * not of what the kernel itself does.
 */
static int watch_writers(const char *root)
{
	static const char *const files[] = {"events/" PRINTK "/enable", "events/bpf_trace/enable",
					    "events/enable", "set_event"};
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	char path[PATH_MAX];

	for (size_t i = 0; fd >= 0 && i < ARRAY_SIZE(files); i++)
		if (format_path(path, root, files[i]))
			inotify_add_watch(fd, path, IN_MODIFY | IN_CLOSE_WRITE);
	return fd;
}

static void open_switch(const char *root, struct printk_switch *sw)
{
	char path[PATH_MAX];

	*sw = (struct printk_switch){-1, -1};
	if (format_path(path, root, "events/" PRINTK "/enable"))
		sw->fd = open(path, O_RDWR | O_CLOEXEC);
	if (sw->fd >= 0)
		sw->watch = watch_writers(root);
}

static void close_switch(struct printk_switch *sw)
{
	cleanup__close(&sw->fd);
	cleanup__close(&sw->watch);
}

/* Tells whether any of @events has happened since the last call. */
static bool was_written(const struct printk_switch *sw, uint32_t events)
{
	char text[4096] __attribute__((aligned(8)));
	const struct inotify_event *event;
	uint32_t seen = 0;
	ssize_t n;

	while ((n = read(sw->watch, text, sizeof(text))) > 0)
		for (ssize_t at = 0; at < n; at += (ssize_t)(sizeof(*event) + event->len)) {
			event = (const struct inotify_event *)(text + at);
			seen |= event->mask;
		}
	return seen & events;
}

static bool is_needed(const struct tracefs_printk *saved)
{
	return saved->users.are_there && saved->users.are_there(saved->users.users);
}

/*
 * Switches the event off. Every program that is loaded makes the kernel switch it on again some time later,
 * so this is repeated. But somebody who has switched the event himself must find it as he left it. If he
 * writes between our last look and our own write, his closing of the file tells: ours stays open. If programs
 * of others come by then, the event is switched on again. 0, LEFT_ON or a negative errno.
 */
static int put_back(const struct tracefs_printk *saved, const struct printk_switch *sw)
{
	wait_for_work(saved->root);
	while (wait_for_on(saved->root, SETTLE_MS)) {
		if (was_written(sw, IN_MODIFY | IN_CLOSE_WRITE))
			return 0;
		if (is_needed(saved))
			return LEFT_ON;
		if (pwrite(sw->fd, "0", 1, 0) < 0)
			return -errno;
		if (was_written(sw, IN_CLOSE_WRITE))
			return pwrite(sw->fd, "1", 1, 0) < 0 ? -errno : 0;
	}
	if (was_written(sw, IN_MODIFY | IN_CLOSE_WRITE) || !is_needed(saved))
		return 0;
	return pwrite(sw->fd, "1", 1, 0) < 0 ? -errno : LEFT_ON;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void close_others(int *fds, size_t nr)
{
	unsigned int from = 0;

	qsort(fds, nr, sizeof(*fds), by_number);
	for (size_t i = 0; i < nr; i++) {
		if (fds[i] < 0)
			continue;
		if ((unsigned int)fds[i] > from)
			close_range(from, (unsigned int)fds[i] - 1, 0);
		from = (unsigned int)fds[i] + 1;
	}
	close_range(from, ~0u, 0);
}

/*
 * Keeps out of reach of what may end the loader: its terminal, and signals to its process group or by its
 * name. The lock on the setting is held as long as this process lives.
 */
static _Noreturn void guard_main(const struct tracefs_printk *saved, int pipe, const struct printk_switch *sw)
{
	int kept[] = {pipe, sw->fd, sw->watch};
	ssize_t n;
	int done;
	char c;

	setsid();
	prctl(PR_SET_NAME, "printk-guard");
	close_others(kept, ARRAY_SIZE(kept));
	/* If this fails the guard goes on: it is more important that the setting is put back. */
	if (privileges__limit(PRIVILEGES_GUARD))
		log_debug("the guard keeps its privileges");
	do
		n = read(pipe, &c, 1);
	while (n < 0 && errno == EINTR);
	done = put_back(saved, sw);
	own_processes__leave();
	_exit(done < 0 ? -done : done);
}

static pid_t start_guard(const struct tracefs_printk *saved, int pipe, const struct printk_switch *sw)
{
	uint64_t since = clock__ns(CLOCK_MONOTONIC);
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	pid = fork();
	if (!pid) {
		own_processes__enter(since);
		guard_main(saved, pipe, sw);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return pid < 0 ? -errno : pid;
}

/* Lets one auxbpf in at a time: the lock is on the setting itself. */
static void lock_switch(const struct printk_switch *sw)
{
	int ms = LOCK_MS;

	while (flock(sw->fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK || ms <= 0) {
			log_warn("cannot lock the ftrace event " PRINTK ": %s; another auxbpf that starts at "
				 "the same time may leave it switched on",
				 strerror(errno));
			break;
		}
		sleep_ms(10);
		ms -= 10;
	}
}

static int open_guard(struct tracefs_printk *saved, const struct printk_switch *sw)
{
	_cleanup_close_ int end = -1;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	end = fds[0];
	saved->guard_pipe = fds[1];
	saved->guard = start_guard(saved, fds[0], sw);
	return saved->guard < 0 ? (int)saved->guard : 0;
}

void tracefs__save_printk(const char *root, const struct tracefs_printk_users *users,
			  struct tracefs_printk *saved)
{
	struct printk_switch sw;
	int err;

	*saved = (struct tracefs_printk){.root = root, .users = *users, .guard_pipe = -1, .guard = -1};
	open_switch(root, &sw);
	if (sw.fd < 0)
		return;
	lock_switch(&sw);
	was_written(&sw, 0); /* forget what the auxbpf before us wrote */
	if (users->begin)
		users->begin(users->users);
	saved->was_off = !printk_is_on(root);
	err = saved->was_off ? open_guard(saved, &sw) : 0;
	if (err)
		log_warn("cannot start the process that switches the ftrace event " PRINTK
			 " off again if auxbpf is killed: %s",
			 strerror(-err));
	close_switch(&sw);
}

void tracefs__release_printk(struct tracefs_printk *saved)
{
	cleanup__close(&saved->guard_pipe);
	saved->guard_pipe = -1;
}

/* Does the work of the guard if there is none any more. */
static int do_without_guard(const struct tracefs_printk *saved)
{
	struct printk_switch sw;
	int err;

	open_switch(saved->root, &sw);
	err = sw.fd < 0 ? -ENOENT : put_back(saved, &sw);
	close_switch(&sw);
	return err;
}

static int await_guard(struct tracefs_printk *saved)
{
	int status;

	tracefs__release_printk(saved);
	if (saved->guard < 0 || waitpid(saved->guard, &status, 0) < 0 || !WIFEXITED(status))
		return do_without_guard(saved);
	return WEXITSTATUS(status) == LEFT_ON ? LEFT_ON : -WEXITSTATUS(status);
}

void tracefs__restore_printk(struct tracefs_printk *saved)
{
	int err = saved->was_off ? await_guard(saved) : 0;

	saved->was_off = false;
	if (err == LEFT_ON)
		log_debug("the ftrace event " PRINTK
			  " stays on: another tool has loaded a BPF program that writes to "
			  "it");
	else if (err)
		log_warn("cannot switch the ftrace event " PRINTK " off again: %s", strerror(-err));
}
