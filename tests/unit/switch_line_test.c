// SPDX-License-Identifier: GPL-2.0-only
/* The lines of perf script for records of switches. */
#include <errno.h>

#include "check.h"
#include "decode/switch_line.h"

static void good(const char *line, int32_t tid, int32_t cpu, uint64_t time, bool is_out)
{
	struct task_switch s = {0};

	if (!CHECK_EQ(switch_line__read(line, &s), 0))
		fprintf(stderr, "line: %s\n", line);
	CHECK_EQ(s.tid, tid);
	CHECK_EQ(s.cpu, cpu);
	CHECK_EQ(s.time, time);
	CHECK_EQ(s.is_out, is_out);
}

static void bad(const char *line)
{
	struct task_switch s;

	if (!CHECK_EQ(switch_line__read(line, &s), -EINVAL))
		fprintf(stderr, "line: %s\n", line);
}

static void test_lines(void)
{
	/* As perf 6.1 prints them. */
	good("   syscall_cases     142 [001]    15.804039121: PERF_RECORD_SWITCH_CPU_WIDE IN           prev "
	     "pid/tid:   138/138  \n",
	     142, 1, 15804039121, false);
	good("   syscall_cases     142 [001]    15.805920502: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next "
	     "pid/tid:   138/138  \n",
	     142, 1, 15805920502, true);
	good("              sh      7 [000]     0.000000001: PERF_RECORD_SWITCH OUT preempt\n", 7, 0, 1,
	     true);
	good("              sh      7 [128] 18446744.000000001: PERF_RECORD_SWITCH IN         \n", 7, 128,
	     18446744000000001, false);
	good("         swapper       0 [000]    15.804039121: PERF_RECORD_SWITCH_CPU_WIDE OUT\n", 0, 0,
	     15804039121, true);
}

/* A task has any name. */
static void test_names(void)
{
	good("       a 5 [007] 9. 142 [001]    15.804039121: PERF_RECORD_SWITCH IN\n", 142, 1, 15804039121,
	     false);
	good(" : PERF_RECORD_ 142 [001]    15.804039121: PERF_RECORD_SWITCH IN\n", 142, 1, 15804039121,
	     false);
	good("                 142 [001]    15.804039121: PERF_RECORD_SWITCH IN\n", 142, 1, 15804039121,
	     false);
}

static void test_others(void)
{
	bad("");
	bad(" instruction trace error type 1 time 1.000000001 cpu 0 pid 1 tid 1 ip 0 code 5: Failed to get "
	    "instruction\n");
	bad(" sh 7 [000] 15.804039121: PERF_RECORD_SWITCH\n");
	bad(" sh 7 [000] 15.804039121: PERF_RECORD_SWITCH AWAY\n");
	/* The task has no number any more. */
	bad(" sh -1 [000] 15.804039121: PERF_RECORD_SWITCH OUT\n");
	/* Without nanoseconds, CPU, or task. */
	bad(" sh 7 [000] 15.804039: PERF_RECORD_SWITCH OUT\n");
	bad(" sh 7 15.804039121: PERF_RECORD_SWITCH OUT\n");
	bad(" sh 7 [-01] 15.804039121: PERF_RECORD_SWITCH OUT\n");
	bad("[000] 15.804039121: PERF_RECORD_SWITCH OUT\n");
	bad(": PERF_RECORD_SWITCH OUT\n");
}

int main(void)
{
	test_lines();
	test_names();
	test_others();
	return check__done();
}
