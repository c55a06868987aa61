// SPDX-License-Identifier: GPL-2.0-only
/* The filter refuses calls in the thread that loads it, in one that was there before, and in a child. */
#include "base/syscall_filter.h"

#include <errno.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static bool is_refused(long result)
{
	return result < 0 && errno == ENOSYS;
}

static long bpf(enum bpf_cmd cmd)
{
	union bpf_attr attr = {0};

	return syscall(SYS_bpf, cmd, &attr, sizeof(attr));
}

static void check_refused(void)
{
	char *const argv[] = {(char[]){"true"}, NULL};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0);
	close(fd);
	CHECK(is_refused(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)));
	CHECK(is_refused(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0)));
	CHECK(is_refused(execve("/bin/true", argv, environ)));
	CHECK(is_refused(mount("none", "/none", "tmpfs", 0, NULL)));
	CHECK(is_refused(ptrace(PTRACE_TRACEME, 0, NULL, NULL)));
	CHECK(is_refused(setuid(0)));
	CHECK(is_refused(bpf(BPF_PROG_LOAD)));
	CHECK(is_refused(bpf(BPF_MAP_CREATE)));
	CHECK(!is_refused(bpf(BPF_MAP_LOOKUP_ELEM)));
}

static int go[2];

static void *other_thread(void *arg)
{
	char byte;

	CHECK_EQ(read(go[0], &byte, 1), 1);
	check_refused();
	return NULL;
}

/* A process of its own loads the filter, as there is no way back. */
static int test_in_child(void)
{
	pthread_t other;
	int status = 0;
	pid_t pid;

	if (!CHECK(!pipe(go)) || !CHECK(!pthread_create(&other, NULL, other_thread, NULL)))
		return check__done();
	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK_EQ(syscall_filter__load(), 0);
	CHECK_EQ(syscall_filter__load(), 0);
	check_refused();
	CHECK_EQ(write(go[1], "", 1), 1);
	pthread_join(other, NULL);
	pid = fork();
	if (!pid) {
		check_refused();
		_exit(check__done());
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return check__done();
}

int main(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(test_in_child());
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return check__done();
}
