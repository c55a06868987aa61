// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions in every situation that a window must survive. window_outer() and window_inner() are the
 * functions to trace; main() says for each case how many windows begin if only window_outer() is listed,
 * which is the same if both are. Each case says NOTE_TARGET for the tasks that count, and exits with 0 only
 * if what it is named for happened.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"
#include "task.h"

/* What a call does inside. */
typedef void (*body_fn)(long arg);

void window_outer(body_fn body, long arg);
void window_inner(body_fn body, long arg);

/* No call of theirs is the last thing that they do: it would be a jump, and no return of their own. */
__attribute__((noinline)) void window_inner(body_fn body, long arg)
{
	body(arg);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void window_outer(body_fn body, long arg)
{
	body(arg);
	__asm__ volatile("" ::: "memory");
}

/* It is nothing but a return. */
void window_empty(void);
__attribute__((noinline, used)) void window_empty(void)
{
}

static volatile long counter;

static void count(long arg)
{
	counter += arg;
}

static int run_calls(int argc, char **argv)
{
	long n = program__arg(argc, argv, 1, 5);

	mark__note(NOTE_TARGET);
	for (long i = 0; i < n; i++)
		window_outer(count, 1);
	REQUIRE(counter == n);
	return EXIT_SUCCESS;
}

static void recurse(long depth)
{
	counter++;
	if (depth > 1)
		window_outer(recurse, depth - 1);
}

/* More than the kernel's 64 return probes of a task at a time, on request. */
static int run_recursion(int argc, char **argv)
{
	long depth = program__arg(argc, argv, 1, 10);

	mark__note(NOTE_TARGET);
	window_outer(recurse, depth);
	REQUIRE(counter == depth);
	window_outer(recurse, depth);
	return EXIT_SUCCESS;
}

static void call_outer_again(long arg)
{
	window_outer(count, arg);
}

static void call_inner(long arg)
{
	window_inner(call_outer_again, arg);
}

static int run_nested(int argc, char **argv)
{
	mark__note(NOTE_TARGET);
	for (int i = 0; i < 3; i++)
		window_outer(call_inner, 1);
	REQUIRE(counter == 3);
	return EXIT_SUCCESS;
}

static jmp_buf env;

static void jump_out(long arg)
{
	counter += arg;
	longjmp(env, 1);
}

static void __attribute__((noinline)) call_and_jump(void)
{
	if (!setjmp(env))
		window_outer(jump_out, 1);
}

/* The window of a call that is left like this goes on until the next one begins. */
static int run_longjmp(int argc, char **argv)
{
	mark__note(NOTE_TARGET);
	for (int i = 0; i < 3; i++)
		call_and_jump();
	window_outer(count, 1);
	REQUIRE(counter == 4);
	return EXIT_SUCCESS;
}

static void *thread_body(void *arg)
{
	mark__note(NOTE_TARGET);
	for (int i = 0; i < 2; i++)
		window_outer(task__sleep_ms, 1);
	return NULL;
}

static void make_thread(long arg)
{
	pthread_t thread;

	REQUIRE(!pthread_create(&thread, NULL, thread_body, NULL));
	REQUIRE(!pthread_join(thread, NULL));
}

/* The second thread begins while its parent is inside: it is not. */
static int run_threads(int argc, char **argv)
{
	mark__note(NOTE_TARGET);
	make_thread(0);
	window_outer(make_thread, 0);
	return EXIT_SUCCESS;
}

static void exec_calls(long arg)
{
	char *const args[] = {(char[]){"function_cases"}, (char[]){"calls"}, (char[]){"1"}, NULL};
	char *const envp[] = {NULL};

	execve("/proc/self/exe", args, envp);
	REQUIRE(!"execve returned");
}

static int run_exec(int argc, char **argv)
{
	mark__note(NOTE_TARGET);
	window_outer(exec_calls, 0);
	return EXIT_FAILURE;
}

static pid_t child;

static void fork_here(long arg)
{
	child = fork();
	REQUIRE(child >= 0);
	if (child)
		task__wait(child);
}

/* The child leaves the call too, then makes one of its own. */
static int run_fork(int argc, char **argv)
{
	mark__note(NOTE_TARGET);
	window_outer(fork_here, 0);
	if (!child)
		window_outer(count, 1);
	return EXIT_SUCCESS;
}

static void vfork_here(long arg)
{
	char *const args[] = {(char[]){"function_cases"}, (char[]){"calls"}, (char[]){"1"}, NULL};
	char *const envp[] = {NULL};
	pid_t pid = vfork();

	if (!pid) {
		execve("/proc/self/exe", args, envp);
		_exit(EXIT_FAILURE);
	}
	REQUIRE(pid > 0);
	task__wait(pid);
}

/* The child is inside until it executes another program. */
static int run_vfork(int argc, char **argv)
{
	mark__note(NOTE_TARGET);
	window_outer(vfork_here, 0);
	return EXIT_SUCCESS;
}

/* By their names it can be told which of the children called getsid(2) inside of the function. */
static int child_calls(void *name)
{
	REQUIRE(!prctl(PR_SET_NAME, name));
	REQUIRE(syscall(SYS_getsid, 0) >= 0);
	return EXIT_SUCCESS;
}

static void *thread_calls(void *name)
{
	child_calls(name);
	return NULL;
}

static void vfork_calls(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(child_calls((char[]){"vforked"}));
	REQUIRE(pid > 0);
	task__wait(pid);
}

/* As posix_spawn() does. */
static void spawn_calls(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	pid_t pid = clone(child_calls, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD,
			  (char[]){"spawned"});

	REQUIRE(pid > 0);
	task__wait(pid);
}

static void fork_calls(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(child_calls((char[]){"forked"}));
	REQUIRE(pid > 0);
	task__wait(pid);
}

static void make_children(long arg)
{
	pthread_t thread;

	vfork_calls();
	spawn_calls();
	fork_calls();
	REQUIRE(!pthread_create(&thread, NULL, thread_calls, (char[]){"thread"}));
	REQUIRE(!pthread_join(thread, NULL));
}

/* All of them begin while their maker is inside; on its stack are a copy of the process and a vfork's child. */
static int run_children(int argc, char **argv)
{
	window_outer(make_children, 0);
	return EXIT_SUCCESS;
}

static void on_signal(int sig)
{
	window_outer(count, 1);
}

static void raise_here(long arg)
{
	REQUIRE(!raise(SIGUSR1));
}

/* A handler's call is a window of its own only where none is open. */
static int run_signal(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = on_signal};

	REQUIRE(!sigaction(SIGUSR1, &sa, NULL));
	mark__note(NOTE_TARGET);
	window_outer(raise_here, 0);
	raise_here(0);
	REQUIRE(counter == 2);
	return EXIT_SUCCESS;
}

