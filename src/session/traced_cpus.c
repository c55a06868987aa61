// SPDX-License-Identifier: GPL-2.0-only
#include "session/traced_cpus.h"

#include <errno.h>
#include <string.h>

#include "base/inherited.h"
#include "base/log.h"
#include "capture/records/host_topology.h"
#include "gate/control.h"

/*
 * How many files are opened: a CPU has, besides the regular events, the AUX event, the sideband, two events
 * that move the gate, and one that tells of skipped BPF programs. BPF, and the files of programs, need some
 * more.
 */
#define CPU_EVENTS 5
#define OTHER_FILES 512

static int read_online_cpus(const char *root, int *cpus, size_t max)
{
	int n = host_topology__list_cpus(root, "online", cpus, (int)max);

	if (n < 0)
		log_err("cannot read which CPUs are online: %s", strerror(-n));
	if (n < 0 || (size_t)n <= max)
		return n;
	log_err("%d CPUs are online, and auxbpf is made for machines with at most %zu", n, max);
	return -E2BIG;
}

/* Moves the listed CPUs to the front. Both lists are in order. */
static int move_listed(int *cpus, size_t nr, const struct target_set *targets)
{
	_cleanup_free_ int *online = calloc(nr, sizeof(*online));
	size_t listed = 0, others = targets->nr_cpus;

	if (!online)
		return -ENOMEM;
	memcpy(online, cpus, nr * sizeof(*cpus));
	for (size_t i = 0; i < nr && others <= nr; i++)
		if (listed < targets->nr_cpus && online[i] == targets->cpus[listed])
			cpus[listed++] = online[i];
		else if (others < nr)
			cpus[others++] = online[i];
	if (listed == targets->nr_cpus)
		return (int)listed;
	log_err("-C: CPU %d is not online", targets->cpus[listed]);
	return -ENODEV;
}

int traced_cpus__choose(const char *root, const struct target_set *targets, int *cpus, size_t max,
			size_t *nr_all)
{
	int n = read_online_cpus(root, cpus, max);

	if (n < 0)
		return n;
	*nr_all = (size_t)n;
	return targets->nr_cpus ? move_listed(cpus, (size_t)n, targets) : n;
}

static uint64_t count_files(const struct capture_opts *opts, size_t nr_cpus)
{
	return nr_cpus * (CPU_EVENTS + (opts->samples ? opts->samples->nr : 0)) + OTHER_FILES;
}

/* Chooses how the gates of the @nr @cpus will be moved; without a trace there are none. */
static int choose_control(const struct capture_opts *opts, const int *cpus, size_t nr,
			  enum auxbpf_control *ret)
{
	int err;

	*ret = opts->event ? opts->control : AUXBPF_CONTROL_NONE;
	if (!opts->event)
		return 0;
	err = control__choose(opts->root, opts->event, cpus, nr, ret);
	if (!err && *ret == AUXBPF_CONTROL_IOCTL)
		log_warn("the gate is moved from user space (ioctl): it opens and closes late");
	return err;
}

/* Opens the first @nr of the @nr_all CPUs with trace, the others with sideband only. */
static int open_all(const struct cpu_trace_opts *opts, const int *numbers, size_t nr, size_t nr_all,
		    struct cpu_traces *t)
{
	int err = 0;

	t->cpus = calloc(nr_all, sizeof(*t->cpus));
	if (!t->cpus)
		return -ENOMEM;
	t->nr = nr;
	for (size_t i = 0; !err && i < nr_all; i++) {
		t->nr_all++;
		err = i < nr ? cpu_trace__open(&t->cpus[i], numbers[i], opts)
			     : cpu_trace__open_sideband(&t->cpus[i], numbers[i], opts);
		if (!err)
			err = cpu_trace__enable_sideband(&t->cpus[i]);
	}
	return err;
}

int traced_cpus__open(const struct capture_opts *opts, enum auxbpf_control *control, struct cpu_traces *ret)
{
	int cpus[AUXBPF_MAX_CPUS], err;
	struct cpu_trace_opts trace;
	size_t nr_all;
	int n = traced_cpus__choose(opts->root, opts->targets, cpus, AUXBPF_MAX_CPUS, &nr_all);

	if (n < 0)
		return n;
	inherited__raise_files(count_files(opts, nr_all));
	err = choose_control(opts, cpus, (size_t)n, control);
	if (err)
		return err;
	capture_opts__trace(opts, &trace);
	trace.paused = control__pauses_event(*control);
	return open_all(&trace, cpus, (size_t)n, nr_all, ret);
}

/*
 * Drains the ring before it enables the event: loading the programs may have taken so long that the ring is
 * full, and the kernel tells only once, as the trace begins, what a reader must know of it: on Arm, which id
 * the trace of this CPU has (PERF_RECORD_AUX_OUTPUT_HW_ID).
 */
int traced_cpus__enable(struct cpu_trace *cpu)
{
	int err = cpu_trace__drain_idle(cpu);

	if (err) {
		log_err("cannot read the ring of CPU %d: %s", cpu->cpu, strerror(-err));
		return err;
	}
	return cpu_trace__enable(cpu);
}

void traced_cpus__release(struct cpu_traces *t)
{
	for (size_t i = 0; i < t->nr_all; i++)
		cpu_trace__close(&t->cpus[i]);
	free(t->cpus);
	*t = (struct cpu_traces){0};
}
