// SPDX-License-Identifier: GPL-2.0-only
/*
 *	fail_call [-r] [-l LOG] CALL ERRNO N COMMAND [ARGUMENT...]
 *
 * Runs COMMAND and makes its system call number N with the name CALL fail with ERRNO, without having been
 * made; with -r (rest) each later one too. N is 0: none fails. Calls are counted over the processes and threads
 * that run COMMAND's file, not over those that execute another one. LOG gets their number and what the failing
 * call was. Of futex() those that wait are counted alone if ERRNO is EINTR: the kernel interrupts no other.
 *
 * The exit status is the command's, 128 and the signal's number if one ended it, 125 if something cannot be set
 * up. What the command left running is named on stderr, killed, and the status is 124.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ERRNO 133
#define GRACE_MS 20000
#define FAILED 125

static struct {
	int call, error;
	unsigned long wanted, calls;
	bool rest;
	struct stat program; /* what COMMAND is */
	FILE *log;
	_Atomic int notify_fd;
} job;

static void die(const char *what)
{
	fprintf(stderr, "fail_call: %s: %s\n", what, strerror(errno));
	_exit(FAILED);
}

static int parse_errno(const char *name)
{
	for (int err = 1; err <= MAX_ERRNO; err++) {
		if (strerrorname_np(err) && !strcmp(strerrorname_np(err), name))
			return err;
	}
	return 0;
}

/* Whether the calling thread runs COMMAND. */
static bool is_of_program(uint32_t tid)
{
	char path[32];
	struct stat exe;

	snprintf(path, sizeof(path), "/proc/%u/exe", tid);
	return !stat(path, &exe) && exe.st_dev == job.program.st_dev && exe.st_ino == job.program.st_ino;
}

/* The text at an argument that may be a path, or nothing. */
static void read_text(uint32_t tid, uint64_t addr, char *text, size_t size)
{
	char path[32];
	ssize_t len = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/mem", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		len = pread(fd, text, size - 1, (off_t)addr);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	for (char *p = text; *p; p++) {
		if (*p < ' ' || *p > '~')
			*p = '\0';
	}
}

static void log_call(const struct seccomp_notif *call)
{
	char text[2][128];

	fprintf(job.log, "thread %u:", call->pid);
	for (int i = 0; i < 2; i++)
		read_text(call->pid, call->data.args[i], text[i], sizeof(text[i]));
	for (int i = 0; i < 6; i++)
		fprintf(job.log, " %#llx%s%s", (unsigned long long)call->data.args[i],
			i < 2 && *text[i] ? "=" : "", i < 2 ? text[i] : "");
	fprintf(job.log, "\n");
	fflush(job.log);
}

/* Whether the kernel could answer a call with the wanted error: libc ends a program whose futex() wakes in vain. */
static bool can_fail(const struct seccomp_data *call)
{
	if (job.error != EINTR || call->nr != SYS_futex)
		return true;
	switch ((int)call->args[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return true;
	default:
		return false;
	}
}

static bool fails(const struct seccomp_notif *call)
{
	if (!can_fail(&call->data) || !is_of_program(call->pid))
		return false;
	job.calls++;
	if (!job.wanted || job.calls < job.wanted || (job.calls > job.wanted && !job.rest))
		return false;
	if (job.calls == job.wanted && job.log)
		log_call(call);
	return true;
}

static void *answer(void *unused)
{
	struct seccomp_notif *call;
	struct seccomp_notif_resp *resp;

	if (seccomp_notify_alloc(&call, &resp))
		die("seccomp_notify_alloc");
	while (job.notify_fd < 0)
		usleep(1000);
	for (;;) {
		memset(call, 0, sizeof(*call));
		/* The caller was killed meanwhile. */
		if (seccomp_notify_receive(job.notify_fd, call))
			continue;
		*resp = (struct seccomp_notif_resp){.id = call->id,
						    .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
		if (fails(call)) {
			resp->flags = 0;
			resp->error = -job.error;
		}
		seccomp_notify_respond(job.notify_fd, resp);
	}
	return NULL;
}

/* The filter is that of the calling thread and what it makes: the one that answers has none. */
static void start_answering(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	pthread_t thread;

	job.notify_fd = -1;
	if (pthread_create(&thread, NULL, answer, NULL))
		die("pthread_create");
	if (!filter || seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0) ||
	    seccomp_rule_add(filter, SCMP_ACT_NOTIFY, job.call, 0) || seccomp_load(filter))
		die("seccomp");
	atomic_store(&job.notify_fd, seccomp_notify_fd(filter));
}

static void find_program(const char *name)
{
	char *path = getenv("PATH"), *copy = strdup(path ? path : ""), file[4096];

	if (strchr(name, '/') && !stat(name, &job.program))
		return;
	for (char *dir = strtok(copy, ":"); dir; dir = strtok(NULL, ":")) {
		snprintf(file, sizeof(file), "%s/%s", dir, name);
		if (!access(file, X_OK) && !stat(file, &job.program))
			break;
	}
	free(copy);
}

static int exit_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Who lost its parent is this program's child now. The first of them, or 0. */
static int find_child(void)
{
	char path[64];
	FILE *children;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	children = fopen(path, "re");
	if (!children)
		die(path);
	if (fscanf(children, "%d", &pid) != 1)
		pid = 0;
	fclose(children);
	return pid;
}

static void end_child(int pid)
{
	char path[64], name[4096] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	file = fopen(path, "re");
	if (file) {
		name[fread(name, 1, sizeof(name) - 1, file)] = '\0';
		fclose(file);
	}
	fprintf(stderr, "fail_call: left running: %d %s\n", pid, name);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* What sees that its parent is gone, and ends, has time to. */
static bool end_left(void)
{
	bool any = false;
	int pid;

	for (int i = 0; i < GRACE_MS; i++) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (!find_child())
			return false;
		usleep(1000);
	}
	while ((pid = find_child())) {
		end_child(pid);
		any = true;
	}
	return any;
}

static int run(char **argv)
{
	int status = 0;
	pid_t pid;

	/* Not fork(): that waits for the answer to its clone with locks held which who answers may need. */
	errno = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
	if (errno)
		die(argv[0]);
	while (waitpid(pid, &status, 0) < 0)
		;
	return end_left() ? 124 : exit_status(status);
}

static int usage(void)
{
	fprintf(stderr, "Usage: fail_call [-r] [-l LOG] CALL ERRNO N COMMAND [ARGUMENT...]\n");
	return FAILED;
}

int main(int argc, char **argv)
{
	int option, status;

	while ((option = getopt(argc, argv, "+rl:")) != -1) {
		if (option == 'r')
			job.rest = true;
		else if (option != 'l' || !(job.log = fopen(optarg, "we")))
			return usage();
	}
	argv += optind;
	if (argc - optind < 4)
		return usage();
	job.call = seccomp_syscall_resolve_name(argv[0]);
	job.error = parse_errno(argv[1]);
	job.wanted = strtoul(argv[2], NULL, 10);
	if (job.call < 0 || !job.error)
		return usage();
	find_program(argv[3]);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		die("prctl");
	start_answering();
	status = run(argv + 3);
	if (job.log)
		fprintf(job.log, "%lu calls\n", job.calls);
	return status;
}
