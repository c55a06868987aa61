// SPDX-License-Identifier: GPL-2.0-only
#include "gate/control.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/log.h"
#include "loader/kernel_types.h"
#include "trace/cpu_trace.h"
#include "trace/event_holder.h"
#include "trace/perf_event.h"
#include "trace/tracefs.h"

#define KFUNC "bpf_perf_event_aux_pause"
#define PRINTK "bpf_trace/bpf_trace_printk"
/*
 * The address that a probe watches: aligned, and in the kernel's half of the address space on every
 * architecture. Its events are closed without having been enabled, so no debug register ever holds it.
 */
#define SOME_KERNEL_ADDRESS 0xfffffffffffff000ull

struct probe {
	const char *root;
	const struct trace_event *event; /* NULL: only the rest is tested */
	int cpu;
	char *reason;
};

static int _printf_format_(3, 4) no(const struct probe *p, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(p->reason, CONTROL_REASON_SIZE, fmt, args);
	va_end(args);
	return err;
}

static int open_aux(const struct probe *p, bool paused)
{
	const struct cpu_trace_opts opts = {.event = p->event, .paused = paused};
	struct perf_event_attr attr;

	cpu_trace__aux_attr(&opts, &attr);
	return perf_event__open_config3(&attr, p->event->config.config[3], p->cpu, -1);
}

static int no_event(const struct probe *p, int err)
{
	const char *pmu = p->event->pmu.ops->name;

	switch (-err) {
	case EBUSY:
		return no(p, err, "%s is busy on CPU %d", pmu, p->cpu);
	case ENODEV:
		return no(p, err, "CPU %d is offline", p->cpu);
	case EACCES:
	case EPERM:
		return no(p, err, "not permitted to open %s; run as root", pmu);
	case EINVAL:
		return no(p, err, "the kernel does not take the event %s", p->event->name);
	default:
		return no(p, err, "cannot open %s: %s", pmu, strerror(-err));
	}
}

/*
 * Opens the AUX event so that it can be paused; @fd is -1 if there is no event to test. The kernel says
 * EINVAL before 6.13 and EOPNOTSUPP where the driver cannot be paused (kernel/events/core.c, perf_copy_attr()
 * and perf_event_alloc()), but EINVAL for an event that the hardware does not have, too.
 */
static int probe_pausable(const struct probe *p, int *fd)
{
	int err;

	*fd = -1;
	if (!p->event)
		return 0;
	*fd = open_aux(p, true);
	if (*fd >= 0)
		return 0;
	err = *fd;
	if (err != -EINVAL && err != -EOPNOTSUPP)
		return no_event(p, err);
	*fd = open_aux(p, false);
	if (*fd < 0)
		return no_event(p, *fd);
	if (err == -EINVAL)
		return no(p, -EOPNOTSUPP, "this kernel cannot pause a trace; Linux 6.13 and later can");
	return no(p, err,
		  "the driver of %s in this kernel cannot pause the trace (no PERF_PMU_CAP_AUX_PAUSE)",
		  p->event->pmu.ops->name);
}

static int probe_kfunc(const struct probe *p)
{
	int found = kernel_types__has_function(p->root, KFUNC);
	_cleanup_close_ int fd = -1;

	if (found < 0)
		return no(p, found, "this kernel has no BTF (/sys/kernel/btf/vmlinux)");
	if (!found)
		return no(p, -ENOENT, "this kernel has no " KFUNC "()");
	return probe_pausable(p, &fd);
}

/* An action needs a leader to act on. Without one, only the event itself is tested. */
static void set_action(struct perf_event_attr *attr, int leader, uint32_t action)
{
	if (leader >= 0)
		perf_attr__set_aux_action(attr, action);
}

static int open_printk(uint64_t id, int cpu, int leader, uint32_t action, const char *string)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
		.sample_period = 1,
	};
	_cleanup_close_ int fd = -1;
	char filter[AUXBPF_GATE_STRING + 32];

	set_action(&attr, leader, action);
	fd = perf_event__open_cpu(&attr, cpu, leader);
	if (fd < 0)
		return fd;
	snprintf(filter, sizeof(filter), "bpf_string == \"%s\"", string);
	if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0)
		return -errno;
	return steal_fd(&fd);
}