/* The handler runs on another stack, which lies below. */
static int run_altstack(int argc, char **argv)
{
	static char stack[1 << 16];
	const stack_t ss = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

	REQUIRE((uintptr_t)stack < (uintptr_t)&sa);
	REQUIRE(!sigaltstack(&ss, NULL) && !sigaction(SIGUSR1, &sa, NULL));
	mark__note(NOTE_TARGET);
	window_outer(raise_here, 0);
	REQUIRE(counter == 1);
	return EXIT_SUCCESS;
}

/* Keep the CPU busy from outside with the program burn. */
static int run_sleep(int argc, char **argv)
{
	mark__note(NOTE_TARGET);
	for (long n = program__arg(argc, argv, 1, 3); n > 0; n--)
		window_outer(task__sleep_ms, 30);
	return EXIT_SUCCESS;
}

static void move_later(pid_t target)
{
	task__pin(0, 1);
	task__sleep_ms(60);
	task__pin(target, 1);
	_exit(EXIT_SUCCESS);
}

static void sleep_until_moved(long ms)
{
	while (task__cpu() == 0)
		task__sleep_ms(ms);
}

/* Asleep inside on CPU 0, moved to CPU 1 from outside. */
static int run_migrate(int argc, char **argv)
{
	pid_t self = getpid(), helper;

	task__pin(0, 0);
	helper = fork();
	REQUIRE(helper >= 0);
	if (!helper)
		move_later(self);
	mark__note(NOTE_TARGET);
	REQUIRE(task__cpu() == 0);
	window_outer(sleep_until_moved, 200);
	REQUIRE(task__cpu() == 1);
	task__wait(helper);
	return EXIT_SUCCESS;
}

/* For a function of the kernel: vfs_fsync() once a call. */
static int run_fsync(int argc, char **argv)
{
	int fd = memfd_create("fsync", 0);

	REQUIRE(fd >= 0);
	mark__note(NOTE_TARGET);
	for (long n = program__arg(argc, argv, 1, 3); n > 0; n--)
		REQUIRE(!syscall(SYS_fsync, fd));
	return EXIT_SUCCESS;
}

/* For functions of the kernel that sleep: anon_pipe_read(), or pipe_read() before Linux 6.15, once. */
static int run_pipe(int argc, char **argv)
{
	pid_t helper;
	int fds[2];
	char c;

	REQUIRE(!pipe(fds));
	helper = fork();
	REQUIRE(helper >= 0);
	if (!helper) {
		task__sleep_ms(60);
		_exit(write(fds[1], "x", 1) == 1 ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	mark__note(NOTE_TARGET);
	REQUIRE(syscall(SYS_read, fds[0], &c, 1) == 1);
	task__wait(helper);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static const struct program_case cases[] = {
		{"calls", run_calls},	      /* 5, or argument */
		{"recursion", run_recursion}, /* 2 */
		{"nested", run_nested},	      /* 3 */
		{"longjmp", run_longjmp},     /* 4 */
		{"threads", run_threads},     /* 5: two of each thread, one of the parent */
		{"exec", run_exec},	      /* 2: one that exec ends, one behind it */
		{"fork", run_fork},	      /* 2: one that both are in, one of the child */
		{"vfork", run_vfork},	      /* 2: one that both are in, one of the child */
		{"children", run_children},   /* 1 that all children begin in */
		{"signal", run_signal},	      /* 2 */
		{"altstack", run_altstack},   /* 1 */
		{"sleep", run_sleep},	      /* 3, or argument */
		{"migrate", run_migrate},     /* 1 */
		{"fsync", run_fsync},	      /* 3, or argument, in the kernel */
		{"pipe", run_pipe},	      /* 1 in the kernel */
		{0},
	};

	return program__main(cases, argc, argv);
}
