// SPDX-License-Identifier: GPL-2.0-only
/*
 * interrupt_cases CASE [COUNT]: system calls that do not go from their beginning to their end in one piece,
 * COUNT times. All reads are of descriptor 77. A second process, called "helper", waits until this one is in
 * the call and then disturbs it; nothing depends on how long that takes.
 *
 *   denied    mkdirat, to which a seccomp filter answers EPERM: it never begins
 *   emulated  a child's mkdirat, which its tracer stops and answers with EPERM (PTRACE_SYSEMU): likewise
 *   renamed   a child's clone, the number of which its tracer changes while the child is in it: it ends as
 *             another call, which has begun nowhere
 *   eintr     a read that a handler without SA_RESTART interrupts: EINTR
 *   restart   a read that a handler with SA_RESTART interrupts: the kernel makes it anew, and it reads a byte
 *   stopped   a read during which the process is stopped and continued: likewise
 *   left      a read that a handler leaves by siglongjmp; the next one, at the same place, reads a byte
 *   poll      a ppoll that a handler interrupts: EINTR, whatever SA_RESTART says
 *   sleep     a clock_nanosleep of 300 ms during which the process is stopped and continued: it goes on as
 *             restart_syscall
 *   woken     a clock_nanosleep that a handler interrupts: EINTR
 *   killed    a child of nine threads gets a SIGTERM, for which it has no handler
 *   unblocked a child unblocks a SIGTERM that it got before, and ends
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "task.h"

#define READ_FD 77

static int feed;		       /* what is written there is read from READ_FD */
static volatile sig_atomic_t *handled; /* shared with the helper */
static sigjmp_buf before_read;

static void on_signal(int sig)
{
	*handled = 1;
}

static void leave_read(int sig)
{
	REQUIRE(write(feed, "", 1) == 1);
	siglongjmp(before_read, 1);
}

static void handle(void (*handler)(int), int flags)
{
	const struct sigaction sa = {.sa_handler = handler, .sa_flags = flags};

	*handled = 0;
	REQUIRE(!sigaction(SIGUSR1, &sa, NULL));
}

static void make_pipe(void)
{
	int fds[2];

	REQUIRE(!pipe2(fds, O_CLOEXEC));
	REQUIRE(dup2(fds[0], READ_FD) == READ_FD);
	close(fds[0]);
	feed = fds[1];
}

static long read_byte(void)
{
	char c;

	return syscall(SYS_read, READ_FD, &c, 1);
}

static void read_proc(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	REQUIRE(fd >= 0);
	len = read(fd, text, size - 1);
	REQUIRE(len >= 0);
	text[len] = '\0';
	close(fd);
}

/*
 * Until it sleeps in the system call, or waits for this process with the call behind it: a sleep may be over
 * before this one gets a CPU.
 */
static void wait_for_call(pid_t pid, long nr)
{
	char text[256], *end;

	for (;;) {
		long in;

		read_proc(pid, "syscall", text, sizeof(text));
		in = strtol(text, &end, 10);
		if (end != text && (in == nr || in == SYS_wait4))
			return;
		task__sleep_ms(1);
	}
}

static void wait_for_state(pid_t pid, char state)
{
	char text[512];

	do {
		task__sleep_ms(1);
		read_proc(pid, "stat", text, sizeof(text));
	} while (strrchr(text, ')')[2] != state);
}

static void stop_and_continue(pid_t pid)
{
	REQUIRE(!kill(pid, SIGSTOP));
	wait_for_state(pid, 'T');
	REQUIRE(!kill(pid, SIGCONT));
}

static void give_byte(pid_t pid)
{
	wait_for_call(pid, SYS_read);
	REQUIRE(write(feed, "", 1) == 1);
}

static void signal_read(pid_t pid)
{
	wait_for_call(pid, SYS_read);
	REQUIRE(!kill(pid, SIGUSR1));
}

static void signal_read_and_feed(pid_t pid)
{
	wait_for_call(pid, SYS_read);
	task__sleep_ms(300);
	REQUIRE(!kill(pid, SIGUSR1));
	while (!*handled)
		task__sleep_ms(1);
	give_byte(pid);
}