static int open_watchpoint(uint64_t address, int cpu, int leader, uint32_t action)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = address,
		.bp_len = HW_BREAKPOINT_LEN_8,
		.sample_period = 1,
		/* A leader that is disabled keeps its group from running. */
		.disabled = leader < 0,
	};

	set_action(&attr, leader, action);
	return perf_event__open_cpu(&attr, cpu, leader);
}

static int open_sibling(const struct control_opts *opts, int cpu, int leader, bool open)
{
	uint32_t action = open ? PERF_AUX_ACTION_RESUME : PERF_AUX_ACTION_PAUSE;
	uint64_t id;
	int err;

	if (opts->way == AUXBPF_CONTROL_BREAKPOINT)
		return open_watchpoint(open ? opts->open_address : opts->close_address, cpu, leader, action);
	err = tracefs__tracepoint_id(opts->root, PRINTK, &id);
	return err ? err
		   : open_printk(id, cpu, leader, action, open ? opts->open_string : opts->close_string);
}

static int open_siblings(const struct control_opts *opts, int cpu, int leader, int fds[2])
{
	_cleanup_close_ int resume = -1, pause = -1;

	fds[0] = fds[1] = -1;
	if (opts->way != AUXBPF_CONTROL_TRACEPOINT && opts->way != AUXBPF_CONTROL_BREAKPOINT)
		return 0;
	resume = open_sibling(opts, cpu, leader, true);
	if (resume < 0)
		return resume;
	pause = open_sibling(opts, cpu, leader, false);
	if (pause < 0)
		return pause;
	fds[0] = steal_fd(&resume);
	fds[1] = steal_fd(&pause);
	return 0;
}

static int no_siblings(const struct probe *p, enum auxbpf_control way, int err)
{
	if (err == -EACCES || err == -EPERM)
		return no(p, err, "not permitted; run as root");
	if (way == AUXBPF_CONTROL_BREAKPOINT && err == -ENOSPC)
		return no(p, err,
			  "CPU %d has no two free debug registers: others hold them (perf record -e mem:, "
			  "a debugger)",
			  p->cpu);
	if (way == AUXBPF_CONTROL_BREAKPOINT)
		return no(p, err, "cannot watch an address of the kernel on CPU %d: %s", p->cpu,
			  strerror(-err));
	if (err == -ENOENT && !tracefs__is_mounted(p->root))
		return no(p, err,
			  "tracefs is out of reach; mount it: mount -t tracefs tracefs /sys/kernel/tracing");
	if (err == -ENOENT)
		return no(p, err, "this kernel has no tracepoint bpf_trace:bpf_trace_printk");
	return no(p, err, "cannot listen to the tracepoint bpf_trace:bpf_trace_printk on CPU %d: %s", p->cpu,
		  strerror(-err));
}

static int probe_siblings(const struct probe *p, enum auxbpf_control way)
{
	const struct control_opts opts = {
		.root = p->root,
		.way = way,
		.open_string = "+auxbpf",
		.close_string = "-auxbpf",
		.open_address = SOME_KERNEL_ADDRESS,
		.close_address = SOME_KERNEL_ADDRESS + 8,
	};
	_cleanup_close_ int leader = -1;
	int fds[2], err = probe_pausable(p, &leader);

	if (err)
		return err;
	err = open_siblings(&opts, p->cpu, leader, fds);
	if (err)
		return no_siblings(p, way, err);
	cleanup__close(&fds[0]);
	cleanup__close(&fds[1]);
	return 0;
}

static int probe_tracepoint(const struct probe *p)
{
	return probe_siblings(p, AUXBPF_CONTROL_TRACEPOINT);
}

static int probe_breakpoint(const struct probe *p)
{
	return probe_siblings(p, AUXBPF_CONTROL_BREAKPOINT);
}

static int probe_ioctl(const struct probe *p)
{
	_cleanup_close_ int fd = p->event ? open_aux(p, false) : -1;

	return p->event && fd < 0 ? no_event(p, fd) : 0;
}

