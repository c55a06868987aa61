// SPDX-License-Identifier: GPL-2.0-only
/*
 * The variants that are compared. "uname" is system call 63 of x86_64 and 160 of aarch64.
 */
#include <sys/syscall.h>

#include "variant.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define UNAME TEXT(SYS_uname)

#define CALLS (WORK_BIT(WORK_MISS) | WORK_BIT(WORK_OTHER) | WORK_BIT(WORK_TARGET))
#define OTHERS (WORK_BIT(WORK_MISS) | WORK_BIT(WORK_OTHER))
#define SWITCH WORK_BIT(WORK_SWITCH)
#define MOVE WORK_BIT(WORK_MOVE)

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define PERF(...)                                                                                       \
	.kind = VARIANT_TOOL, .marker = "ready",                                                        \
	.command = WORDS("perf", "record", "-B", "-o", "/dev/null", "-C", "@cpu", __VA_ARGS__, "@self", \
			 "--ready")
#define BPFTRACE(program)                        \
	.kind = VARIANT_TOOL, .marker = "ready", \
	.command = WORDS("bpftrace", "-e", program, "-c", "@self --ready")
#define AUXBPF(...)                                       \
	.kind = VARIANT_TOOL, .marker = "Ctrl-C ends it", \
	.command = WORDS("auxbpf", "-v", "-o", "/tmp/auxbpf-bench.data", __VA_ARGS__)

#define PERF_ENTER "-e", "raw_syscalls:sys_enter", "--filter", "id == " UNAME " && common_pid == @pid"
#define PERF_EXIT "-e", "raw_syscalls:sys_exit", "--filter", "id == " UNAME " && common_pid == @pid"
#define BPFTRACE_ENTER "tracepoint:raw_syscalls:sys_enter /args->id == " UNAME " && pid == @pid/ { @++ }"
#define BPFTRACE_EXIT "tracepoint:raw_syscalls:sys_exit /args->id == " UNAME " && pid == @pid/ { @++ }"
#define PERF_SWITCH "-e", "sched:sched_switch", "--filter", "next_pid == @pid"
#define BPFTRACE_SWITCH "tracepoint:sched:sched_switch /args->next_pid == @pid/ { @++ }"

#define NOTHING                                           \
	{                                                 \
		"nothing", .works = CALLS | SWITCH | MOVE \
	}
#define EMPTY_ENTER                                                                          \
	{                                                                                    \
		"empty program, sys_enter", VARIANT_EMPTY, .works = CALLS, .sys_enter = true \
	}
#define EMPTY_CALLS                                                                              \
	{                                                                                        \
		"empty programs, sys_enter and sys_exit", VARIANT_EMPTY, YARDSTICK_EMPTY, CALLS, \
			.sys_enter = true, .sys_exit = true                                      \
	}
#define EMPTY_SWITCH                                                                          \
	{                                                                                     \
		"empty program, sched_switch", VARIANT_EMPTY, YARDSTICK_EMPTY, SWITCH | MOVE, \
			.sched_switch = true                                                  \
	}