static void stop_read_and_feed(pid_t pid)
{
	wait_for_call(pid, SYS_read);
	task__sleep_ms(300);
	stop_and_continue(pid);
	give_byte(pid);
}

static void signal_poll(pid_t pid)
{
	wait_for_call(pid, SYS_ppoll);
	REQUIRE(!kill(pid, SIGUSR1));
}

static void stop_sleep(pid_t pid)
{
	wait_for_call(pid, SYS_clock_nanosleep);
	task__sleep_ms(100);
	stop_and_continue(pid);
}

static void signal_sleep(pid_t pid)
{
	wait_for_call(pid, SYS_clock_nanosleep);
	REQUIRE(!kill(pid, SIGUSR1));
}

/* Starts the process that does this to its parent. */
static pid_t start_helper(void (*act)(pid_t pid))
{
	pid_t parent = getpid(), pid = fork();

	REQUIRE(pid >= 0);
	if (pid)
		return pid;
	REQUIRE(!prctl(PR_SET_NAME, "helper"));
	act(parent);
	_exit(EXIT_SUCCESS);
}

static void read_with(void (*act)(pid_t pid), long wanted)
{
	pid_t helper = start_helper(act);
	long n = read_byte();

	REQUIRE(n == wanted && (n >= 0 || errno == EINTR));
	task__wait(helper);
}

static void read_eintr(void)
{
	handle(on_signal, 0);
	read_with(signal_read, -1);
}

static void read_restart(void)
{
	handle(on_signal, SA_RESTART);
	read_with(signal_read_and_feed, 1);
}

static void read_stopped(void)
{
	read_with(stop_read_and_feed, 1);
}

static void read_left(void)
{
	pid_t helper;

	handle(leave_read, SA_RESTART);
	helper = start_helper(signal_read);
	sigsetjmp(before_read, 1);
	REQUIRE(read_byte() == 1);
	task__wait(helper);
}

static void poll_eintr(void)
{
	pid_t helper;

	handle(on_signal, SA_RESTART);
	helper = start_helper(signal_poll);
	REQUIRE(syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0) == -1 && errno == EINTR);
	task__wait(helper);
}

static void sleep_with(void (*act)(pid_t pid), struct timespec ts, long wanted)
{
	pid_t helper = start_helper(act);

	REQUIRE(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, &ts) == wanted);
	task__wait(helper);
}

static void sleep_stopped(void)
{
	sleep_with(stop_sleep, (struct timespec){.tv_nsec = 300000000}, 0);
}

static void sleep_eintr(void)
{
	handle(on_signal, SA_RESTART);
	sleep_with(signal_sleep, (struct timespec){.tv_sec = 1000}, -1);
}

