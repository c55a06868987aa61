// SPDX-License-Identifier: GPL-2.0-only
/*
 * gate_load: loads and attaches the gate's BPF programs as every kind of session does, without an AUX event:
 * the running kernel's verifier accepts all of them, or says which it does not. Prints a line for each kind;
 * exits with 1 if one failed.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "gate/control.h"
#include "gate/gate.h"
#include "loader/libbpf_log.h"
#include "rules/glob.h"
#include "trace/tracefs.h"

struct session_case {
	const char *name;
	enum auxbpf_control control;
	uint32_t kinds;
	bool on_cpu, cpus, wait, samples;
	const char *syscalls;
	const char *function;
	const char *range;
	const char *triggers; /* one rule a line */
	uint64_t after;
};

#define TRIGGERS                                                                                            \
	"syscall:openat,fsync latency > 1ms && (ret < 0 || comm == a)\nsyscall:write arg2 >= 1m\noffcpu > " \
	"5ms\n"                                                                                             \
	"runq > 2ms\nsignal:SIGSEGV\nexit code != 0\nexec\nfork uid == 0\noom\n"

#define USER_FUNCTIONS "function:libc:getenv\nfunction:libc:getenv latency > 1ms && ret < 0\n"
#define KERNEL_FUNCTIONS "function:vfs_fsync arg1 == 0\nfunction:vfs_fsync latency > 1ms && ret < 0\n"
#define TRACEPOINTS                                                                               \
	"tracepoint:sched:sched_switch prev_state == 2 && event.prev_prio < 100\n"                \
	"tracepoint:signal:signal_generate event.sig == 10 && event.code <= 0 && event.pid > 1\n" \
	"tracepoint:signal:signal_generate event.result != 0 && uid == 0\ntracepoint:sched:sched_wakeup\n"

#define RANGE "signal:signal_generate,signal:signal_deliver"

static const struct session_case cases[] = {
	{"tracepoint, one system call of a process", AUXBPF_CONTROL_TRACEPOINT, AUXBPF_BY_TASK,
	 .syscalls = "uname"},
	{"tracepoint, all system calls of a cgroup", AUXBPF_CONTROL_TRACEPOINT, AUXBPF_BY_CGROUP,
	 .syscalls = "all"},
	{"tracepoint, system calls with conditions", AUXBPF_CONTROL_TRACEPOINT, AUXBPF_BY_TASK,
	 .syscalls = "openat(arg2 & 64),%network(uid == 0 && comm != bash),read"},
	{"tracepoint, on CPU, of a name", AUXBPF_CONTROL_TRACEPOINT, AUXBPF_BY_COMM, .on_cpu = true},
	{"tracepoint, on CPU, of a user", AUXBPF_CONTROL_TRACEPOINT, AUXBPF_BY_UID, .on_cpu = true},
	{"tracepoint, on CPU, of a cgroup", AUXBPF_CONTROL_TRACEPOINT, AUXBPF_BY_CGROUP, .on_cpu = true},
	{"tracepoint, everything", AUXBPF_CONTROL_TRACEPOINT, 0, .on_cpu = true},
	{"tracepoint, a function of the kernel", AUXBPF_CONTROL_TRACEPOINT, AUXBPF_BY_TASK,
	 .function = "vfs_fsync"},
	{"tracepoint, a range of a process", AUXBPF_CONTROL_TRACEPOINT, AUXBPF_BY_TASK, .range = RANGE},
	{"tracepoint, a range of everything", AUXBPF_CONTROL_TRACEPOINT, 0,
	 .range = "sched:sched_waking,sched:sched_switch"},
	{"tracepoint, all kinds of targets, all windows", AUXBPF_CONTROL_TRACEPOINT,
	 AUXBPF_BY_TASK | AUXBPF_BY_CGROUP | AUXBPF_BY_COMM | AUXBPF_BY_UID, true, true, true, true,
	 "all(pid > 1)", "libc:getenv", RANGE},
	{"breakpoint, all kinds of targets, all windows", AUXBPF_CONTROL_BREAKPOINT,
	 AUXBPF_BY_TASK | AUXBPF_BY_CGROUP | AUXBPF_BY_COMM | AUXBPF_BY_UID, true, true, true, true, "all",
	 "libc:getenv", RANGE},
	{"ioctl, all kinds of targets, all windows", AUXBPF_CONTROL_IOCTL,
	 AUXBPF_BY_TASK | AUXBPF_BY_CGROUP | AUXBPF_BY_COMM | AUXBPF_BY_UID, true, true, true, true, "all",
	 "libc:getenv", RANGE},
	{"ioctl, one system call of a user", AUXBPF_CONTROL_IOCTL, AUXBPF_BY_UID, .syscalls = "uname"},
	{"tracepoint, triggers of a process", AUXBPF_CONTROL_TRACEPOINT, AUXBPF_BY_TASK, .on_cpu = true,
	 .triggers = TRIGGERS},
	{"ioctl, triggers, all kinds of targets", AUXBPF_CONTROL_IOCTL,
	 AUXBPF_BY_TASK | AUXBPF_BY_CGROUP | AUXBPF_BY_COMM | AUXBPF_BY_UID, .on_cpu = true,
	 .triggers = TRIGGERS},
	{"tracepoint, a system call and triggers", AUXBPF_CONTROL_TRACEPOINT, AUXBPF_BY_TASK,
	 .syscalls = "uname", .triggers = TRIGGERS},
	{"ioctl, all system calls and triggers, all targets", AUXBPF_CONTROL_IOCTL,
	 AUXBPF_BY_TASK | AUXBPF_BY_CGROUP | AUXBPF_BY_COMM | AUXBPF_BY_UID, .syscalls = "all(pid > 1)",
	 .triggers = TRIGGERS},
	{"tracepoint, triggers with a delay", AUXBPF_CONTROL_TRACEPOINT, AUXBPF_BY_TASK, .on_cpu = true,
	 .triggers = TRIGGERS, .after = 1000000},
	{"tracepoint, triggers at a function of a program", AUXBPF_CONTROL_TRACEPOINT, AUXBPF_BY_TASK,
	 .on_cpu = true, .triggers = USER_FUNCTIONS},
	{"ioctl, triggers at a function of a program", AUXBPF_CONTROL_IOCTL, 0, .on_cpu = true,
	 .triggers = USER_FUNCTIONS},
	{"tracepoint, triggers at a function of the kernel", AUXBPF_CONTROL_TRACEPOINT, AUXBPF_BY_TASK,
	 .on_cpu = true, .triggers = KERNEL_FUNCTIONS},
	{"ioctl, triggers at a function of the kernel", AUXBPF_CONTROL_IOCTL, 0, .on_cpu = true,
	 .triggers = KERNEL_FUNCTIONS, .after = 1000000},
	{"tracepoint, triggers at tracepoints", AUXBPF_CONTROL_TRACEPOINT, AUXBPF_BY_TASK, .on_cpu = true,
	 .triggers = TRACEPOINTS},
	{"ioctl, triggers at tracepoints", AUXBPF_CONTROL_IOCTL,
	 AUXBPF_BY_TASK | AUXBPF_BY_CGROUP | AUXBPF_BY_COMM | AUXBPF_BY_UID, .on_cpu = true,
	 .triggers = TRACEPOINTS, .after = 1000000},
	{"ioctl, triggers of everything", AUXBPF_CONTROL_IOCTL, 0, .on_cpu = true, .triggers = TRIGGERS},
};

