// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "base/log.h"
#include "base/path.h"

#define PRINTK "bpf_trace/bpf_trace_printk"
/* How long the kernel's work queue may take to switch the event on after the last program was loaded. */
#define SETTLE_MS 100
#define LOCK_MS 10000

/* Where tracefs is: its own mount point, or where debugfs shows it. */
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

/* Every program that is loaded makes the kernel do it once more, some time. */
static int put_back(const char *root)
{
	int err = 0;

	while (!err && wait_for_on(root, SETTLE_MS))
		err = path__write(root, "0", "%s/events/" PRINTK "/enable", tracefs_dir(root));
	return err;
}

static void close_others(int a, int b)
{
	unsigned int low = (unsigned int)(a < b ? a : b), high = (unsigned int)(a < b ? b : a);

	if (low)
		close_range(0, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
}

/*
 * Out of reach of what may end the loader: its terminal, signals to its process group or by its name. The
 * lock is held as long as this process lives.
 */
static _Noreturn void guard_main(const char *root, int pipe, int lock)
{
	ssize_t n;
	char c;

	setsid();
	prctl(PR_SET_NAME, "printk-guard");
	close_others(pipe, lock);
	do
		n = read(pipe, &c, 1);
	while (n < 0 && errno == EINTR);
	_exit(-put_back(root));
}

static pid_t start_guard(const char *root, int pipe, int lock)
{
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	pid = fork();
	if (!pid)
		guard_main(root, pipe, lock);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return pid < 0 ? -errno : pid;
}

/* One auxbpf at a time: the lock is on the setting itself. -1 if it cannot be had. */
static int lock_printk(const char *root)
{
	_cleanup_close_ int fd = path__open(root, "%s/events/" PRINTK "/enable", tracefs_dir(root));
	int ms = LOCK_MS;

	if (fd < 0)
		return -1;
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK || ms <= 0) {
			log_warn("cannot lock the ftrace event " PRINTK ": %s; another auxbpf that starts at "
				 "the same time may leave it switched on",
				 strerror(errno));
			break;
		}
		sleep_ms(10);
		ms -= 10;
	}
	return steal_fd(&fd);
}

static int open_guard(struct tracefs_printk *saved, int lock)
{
	_cleanup_close_ int end = -1;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	end = fds[0];
	saved->guard_pipe = fds[1];
	saved->guard = start_guard(saved->root, fds[0], lock);
	return saved->guard < 0 ? (int)saved->guard : 0;
}

void tracefs__save_printk(const char *root, struct tracefs_printk *saved)
{
	_cleanup_close_ int lock = lock_printk(root);
	int err;

	*saved = (struct tracefs_printk){.root = root, .guard_pipe = -1, .guard = -1};
	saved->was_off = lock >= 0 && !printk_is_on(root);
	err = saved->was_off ? open_guard(saved, lock) : 0;
	if (err)
		log_warn("cannot start the process that switches the ftrace event " PRINTK
			 " off again if auxbpf is killed: %s",
			 strerror(-err));
}

void tracefs__release_printk(struct tracefs_printk *saved)
{
	cleanup__close(&saved->guard_pipe);
	saved->guard_pipe = -1;
}

static int await_guard(struct tracefs_printk *saved)
{
	int status;

	tracefs__release_printk(saved);
	if (saved->guard < 0 || waitpid(saved->guard, &status, 0) < 0 || !WIFEXITED(status))
		return put_back(saved->root);
	return -WEXITSTATUS(status);
}

void tracefs__restore_printk(struct tracefs_printk *saved)
{
	int err = saved->was_off ? await_guard(saved) : 0;

	saved->was_off = false;
	if (err)
		log_warn("cannot switch the ftrace event " PRINTK " off again: %s", strerror(-err));
}