static const struct {
	const char *name;
	int (*probe)(const struct probe *p);
	bool each_cpu; /* the way may work on one CPU and not on another */
} ways[] = {
	[AUXBPF_CONTROL_KFUNC] = {"kfunc", probe_kfunc},
	[AUXBPF_CONTROL_TRACEPOINT] = {"tracepoint", probe_tracepoint},
	[AUXBPF_CONTROL_BREAKPOINT] = {"breakpoint", probe_breakpoint, .each_cpu = true},
	[AUXBPF_CONTROL_IOCTL] = {"ioctl", probe_ioctl},
};
_Static_assert(ARRAY_SIZE(ways) == AUXBPF_CONTROL_NR, "a line for every way");

const char *control__name(enum auxbpf_control way)
{
	return ways[way].name;
}

int control__parse(const char *name, enum auxbpf_control *ret)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++) {
		if (strcmp(name, ways[i].name))
			continue;
		*ret = (enum auxbpf_control)i;
		return 0;
	}
	return -EINVAL;
}

const char *control__names(void)
{
	static char names[64];

	if (*names)
		return names;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? ", " : "",
			 ways[i].name);
	return names;
}

bool control__pauses_event(enum auxbpf_control way)
{
	return way != AUXBPF_CONTROL_IOCTL;
}

int control__probe(const char *root, enum auxbpf_control way, const struct trace_event *event,
		   const int *cpus, size_t nr_cpus, char *reason)
{
	struct probe p = {.root = root, .event = event, .reason = reason};
	int result = -EBUSY;

	for (size_t i = 0; i < nr_cpus; i++) {
		int err;

		p.cpu = cpus[i];
		err = ways[way].probe(&p);
		if (err == -EBUSY)
			continue;
		if (err || !ways[way].each_cpu)
			return err;
		result = 0;
	}
	return result;
}

static int choose_best(const char *root, const struct trace_event *event, const int *cpus, size_t nr_cpus,
		       enum auxbpf_control *ret)
{
	char reason[CONTROL_REASON_SIZE];
	int err = -EOPNOTSUPP;

	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++) {
		*ret = (enum auxbpf_control)i;
		err = control__probe(root, *ret, event, cpus, nr_cpus, reason);
		if (!err || err == -EBUSY)
			return err;
		log_debug("no gate by %s: %s", ways[i].name, reason);
	}
	log_err("there is no way to move the gate on this machine: %s; `auxbpf list` shows what was tried",
		reason);
	return -EOPNOTSUPP;
}

static int check_forced(const char *root, const struct trace_event *event, const int *cpus, size_t nr_cpus,
			enum auxbpf_control way)
{
	char reason[CONTROL_REASON_SIZE];
	int err = control__probe(root, way, event, cpus, nr_cpus, reason);

	if (!err || err == -EBUSY)
		return err;
	log_err("--control %s does not work here: %s; `auxbpf list` shows what does", ways[way].name, reason);
	return -EOPNOTSUPP;
}

int control__choose(const char *root, const struct trace_event *event, const int *cpus, size_t nr_cpus,
		    enum auxbpf_control *way)
{
	int err = *way == AUXBPF_CONTROL_NR ? choose_best(root, event, cpus, nr_cpus, way)
					    : check_forced(root, event, cpus, nr_cpus, *way);

	if (err == -EBUSY)
		event_holder__log_busy(event, cpus[0]);
	return err;
}

static void log_siblings_error(const struct control_opts *opts, int cpu, int err)
{
	char reason[CONTROL_REASON_SIZE];
	const struct probe p = {
		.root = opts->root,
		.cpu = cpu,
		.reason = reason,
	};

	no_siblings(&p, opts->way, err);
	log_err("no gate by %s on CPU %d: %s", ways[opts->way].name, cpu, reason);
}

int control__open_siblings(const struct control_opts *opts, int cpu, int aux_fd, int fds[2])
{
	int err = open_siblings(opts, cpu, aux_fd, fds);

	if (err)
		log_siblings_error(opts, cpu, err);
	return err;
}
