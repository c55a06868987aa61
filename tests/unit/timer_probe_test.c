// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is said where --after cannot be had. The kernel's answers are made up: what it refuses tells which kernel
 * it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "check.h"
#include "kernel/timer_probe.h"

static int answer;

static int load(void)
{
	return answer;
}

/* What goes to stderr. */
static void run(int kernel_says, char *said, size_t size)
{
	int fds[2], old = dup(STDERR_FILENO);
	ssize_t len;

	answer = kernel_says;
	CHECK(!pipe2(fds, O_CLOEXEC | O_NONBLOCK));
	dup2(fds[1], STDERR_FILENO);
	CHECK_EQ(timer_probe__run(load), kernel_says);
	dup2(old, STDERR_FILENO);
	len = read(fds[0], said, size - 1);
	said[len > 0 ? len : 0] = '\0';
	close(fds[0]);
	close(fds[1]);
	close(old);
}

int main(void)
{
	char said[1024];

	run(0, said, sizeof(said));
	CHECK_STREQ(said, "");
	run(-EOPNOTSUPP, said, sizeof(said));
	CHECK(strstr(said, "--after: a real-time kernel (PREEMPT_RT) gives BPF programs no timers"));
	run(-EINVAL, said, sizeof(said));
	CHECK(strstr(said, "--after: this kernel gives BPF programs no timers: Invalid argument"));
	CHECK(!strstr(said, "PREEMPT_RT"));
	run(-EPERM, said, sizeof(said));
	CHECK(strstr(said, "run as root"));
	CHECK(!strstr(said, "timers"));
	return check__done();
}
