// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who holds a PMU, on this kernel, as root. The PMU is that of debug registers, which is never busy, and
 * which hardly anybody else uses; children hold it.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "trace/event_holder.h"

#define TYPE PERF_TYPE_BREAKPOINT
#define MAX 16

static int open_event(int pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = TYPE,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = 0x1000,
		.bp_len = HW_BREAKPOINT_LEN_8,
		.disabled = 1,
		.exclude_kernel = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, 0);
}

/* A process that has the event open twice, until it is killed. */
static pid_t start_holder(int pid, int cpu)
{
	int ready[2];
	pid_t child;
	char c;

	if (pipe(ready))
		return -1;
	child = fork();
	if (!child) {
		prctl(PR_SET_NAME, "holds (it)");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (open_event(pid, cpu) >= 0 && open_event(pid, cpu) >= 0 && write(ready[1], "y", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		child = -1;
	}
	close(ready[0]);
	return child;
}

static void stop_holder(pid_t child)
{
	if (child <= 0)
		return;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static bool is_found(uint32_t type, int cpu, pid_t pid)
{
	struct auxbpf_holder holders[MAX];
	int nr = event_holder__find(type, cpu, holders, MAX), seen = 0;

	CHECK(nr >= 0);
	for (int i = 0; i < nr; i++) {
		CHECK(holders[i].pid != getpid());
		if (holders[i].pid != pid)
			continue;
		seen++;
		CHECK_STREQ(holders[i].comm, "holds (it)");
	}
	CHECK(seen <= 1);
	return seen;
}

static void test_event_of_a_cpu(void)
{
	pid_t child = start_holder(-1, 0);

	if (!CHECK(child > 0))
		return;
	CHECK(is_found(TYPE, 0, child));
	CHECK(!is_found(TYPE, 1, child));
	CHECK(!is_found(TYPE + 1000, 0, child));
	stop_holder(child);
	CHECK(!is_found(TYPE, 0, child));
}

static void test_event_of_a_task(void)
{
	pid_t child = start_holder(0, -1);

	if (!CHECK(child > 0))
		return;
	CHECK(is_found(TYPE, 0, child));
	CHECK(is_found(TYPE, 1, child));
	stop_holder(child);
	child = start_holder(0, 0);
	if (!CHECK(child > 0))
		return;
	CHECK(is_found(TYPE, 1, child));
	stop_holder(child);
}

/* A CPU has four debug registers. */
static void test_own_events_and_room(void)
{
	pid_t a = start_holder(-1, 0), b = start_holder(-1, 0);
	struct auxbpf_holder holder;
	int own;

	if (CHECK(a > 0))
		CHECK(is_found(TYPE, 0, a));
	if (CHECK(b > 0))
		CHECK(is_found(TYPE, 0, b));
	CHECK_EQ(event_holder__find(TYPE, 0, &holder, 1), 1);
	stop_holder(a);
	own = open_event(-1, 0);
	CHECK(own >= 0);
	CHECK(is_found(TYPE, 0, b));
	stop_holder(b);
	close(own);
	CHECK(event_holder__find(TYPE, 1 << 20, &holder, 1) < 0);
}

int main(void)
{
	test_event_of_a_cpu();
	test_event_of_a_task();
	test_own_events_and_room();
	return check__done();
}