static void deny_mkdirat(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mkdirat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};

	REQUIRE(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	REQUIRE(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

/* Its arguments are there for rules to see. */
static void make_directory(void)
{
	REQUIRE(syscall(SYS_mkdirat, 42, "/nonexistent/directory", 0755) == -1 && errno == EPERM);
}

#if defined(__x86_64__)
static void set_number(pid_t pid, long nr)
{
	REQUIRE(!ptrace(PTRACE_POKEUSER, pid, (void *)(15 * sizeof(long)), (void *)nr)); /* orig_rax */
}

static void set_result(pid_t pid, long result)
{
	REQUIRE(!ptrace(PTRACE_POKEUSER, pid, (void *)(10 * sizeof(long)), (void *)result)); /* rax */
}
#else
static void set_number(pid_t pid, long nr)
{
	int number = (int)nr;
	struct iovec vec = {&number, sizeof(number)};

	REQUIRE(!ptrace(PTRACE_SETREGSET, pid, (void *)0x404l, &vec)); /* NT_ARM_SYSTEM_CALL */
}

static void set_result(pid_t pid, long result)
{
	unsigned long regs[34];
	struct iovec vec = {regs, sizeof(regs)};

	REQUIRE(!ptrace(PTRACE_GETREGSET, pid, (void *)1l, &vec)); /* NT_PRSTATUS */
	regs[0] = (unsigned long)result;
	REQUIRE(!ptrace(PTRACE_SETREGSET, pid, (void *)1l, &vec));
}
#endif

#ifndef PTRACE_SYSEMU
#define PTRACE_SYSEMU 31
#endif

static void wait_for_stop(pid_t pid)
{
	int status;

	REQUIRE(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
}

/* The child stops itself before the call, so that the calls to there are made as ever. */
static void emulate(void)
{
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (!pid) {
		REQUIRE(!ptrace(PTRACE_TRACEME, 0, NULL, NULL));
		kill(getpid(), SIGSTOP);
		make_directory();
		_exit(EXIT_SUCCESS);
	}
	wait_for_stop(pid);
	REQUIRE(!ptrace((enum __ptrace_request)PTRACE_SYSEMU, pid, NULL, NULL));
	wait_for_stop(pid);
	set_result(pid, -EPERM);
	REQUIRE(!ptrace(PTRACE_DETACH, pid, NULL, NULL));
	task__wait(pid);
}

/* Makes a process that ends at once; the end of that one is the maker's next call. */
static void make_process(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

	REQUIRE(pid >= 0);
	if (!pid)
		_exit(EXIT_SUCCESS);
	task__wait((pid_t)pid);
}

/* The tracer is told of the clone from inside it. The new process, which it traces then, too, is let go. */
static void rename_call(void)
{
	unsigned long made;
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (!pid) {
		REQUIRE(!ptrace(PTRACE_TRACEME, 0, NULL, NULL));
		kill(getpid(), SIGSTOP);
		make_process();
		_exit(EXIT_SUCCESS);
	}
	wait_for_stop(pid);
	REQUIRE(!ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)PTRACE_O_TRACEFORK));
	REQUIRE(!ptrace(PTRACE_CONT, pid, NULL, NULL));
	wait_for_stop(pid);
	REQUIRE(!ptrace(PTRACE_GETEVENTMSG, pid, NULL, &made));
	wait_for_stop((pid_t)made);
	REQUIRE(!ptrace(PTRACE_DETACH, (pid_t)made, NULL, NULL));
	set_number(pid, SYS_getpid);
	REQUIRE(!ptrace(PTRACE_DETACH, pid, NULL, NULL));
	task__wait(pid);
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
	return arg;
}

static void start_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 8; i++)
		REQUIRE(!pthread_create(&thread, NULL, wait_for_ever, NULL));
}

static void end_by_sigterm(pid_t pid)
{
	int status;

	REQUIRE(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

static void kill_threads(void)
{
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (!pid) {
		start_threads();
		wait_for_ever(NULL);
	}
	wait_for_call(pid, SYS_ppoll);
	REQUIRE(!kill(pid, SIGTERM));
	end_by_sigterm(pid);
}

static void unblock(void)
{
	sigset_t set;
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (pid) {
		end_by_sigterm(pid);
		return;
	}
	start_threads();
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	REQUIRE(!pthread_sigmask(SIG_BLOCK, &set, NULL));
	REQUIRE(!syscall(SYS_tgkill, getpid(), getpid(), SIGTERM));
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	_exit(EXIT_FAILURE);
}

static const struct interrupt_case {
	const char *name;
	void (*run)(void);
	void (*prepare)(void);
} cases[] = {
	{"denied", make_directory, deny_mkdirat},
	{"emulated", emulate, NULL},
	{"renamed", rename_call, NULL},
	{"eintr", read_eintr, NULL},
	{"restart", read_restart, NULL},
	{"stopped", read_stopped, NULL},
	{"left", read_left, NULL},
	{"poll", poll_eintr, NULL},
	{"sleep", sleep_stopped, NULL},
	{"woken", sleep_eintr, NULL},
	{"killed", kill_threads, NULL},
	{"unblocked", unblock, NULL},
	{NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
	long count = argc == 3 ? atol(argv[2]) : 1;
	const struct interrupt_case *c = cases;

	while (c->name && (argc < 2 || strcmp(c->name, argv[1]) != 0))
		c++;
	if (!c->name || argc > 3 || count < 1) {
		fprintf(stderr, "usage: interrupt_cases CASE [COUNT]\n");
		return 2;
	}
	handled = mmap(NULL, sizeof(*handled), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(handled != MAP_FAILED);
	make_pipe();
	if (c->prepare)
		c->prepare();
	while (count--)
		c->run();
	return EXIT_SUCCESS;
}
