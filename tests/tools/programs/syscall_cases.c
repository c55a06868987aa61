// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls in every situation that a window must survive: asleep, moved to another CPU, interrupted and
 * restarted, ended by exec or exit, beginning in a child. Each case says NOTE_TARGET for the tasks that
 * count, and exits with 0 only if what it is named for happened.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"
#include "task.h"

/*
 * How long a helper waits until the other process is in its call, also on a busy machine. A call in which it
 * must still be then takes longer by far.
 */
#define LATER_MS 200

/* Runs @helper in another process with the pid of this one; task__wait() ends it. */
static pid_t start_helper(void (*helper)(pid_t target, int fd), int fd)
{
	pid_t self = getpid(), pid = fork();

	REQUIRE(pid >= 0);
	if (pid)
		return pid;
	helper(self, fd);
	_exit(EXIT_SUCCESS);
}

static void uname_now(void)
{
	struct utsname uts;

	REQUIRE(!syscall(SYS_uname, &uts));
}

static int run_uname(int argc, char **argv)
{
	mark__note(NOTE_TARGET);
	for (long n = program__arg(argc, argv, 1, 1); n > 0; n--)
		uname_now();
	return EXIT_SUCCESS;
}

/* uname and sysinfo in turn, with a getppid that is in no list between them. */
static int run_alternate(int argc, char **argv)
{
	struct sysinfo info;

	mark__note(NOTE_TARGET);
	for (long n = program__arg(argc, argv, 1, 5); n > 0; n--) {
		uname_now();
		syscall(SYS_getppid);
		REQUIRE(!syscall(SYS_sysinfo, &info));
	}
	return EXIT_SUCCESS;
}

static void clock_sleep(long ms)
{
	struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

	REQUIRE(!syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, NULL));
}

/* clock_nanosleep; keep the CPU busy from outside with the program burn. */
static int run_sleep(int argc, char **argv)
{
	mark__note(NOTE_TARGET);
	for (long n = program__arg(argc, argv, 1, 3); n > 0; n--)
		clock_sleep(30);
	return EXIT_SUCCESS;
}

static void write_later(pid_t target, int fd)
{
	task__sleep_ms(60);
	REQUIRE(write(fd, "x", 1) == 1);
}

static int run_pipe_read(int argc, char **argv)
{
	pid_t helper;
	int fds[2];
	char c;

	REQUIRE(!pipe(fds));
	helper = start_helper(write_later, fds[1]);
	mark__note(NOTE_TARGET);
	REQUIRE(syscall(SYS_read, fds[0], &c, 1) == 1);
	task__wait(helper);
	return EXIT_SUCCESS;
}

static void move_later(pid_t target, int fd)
{
	task__pin(0, 1);
	REQUIRE(write(fd, "x", 1) == 1);
	task__sleep_ms(LATER_MS);
	task__pin(target, 1);
}

/* Asleep in clock_nanosleep on CPU 0, moved to CPU 1 from outside: by a helper that runs before, however busy its CPU is. */
static int run_migrate(int argc, char **argv)
{
	pid_t helper;
	int fds[2];
	char c;

	REQUIRE(!pipe(fds));
	task__pin(0, 0);
	helper = start_helper(move_later, fds[1]);
	REQUIRE(read(fds[0], &c, 1) == 1);
	mark__note(NOTE_TARGET);
	REQUIRE(task__cpu() == 0);
	clock_sleep(10 * LATER_MS);
	REQUIRE(task__cpu() == 1);
	task__wait(helper);
	return EXIT_SUCCESS;
}

static void swap_often(pid_t target, int fd)
{
	task__pin(0, 1);
	for (int i = 0; i < 4; i++) {
		task__sleep_ms(8);
		task__pin(target, (unsigned int)(i + 1) % 2);
	}
}

/* At work in one read, moved to and fro from outside: the kernel stops it inside the system call for that. */
static int run_migrate_busy(int argc, char **argv)
{
	size_t len = (size_t)program__arg(argc, argv, 1, 64) << 20;
	char *buf = malloc(len);
	int fd = open("/dev/zero", O_RDONLY);
	pid_t helper;

	REQUIRE(buf && fd >= 0);
	memset(buf, 1, len);
	task__pin(0, 0);
	helper = start_helper(swap_often, -1);
	mark__note(NOTE_TARGET);
	REQUIRE(syscall(SYS_read, fd, buf, len) == (long)len);
	task__wait(helper);
	return EXIT_SUCCESS;
}

static volatile sig_atomic_t nr_signals;

static void on_signal(int sig)
{
	nr_signals++;
}

static void signal_then_write(pid_t target, int fd)
{
	task__sleep_ms(LATER_MS);
	REQUIRE(!kill(target, SIGUSR1));
	task__sleep_ms(LATER_MS);
	REQUIRE(write(fd, "x", 1) == 1);
}

