/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What test programs do to tasks: let them sleep, move and end. All or nothing, as REQUIRE has it.
 */
#ifndef TESTS_TASK_H
#define TESTS_TASK_H

#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

/* By another system call than those that the programs are about, which libc's nanosleep() is not. */
static inline void task__sleep_ms(long ms)
{
	struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

	syscall(SYS_nanosleep, &ts, NULL);
}

/* @pid 0: this task. */
static inline void task__pin(pid_t pid, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	REQUIRE(!sched_setaffinity(pid, sizeof(set), &set));
}

static inline unsigned int task__cpu(void)
{
	unsigned int cpu = 0;

	REQUIRE(!syscall(SYS_getcpu, &cpu, NULL, NULL));
	return cpu;
}

/* Waits for the end of a child, which must be a success. */
static inline void task__wait(pid_t pid)
{
	int status;

	REQUIRE(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status));
}

#endif
