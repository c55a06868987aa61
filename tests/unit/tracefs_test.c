// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracefs on a made-up machine: where it is, and the setting of bpf_trace_printk, which is put back whatever
 * happens to the process that loads the programs, unless somebody else writes to it. The test does what the
 * kernel would: it switches it on, through a mapping, of which inotify tells nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/path.h"
#include "check.h"
#include "root_dir.h"
#include "trace/tracefs.h"

#define EVENT "/sys/kernel/tracing/events/bpf_trace/bpf_trace_printk"

static struct root_dir root;
static const struct tracefs_printk_users nobody;

static void sleep_ms(long ms)
{
	const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

/* As a user does it. */
static void set(const char *value)
{
	CHECK(root_dir__put(&root, EVENT "/enable", value));
}

/* The kernel's way to the setting. */
static volatile char *mapping;

static bool map_setting(void)
{
	char path[PATH_MAX];
	int fd;

	set("0\n");
	snprintf(path, sizeof(path), "%s" EVENT "/enable", root.path);
	fd = open(path, O_RDWR);
	mapping = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return mapping != MAP_FAILED;
}

static void kernel_switches_on(void)
{
	*mapping = '1';
}

/* The setting, after at most 5 s if it is another one at first. */
static bool becomes(char value)
{
	char text[8] = "";

	for (int i = 0; i < 500; i++) {
		if (path__read(root.path, text, sizeof(text), EVENT "/enable") > 0 && *text == value)
			return true;
		sleep_ms(10);
	}
	return false;
}

static bool no_children(void)
{
	return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

static void test_format(void)
{
	_cleanup_buf_ struct buf text = {0};
	struct nearest near = {0};

	CHECK(root_dir__put(&root, "/sys/kernel/tracing/events/sched/sched_stat/format", "a\nb\n"));
	CHECK_EQ(tracefs__read_format(root.path, "sched", "sched_sta", &text), -ENOENT);
	tracefs__offer_tracepoints(root.path, "sched:sched_sta", &near);
	CHECK_STREQ(near.names[0], "sched:sched_stat");
	CHECK_EQ(tracefs__read_format(root.path, "sched", "sched_stat", &text), 0);
	CHECK_EQ(text.len, 4);
	CHECK(!memcmp(text.data, "a\nb\n", 4));
}

static void test_tracepoint_id(void)
{
	_cleanup_buf_ struct buf text = {0};
	uint64_t id = 0;

	CHECK_EQ(tracefs__tracepoint_id(root.path, "sched/sched_switch", &id), -ENOENT);
	CHECK(!tracefs__is_mounted(root.path));
	CHECK_EQ(tracefs__read_format(root.path, "sched", "sched_switch", &text), -ENODEV);
	CHECK(root_dir__put(&root, "/sys/kernel/debug/tracing/events/sched/sched_switch/id", "314\n"));
	CHECK(tracefs__is_mounted(root.path));
	CHECK_EQ(tracefs__tracepoint_id(root.path, "sched/sched_switch", &id), 0);
	CHECK_EQ(id, 314);
	CHECK(root_dir__put(&root, "/sys/kernel/tracing/events/sched/sched_switch/id", "315\n"));
	CHECK_EQ(tracefs__tracepoint_id(root.path, "sched/sched_switch", &id), 0);
	CHECK_EQ(id, 315);
}

static void test_no_tracefs(void)
{
	struct tracefs_printk saved;

	tracefs__save_printk("/nowhere", &nobody, &saved);
	CHECK(no_children());
	tracefs__restore_printk(&saved);
}

static void test_off_before(void)
{
	struct tracefs_printk saved;

	set("0\n");
	tracefs__save_printk(root.path, &nobody, &saved);
	kernel_switches_on();
	tracefs__restore_printk(&saved);
	CHECK(becomes('0'));
	CHECK(no_children());
	set("1\n");
	tracefs__restore_printk(&saved);
	CHECK(becomes('1'));
}

static void test_on_before(void)
{
	struct tracefs_printk saved;

	set("1\n");
	tracefs__save_printk(root.path, &nobody, &saved);
	CHECK(no_children());
	tracefs__restore_printk(&saved);
	sleep_ms(100);
	CHECK(becomes('1'));
}

/* Who switches the event on while programs are loaded finds it on, whether the kernel did it before or after. */
static void test_on_meanwhile(bool before_kernel)
{
	struct tracefs_printk saved;

	set("0\n");
	tracefs__save_printk(root.path, &nobody, &saved);
	if (!before_kernel)
		kernel_switches_on();
	set("1\n");
	if (before_kernel)
		kernel_switches_on();
	tracefs__restore_printk(&saved);
	CHECK(becomes('1'));
	CHECK(no_children());
}

/* The kernel's work comes after the guard has begun to wait: a read of stat_refresh ends behind it. */
static void *work_late(void *path)
{
	int fd = open(path, O_RDWR); /* it need not wait for a reader */

	sleep_ms(500);
	kernel_switches_on();
	close(fd);
	return NULL;
}

static void test_late(void)
{
	struct tracefs_printk saved;
	char path[PATH_MAX];
	pthread_t kernel;

	CHECK(root_dir__put(&root, "/proc/sys/vm/other", ""));
	snprintf(path, sizeof(path), "%s/proc/sys/vm/stat_refresh", root.path);
	CHECK(!mkfifo(path, 0600));
	set("0\n");
	tracefs__save_printk(root.path, &nobody, &saved);
	if (!CHECK(!pthread_create(&kernel, NULL, work_late, path)))
		return;
	tracefs__restore_printk(&saved);
	pthread_join(kernel, NULL);
	CHECK(becomes('0'));
	CHECK(no_children());
	unlink(path);
}

/* Shared with the guard, which asks. */
struct others {
	int begun;
	int asked;
	int needed_from; /* so often it was asked before others have come */
};
static struct others *others;

static void others_begin(void *users)
{
	others->begun++;
}

static bool others_are_there(const void *users)
{
	return others->asked++ >= others->needed_from;
}

/* Others load a program that needs it before it is put back, right after that, or never. */
static void test_others(int needed_from, char wanted)
{
	const struct tracefs_printk_users users = {others_begin, others_are_there, NULL};
	struct tracefs_printk saved;

	others->asked = 0;
	others->needed_from = needed_from;
	set("0\n");
	tracefs__save_printk(root.path, &users, &saved);
	kernel_switches_on();
	tracefs__restore_printk(&saved);
	CHECK(becomes(wanted));
	CHECK(no_children());
}

/* A loader that is killed with the setting on, or before the kernel gets to it. */
static void test_killed(bool on_before_death)
{
	struct tracefs_printk saved;
	int status;
	pid_t pid;

	set("0\n");
	pid = fork();
	if (!pid) {
		tracefs__save_printk(root.path, &nobody, &saved);
		if (on_before_death)
			kernel_switches_on();
		kill(getpid(), SIGKILL);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	if (!on_before_death) {
		sleep_ms(10);
		kernel_switches_on();
	}
	CHECK(becomes('0'));
}

static int count_fds(pid_t pid)
{
	_cleanup_closedir_ DIR *dir = path__opendir("/proc", "/%d/fd", pid);
	int n = 0;

	while (dir && readdir(dir))
		n++;
	return n - 2;
}

/* The pipe, the switch and its watch, nothing of its parent's; no signal but SIGKILL, and then the parent does it. */
static void test_guard_is_apart(void)
{
	struct tracefs_printk saved;

	set("0\n");
	tracefs__save_printk(root.path, &nobody, &saved);
	for (int i = 0; i < 500 && count_fds(saved.guard) != 3; i++)
		sleep_ms(10);
	CHECK_EQ(count_fds(saved.guard), 3);
	CHECK_EQ(getsid(saved.guard), saved.guard);
	kill(saved.guard, SIGTERM);
	kill(saved.guard, SIGINT);
	kill(saved.guard, SIGHUP);
	sleep_ms(50);
	CHECK_EQ(waitpid(saved.guard, NULL, WNOHANG), 0);
	kill(saved.guard, SIGKILL);
	kernel_switches_on();
	tracefs__restore_printk(&saved);
	CHECK(becomes('0'));
	CHECK(no_children());
}

/* It is put back while the caller goes on; to wait for it is one matter, to let it begin another. */
static void test_release(void)
{
	struct tracefs_printk saved;

	set("0\n");
	tracefs__save_printk(root.path, &nobody, &saved);
	kernel_switches_on();
	tracefs__release_printk(&saved);
	CHECK(becomes('0'));
	tracefs__restore_printk(&saved);
	CHECK(no_children());
	tracefs__restore_printk(&saved);
	CHECK(becomes('0'));
}

/*
 * The second waits for the first: what it finds is the user's setting, not that of the first's programs, and these
 * are not among the others that have come since.
 */
static void test_two_at_once(void)
{
	const struct tracefs_printk_users users = {others_begin, others_are_there, NULL};
	struct tracefs_printk saved;
	int status;
	pid_t pid;

	others->begun = 0;
	others->needed_from = 1000;
	set("0\n");
	tracefs__save_printk(root.path, &users, &saved);
	pid = fork();
	if (!pid) {
		close(saved.guard_pipe);
		tracefs__save_printk(root.path, &users, &saved);
		kernel_switches_on();
		tracefs__restore_printk(&saved);
		_exit(0);
	}
	sleep_ms(100);
	CHECK_EQ(waitpid(pid, &status, WNOHANG), 0);
	CHECK_EQ(others->begun, 1);
	kernel_switches_on();
	tracefs__restore_printk(&saved);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(others->begun, 2);
	CHECK(becomes('0'));
}

int main(void)
{
	if (CHECK(root_dir__make(&root))) {
		test_tracepoint_id();
		test_format();
		test_no_tracefs();
		CHECK(map_setting());
		test_off_before();
		test_on_before();
		test_on_meanwhile(true);
		test_on_meanwhile(false);
		test_late();
		others = mmap(NULL, sizeof(*others), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			      0);
		CHECK(others != MAP_FAILED);
		test_others(0, '1');
		test_others(1, '1');
		test_others(1000, '0');
		test_killed(true);
		test_killed(false);
		test_guard_is_apart();
		test_release();
		test_two_at_once();
		root_dir__remove(&root);
	}
	return check__done();
}