/* A read that a signal interrupts and SA_RESTART begins again: two windows. */
static int run_restart(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	pid_t helper;
	int fds[2];
	char c;

	REQUIRE(!pipe(fds) && !sigaction(SIGUSR1, &sa, NULL));
	helper = start_helper(signal_then_write, fds[1]);
	mark__note(NOTE_TARGET);
	REQUIRE(syscall(SYS_read, fds[0], &c, 1) == 1);
	REQUIRE(nr_signals == 1);
	task__wait(helper);
	return EXIT_SUCCESS;
}

static void stop_and_continue(pid_t target, int fd)
{
	task__sleep_ms(LATER_MS);
	REQUIRE(!kill(target, SIGSTOP));
	task__sleep_ms(LATER_MS);
	REQUIRE(!kill(target, SIGCONT));
}

/* clock_nanosleep, stopped and continued: it goes on as restart_syscall. */
static int run_stop(int argc, char **argv)
{
	pid_t helper = start_helper(stop_and_continue, -1);

	mark__note(NOTE_TARGET);
	clock_sleep(10 * LATER_MS);
	task__wait(helper);
	return EXIT_SUCCESS;
}

/* A signal is pending while the task sleeps, and is delivered on the other CPU. */
static int run_pending(int argc, char **argv)
{
	const struct sigaction sa = {.sa_handler = on_signal};
	sigset_t blocked;

	REQUIRE(!sigemptyset(&blocked) && !sigaddset(&blocked, SIGUSR1));
	REQUIRE(!sigaction(SIGUSR1, &sa, NULL));
	mark__note(NOTE_TARGET);
	for (int n = 0; n < 3; n++) {
		task__pin(0, n % 2);
		REQUIRE(!sigprocmask(SIG_BLOCK, &blocked, NULL));
		REQUIRE(!kill(getpid(), SIGUSR1));
		clock_sleep(30);
		task__pin(0, (n + 1) % 2);
		REQUIRE(nr_signals == n);
		REQUIRE(!sigprocmask(SIG_UNBLOCK, &blocked, NULL));
		REQUIRE(nr_signals == n + 1);
	}
	return EXIT_SUCCESS;
}

static int run_nothing(int argc, char **argv)
{
	mark__note(NOTE_TARGET);
	return EXIT_SUCCESS;
}

/* Executes itself @n times, then is done. */
static int run_execve(int argc, char **argv)
{
	long n = program__arg(argc, argv, 1, 2);
	char left[24];
	char *const args[] = {argv[0], (char[]){"execve"}, left, NULL};
	char *const env[] = {NULL};

	mark__note(NOTE_TARGET);
	if (!n)
		return EXIT_SUCCESS;
	snprintf(left, sizeof(left), "%ld", n - 1);
	syscall(SYS_execve, "/proc/self/exe", args, env);
	REQUIRE(!"execve returned");
	return EXIT_FAILURE;
}

static void *wait_forever(void *arg)
{
	for (;;)
		pause();
	return NULL;
}

/* exit_group of a process with threads that sleep. */
static int run_exit_group(int argc, char **argv)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, wait_forever, NULL));
	task__sleep_ms(20);
	mark__note(NOTE_TARGET);
	syscall(SYS_exit_group, EXIT_SUCCESS);
	return EXIT_FAILURE;
}

static int run_vfork(int argc, char **argv)
{
	char *const args[] = {argv[0], (char[]){"nothing"}, NULL};
	char *const env[] = {NULL};
	pid_t pid;

	mark__note(NOTE_TARGET);
	pid = vfork();
	if (!pid) {
		execve("/proc/self/exe", args, env);
		_exit(EXIT_FAILURE);
	}
	REQUIRE(pid > 0);
	task__wait(pid);
	return EXIT_SUCCESS;
}

static void *thread_body(void *arg)
{
	mark__note(NOTE_TARGET);
	for (int i = 0; i < 3; i++)
		uname_now();
	return NULL;
}

/* Threads begin inside the window of the clone3 that makes them; each makes calls of its own. */
static int run_clone(int argc, char **argv)
{
	pthread_t threads[3];

	mark__note(NOTE_TARGET);
	for (int i = 0; i < 3; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, thread_body, NULL));
	for (int i = 0; i < 3; i++)
		REQUIRE(!pthread_join(threads[i], NULL));
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static const struct program_case cases[] = {
		{"uname", run_uname},
		{"alternate", run_alternate},
		{"sleep", run_sleep},
		{"pipe-read", run_pipe_read},
		{"migrate", run_migrate},
		{"migrate-busy", run_migrate_busy},
		{"restart", run_restart},
		{"stop", run_stop},
		{"execve", run_execve},
		{"exit-group", run_exit_group},
		{"vfork", run_vfork},
		{"clone", run_clone},
		{"pending", run_pending},
		{"nothing", run_nothing},
		{0},
	};

	return program__main(cases, argc, argv);
}