static void fill_targets(const struct session_case *c, struct target_set *t)
{
	static int one_cpu;

	*t = (struct target_set){
		.by_task = c->kinds & AUXBPF_BY_TASK,
		.pids = {getpid()},
		.nr_pids = 1,
		.by_cgroup = c->kinds & AUXBPF_BY_CGROUP,
		.by_comm = c->kinds & AUXBPF_BY_COMM,
		.by_uid = c->kinds & AUXBPF_BY_UID,
		.uids = {0},
		.nr_uids = 1,
		.cpus = &one_cpu,
		.nr_cpus = c->cpus,
	};
}

/* Parses what @c names, and says what is wrong with it. */
static int parse(const struct session_case *c, struct target_set *targets, struct window_set *windows,
		 struct window_range *range, struct trigger_set *rules)
{
	const struct trigger_opts machine = {.tracepoints = tracefs__source("")};
	char message[RULE_MESSAGE_SIZE] = "";
	int err = 0;

	fill_targets(c, targets);
	if (targets->by_comm)
		err = glob__compile(&targets->comms, "[a-c]?*x", message, sizeof(message));
	if (!err && c->syscalls)
		err = syscall_set__add(&windows->syscalls, c->syscalls, NULL, message, sizeof(message));
	if (!err && c->range) {
		err = window_range__parse(c->range, &machine.tracepoints, range, message, sizeof(message));
		windows->ranges = range;
		windows->nr_ranges = !err;
	}
	if (!err && c->triggers)
		err = trigger_set__add_file(rules, c->triggers, "rules", &machine, message, sizeof(message));
	if (*message)
		fprintf(stderr, "%s\n", message);
	return err;
}

static int load(const struct session_case *c)
{
	struct target_set targets;
	struct window_set windows = {
		.on_cpu = c->on_cpu,
		.has_syscalls = c->syscalls,
		.functions = (const char **)(uintptr_t)&c->function,
		.nr_functions = c->function != NULL,
	};
	struct gate_opts opts = {
		.root = "",
		.control = c->control,
		.targets = &targets,
		.windows = &windows,
		.nr_cpus = (int)sysconf(_SC_NPROCESSORS_CONF),
		.wait = c->wait,
		.limit_samples = c->samples,
	};
	_cleanup_(trigger_set__release) struct trigger_set rules = {0};
	const struct gate_triggers_opts triggers = {
		.rules = &rules,
		.scope = AUXBPF_SCOPE_TASK,
		.lookback = 1000000000,
		.after = c->after,
	};
	_cleanup_(window_range__release) struct window_range range = {0};
	_cleanup_(cleanup__gate) struct gate *gate = NULL;
	int err = parse(c, &targets, &windows, &range, &rules);

	if (c->triggers)
		opts.triggers = &triggers;
	if (!err)
		err = gate__new(&opts, NULL, 0, &gate);
	if (!err && targets.by_cgroup)
		err = gate__watch_cgroups(gate);
	if (!err)
		err = gate__attach(gate);
	if (!err)
		err = gate__arm(gate);
	return err;
}

int main(int argc, char **argv)
{
	int failed = 0;

	libbpf_log__init();
	if (argc > 1 && !strcmp(argv[1], "-v"))
		log__set_level(LOG_DEBUG);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int err = load(&cases[i]);

		printf("%-50s %s\n", cases[i].name, err ? strerror(-err) : "ok");
		failed += err != 0;
	}
	return failed ? 1 : 0;
}
