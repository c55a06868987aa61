// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is said where --after cannot be had. The kernel's answers are made up: what it refuses tells which kernel
 * it is.
 */
#include <errno.h>

#include "check.h"
#include "gate/timer_probe.h"
#include "said.h"

static int answer;

static int load(void)
{
	return answer;
}

/* What goes to stderr. */
static void run(int kernel_says, char *said, size_t size)
{
	struct said begun;
	int err;

	answer = kernel_says;
	begun = said__begin();
	err = timer_probe__run(load);
	said__end(begun, said, size);
	CHECK_EQ(err, kernel_says);
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