static const struct variant timed[] = {
	NOTHING,
	EMPTY_ENTER,
	EMPTY_CALLS,
	{"gate, --on-syscall uname -p", VARIANT_GATE, .works = OTHERS, .targets = AUXBPF_BY_TASK,
	 .syscalls = "uname"},
	{"gate, --on-syscall uname --comm", VARIANT_GATE, .works = OTHERS, .targets = AUXBPF_BY_COMM,
	 .syscalls = "uname"},
	{"gate, --on-syscall uname --uid", VARIANT_GATE, .works = OTHERS, .targets = AUXBPF_BY_UID,
	 .syscalls = "uname"},
	{"gate, --on-syscall uname --cgroup", VARIANT_GATE, .works = OTHERS, .targets = AUXBPF_BY_CGROUP,
	 .syscalls = "uname"},
	{"gate, --on-syscall uname -p, by ioctl", VARIANT_GATE, .works = CALLS, .targets = AUXBPF_BY_TASK,
	 .syscalls = "uname", .move = true},
	{"perf record, sys_enter", .works = CALLS, PERF(PERF_ENTER)},
	{"perf record, sys_enter and sys_exit", .works = CALLS, PERF(PERF_ENTER, PERF_EXIT)},
	{"bpftrace, sys_enter", .works = CALLS, BPFTRACE(BPFTRACE_ENTER)},
	{"bpftrace, sys_enter and sys_exit", .works = CALLS, .yardstick = YARDSTICK_BPFTRACE,
	 BPFTRACE(BPFTRACE_ENTER " " BPFTRACE_EXIT)},

	EMPTY_SWITCH,
	{"gate, windows in system calls, -p", VARIANT_GATE, .works = SWITCH | MOVE,
	 .targets = AUXBPF_BY_TASK},
	{"gate, --on-cpu -p", VARIANT_GATE, .works = SWITCH, .targets = AUXBPF_BY_TASK, .on_cpu = true},
	{"gate, --on-cpu --comm", VARIANT_GATE, .works = SWITCH, .targets = AUXBPF_BY_COMM, .on_cpu = true},
	{"gate, --on-cpu --uid", VARIANT_GATE, .works = SWITCH, .targets = AUXBPF_BY_UID, .on_cpu = true},
	{"gate, --on-cpu --cgroup, 1", VARIANT_GATE, .works = SWITCH, .targets = AUXBPF_BY_CGROUP,
	 .on_cpu = true, .nr_cgroups = 1},
	{"gate, --on-cpu --cgroup, 10000", VARIANT_GATE, .works = SWITCH, .targets = AUXBPF_BY_CGROUP,
	 .on_cpu = true, .nr_cgroups = BENCH_CGROUPS},
	{"gate, --on-cpu -p, by ioctl", VARIANT_GATE, .works = SWITCH | MOVE, .targets = AUXBPF_BY_TASK,
	 .on_cpu = true, .move = true},
	{"perf record, sched_switch", .works = SWITCH | MOVE, PERF(PERF_SWITCH)},
	{"bpftrace, sched_switch", .works = SWITCH | MOVE, .yardstick = YARDSTICK_BPFTRACE,
	 BPFTRACE(BPFTRACE_SWITCH)},
};

static const struct variant counted[] = {
	NOTHING,
	EMPTY_ENTER,
	EMPTY_CALLS,
	{"gate, --on-syscall uname -p", VARIANT_GATE, .works = OTHERS, .targets = AUXBPF_BY_TASK,
	 .syscalls = "uname"},
	{"gate, --on-syscall uname --uid", VARIANT_GATE, .works = OTHERS, .targets = AUXBPF_BY_UID,
	 .syscalls = "uname"},
	{"gate, --on-syscall uname --cgroup", VARIANT_GATE, .works = OTHERS, .targets = AUXBPF_BY_CGROUP,
	 .syscalls = "uname"},
	{"auxbpf --on-syscall uname -p", .works = CALLS, AUXBPF("--on-syscall", "uname", "-p", "@pid")},
	{"perf record, sys_enter and sys_exit", .works = CALLS, PERF(PERF_ENTER, PERF_EXIT)},
	{"bpftrace, sys_enter and sys_exit", .works = CALLS, .yardstick = YARDSTICK_BPFTRACE,
	 BPFTRACE(BPFTRACE_ENTER " " BPFTRACE_EXIT)},

	EMPTY_SWITCH,
	{"gate, windows in system calls, -p", VARIANT_GATE, .works = SWITCH | MOVE,
	 .targets = AUXBPF_BY_TASK},
	{"gate, --on-cpu -p", VARIANT_GATE, .works = SWITCH, .targets = AUXBPF_BY_TASK, .on_cpu = true},
	{"gate, --on-cpu --uid", VARIANT_GATE, .works = SWITCH, .targets = AUXBPF_BY_UID, .on_cpu = true},
	{"gate, --on-cpu --cgroup, 1", VARIANT_GATE, .works = SWITCH, .targets = AUXBPF_BY_CGROUP,
	 .on_cpu = true, .nr_cgroups = 1},
	{"gate, --on-cpu --cgroup, 10000", VARIANT_GATE, .works = SWITCH, .targets = AUXBPF_BY_CGROUP,
	 .on_cpu = true, .nr_cgroups = BENCH_CGROUPS},
	{"auxbpf --on-cpu -p", .works = SWITCH | MOVE, AUXBPF("--on-cpu", "-p", "@pid")},
	{"perf record, sched_switch", .works = SWITCH | MOVE, PERF(PERF_SWITCH)},
	{"bpftrace, sched_switch", .works = SWITCH | MOVE, .yardstick = YARDSTICK_BPFTRACE,
	 BPFTRACE(BPFTRACE_SWITCH)},
};

const struct variant *variants__list(size_t *nr)
{
	*nr = work__counts() ? ARRAY_SIZE(counted) : ARRAY_SIZE(timed);
	return work__counts() ? counted : timed;
}
