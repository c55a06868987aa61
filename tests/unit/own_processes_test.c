// SPDX-License-Identifier: GPL-2.0-only
/* Which processes are auxbpf's own, and when: in processes that enter, leave, and are killed. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own_processes.h"
#include "check.h"

/* A process that has entered and waits to be told to leave. */
struct child {
	pid_t pid;
	int pipe;
};

static struct child begin(uint64_t since)
{
	int told[2], entered[2];
	struct child child;
	char c;

	if (pipe(told) || pipe(entered))
		exit(1);
	child.pipe = told[1];
	child.pid = fork();
	if (!child.pid) {
		close(told[1]);
		own_processes__enter(since);
		close(entered[1]);
		if (read(told[0], &c, 1) == 1)
			own_processes__leave();
		_exit(0);
	}
	close(told[0]);
	close(entered[1]);
	CHECK_EQ(read(entered[0], &c, 1), 0);
	close(entered[0]);
	return child;
}

static void end(struct child *child)
{
	CHECK_EQ(write(child->pipe, "", 1), 1);
	close(child->pipe);
	CHECK_EQ(waitpid(child->pid, NULL, 0), child->pid);
}

static struct own_process find(pid_t pid)
{
	struct own_process all[OWN_PROCESSES_MAX + 1];
	size_t nr = own_processes__list(all);

	for (size_t i = 0; i < nr; i++)
		if (all[i].pid == (uint32_t)pid)
			return all[i];
	return (struct own_process){0};
}

static size_t count(void)
{
	struct own_process all[OWN_PROCESSES_MAX + 1];

	return own_processes__list(all);
}

static void test_unprepared(void)
{
	struct child child = begin(1);

	CHECK_EQ(count(), 1);
	CHECK_EQ(find(getpid()).end, UINT64_MAX);
	end(&child);
}

static void test_one(void)
{
	uint64_t since = clock__ns(CLOCK_MONOTONIC);
	struct child child = begin(since);
	struct own_process process = find(child.pid);

	CHECK_EQ(process.begin, since);
	CHECK_EQ(process.end, UINT64_MAX);
	end(&child);
	process = find(child.pid);
	CHECK_EQ(process.begin, since);
	CHECK(process.end > since && process.end != UINT64_MAX);
}

static void test_killed(void)
{
	struct child child = begin(1);

	kill(child.pid, SIGKILL);
	CHECK_EQ(waitpid(child.pid, NULL, 0), child.pid);
	close(child.pipe);
	CHECK(find(child.pid).end <= clock__ns(CLOCK_MONOTONIC));
}

/* Those that go on are kept, whatever comes and goes meanwhile; of the others the last ones are. */
static void test_many(void)
{
	struct child first = begin(7), child;

	for (int i = 0; i < 2 * OWN_PROCESSES_MAX; i++) {
		child = begin(1);
		end(&child);
	}
	CHECK_EQ(count(), OWN_PROCESSES_MAX + 1);
	CHECK_EQ(find(first.pid).begin, 7);
	CHECK_EQ(find(child.pid).begin, 1);
	end(&first);
}

/* One for which there is no room is not known, and the others are. */
static void test_too_many(void)
{
	struct child all[OWN_PROCESSES_MAX + 1];

	for (int i = 0; i <= OWN_PROCESSES_MAX; i++)
		all[i] = begin(9);
	CHECK_EQ(find(all[0].pid).begin, 9);
	CHECK_EQ(find(all[OWN_PROCESSES_MAX].pid).pid, 0);
	for (int i = 0; i <= OWN_PROCESSES_MAX; i++)
		end(&all[i]);
}

int main(void)
{
	test_unprepared();
	if (own_processes__prepare())
		return 1;
	test_one();
	test_killed();
	test_many();
	test_too_many();
	return check__done();
}
