// SPDX-License-Identifier: GPL-2.0-only
#include "trace/cpu_trace.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "perfdata/record.h"
#include "trace/event_holder.h"
#include "trace/perf_event.h"

#define CLOCK_READS 4
/* A buffer that is read while it is written is in so many parts, each of which wakes the reader when it is
 * full. */
#define STREAM_PARTS 4

void cpu_trace__aux_attr(const struct cpu_trace_opts *opts, struct perf_event_attr *attr)
{
	const struct trace_event *event = opts->event;

	*attr = (struct perf_event_attr){
		.type = event->pmu.type,
		.size = sizeof(*attr),
		.config = event->config.config[0],
		.config1 = event->config.config[1],
		.config2 = event->config.config[2],
		.sample_period = 1,
		.sample_type = PERF_EVENT_SAMPLE_TYPE,
		.sample_id_all = 1,
		.disabled = 1,
		.exclude_user = event->exclude_user,
		.exclude_kernel = event->exclude_kernel,
		.exclude_hv = 1,
		.watermark = 1,
		.wakeup_watermark = CPU_TRACE_RING_SIZE / 2,
		.aux_watermark = opts->stream ? (uint32_t)(opts->aux_size / STREAM_PARTS) : 0,
	};
	if (opts->paused)
		perf_attr__set_aux_action(attr, PERF_AUX_ACTION_START_PAUSED);
}

/* Without a trace there are samples only, which tell themselves who ran, and their clock is that of
 * triggers. */
void cpu_trace__sideband_attr(const struct cpu_trace_opts *opts, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_EVENT_SAMPLE_TYPE,
		.sample_id_all = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.task = 1,
		.mmap = 1,
		.mmap2 = 1,
		.mmap_data = opts->samples && opts->samples->with_stacks,
		.comm = 1,
		.comm_exec = 1,
		.build_id = 1,
		.ksymbol = 1,
		.bpf_event = 1,
		.text_poke = 1,
		.namespaces = opts->namespaces,
		.cgroup = opts->cgroups,
		.context_switch = opts->event != NULL,
		.use_clockid = !opts->event,
		.clockid = opts->event ? 0 : CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = CPU_TRACE_RING_SIZE / 2,
	};
}

/* EINVAL is not about pausing: control__choose() has tried whether the event can be paused. */
static void log_open_error(const struct trace_event *event, int cpu, int err)
{
	const char *pmu = event->pmu.ops->name;

	switch (-err) {
	case EBUSY:
		event_holder__log_busy(event, cpu);
		break;
	case EACCES:
	case EPERM:
		log_err("not permitted to open %s on CPU %d: CAP_SYS_ADMIN is needed here "
			"(/proc/sys/kernel/perf_event_paranoid); run as root",
			pmu, cpu);
		break;
	case EINVAL:
		log_err("the kernel does not take the event %s on CPU %d: a term has a value that this "
			"hardware does not support",
			event->name, cpu);
		break;
	default:
		log_err("cannot open %s on CPU %d: %s", pmu, cpu, strerror(-err));
	}
}

static int open_aux(struct cpu_trace *t, const struct cpu_trace_opts *opts)
{
	const struct trace_event *event = opts->event;
	struct perf_event_attr attr;
	int err;

	cpu_trace__aux_attr(opts, &attr);
	t->aux_fd = perf_event__open_config3(&attr, event->config.config[3], t->cpu, -1);
	if (t->aux_fd < 0) {
		log_open_error(event, t->cpu, t->aux_fd);
		return t->aux_fd;
	}
	err = ring__map(t->aux_fd, CPU_TRACE_RING_SIZE, &t->ring);
	if (err) {
		log_err("cannot map the ring of %s on CPU %d: %s", event->name, t->cpu, strerror(-err));
		return err;
	}
	err = ring__map_aux(&t->ring, t->aux_fd, opts->aux_size, opts->stream);
	if (err) {
		log_err("cannot map %zu bytes of AUX buffer on CPU %d: %s; %s", opts->aux_size, t->cpu,
			strerror(-err), event->pmu.ops->buffer_advice);
		return err;
	}
	aux_position__init(&t->position, opts->aux_size, event->pmu.ops->aux_head, event->pmu.ops->next_sync);
	return perf_event__id(t->aux_fd, &t->aux_id);
}

static int map_sideband(struct cpu_trace *t)
{
	int err = ring__map(t->sideband_fd, CPU_TRACE_RING_SIZE, &t->ring);

	if (err)
		log_err("cannot map the ring of the sideband of CPU %d: %s", t->cpu, strerror(-err));
	return err;
}

static int open_sideband(struct cpu_trace *t, struct perf_event_attr *attr)
{
	int err;

	t->sideband_fd = perf_event__open_cpu(attr, t->cpu, -1);
	if (t->sideband_fd < 0) {
		log_err("cannot open the sideband event on CPU %d: %s", t->cpu, strerror(-t->sideband_fd));
		return t->sideband_fd;
	}
	err = perf_event__id(t->sideband_fd, &t->sideband_id);
	if (err || t->aux_fd < 0)
		return err ? err : map_sideband(t);
	if (ioctl(t->sideband_fd, PERF_EVENT_IOC_SET_OUTPUT, t->aux_fd)) {
		log_err("cannot lead the sideband of CPU %d into the ring of the AUX event: %s", t->cpu,
			strerror(errno));
		return -errno;
	}
	return 0;
}

int cpu_trace__open(struct cpu_trace *t, int cpu, const struct cpu_trace_opts *opts)
{
	struct perf_event_attr sideband;
	int err;

	*t = (struct cpu_trace){.cpu = cpu, .aux_fd = -1, .sideband_fd = -1, .paused = opts->paused};
	cpu_trace__sideband_attr(opts, &sideband);
	t->copies_aux = opts->event && !(opts->samples && opts->samples->with_aux);
	err = opts->event ? open_aux(t, opts) : 0;
	if (!err)
		err = open_sideband(t, &sideband);
	if (!err && opts->samples)
		err = sample_ring__open(&t->samples, cpu, opts->samples->with_aux ? t->aux_fd : -1,
					opts->samples, opts->sample_size);
	return err;
}

int cpu_trace__open_sideband(struct cpu_trace *t, int cpu, const struct cpu_trace_opts *opts)
{
	struct perf_event_attr attr;

	*t = (struct cpu_trace){.cpu = cpu, .aux_fd = -1, .sideband_fd = -1};
	cpu_trace__sideband_attr(opts, &attr);
	attr.context_switch = 0;
	return open_sideband(t, &attr);
}

int cpu_trace__fd(const struct cpu_trace *t)
{
	return t->aux_fd >= 0 ? t->aux_fd : t->sideband_fd;
}

size_t cpu_trace__size(const struct cpu_trace *t)
{
	return t->copies_aux * t->ring.aux_size + t->samples.ring.data_size;
}

static int enable(int fd, int cpu, unsigned int flags)
{
	if (!ioctl(fd, PERF_EVENT_IOC_ENABLE, flags))
		return 0;
	log_err("cannot enable the events of CPU %d: %s", cpu, strerror(errno));
	return -errno;
}

int cpu_trace__enable_sideband(struct cpu_trace *t)
{
	return enable(t->sideband_fd, t->cpu, 0);
}

int cpu_trace__enable(struct cpu_trace *t)
{
	int err = t->paused && t->aux_fd >= 0 ? enable(t->aux_fd, t->cpu, PERF_IOC_FLAG_GROUP) : 0;

	return err ? err : sample_ring__enable(&t->samples);
}

void cpu_trace__disable(struct cpu_trace *t)
{
	/* This cannot fail for an open event (kernel/events/core.c, perf_event_disable()). */
	if (t->aux_fd >= 0)
		ioctl(t->aux_fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	sample_ring__disable(&t->samples);
	ioctl(t->sideband_fd, PERF_EVENT_IOC_DISABLE, 0);
}

int cpu_trace__drain(struct cpu_trace *t)
{
	size_t old = t->sideband.len;
	ssize_t n = ring__drain(&t->ring, &t->sideband);

	if (n > 0)
		record__trim(&t->sideband, old, PERF_EVENT_SAMPLE_TYPE);
	return n < 0 ? (int)n : 0;
}

int cpu_trace__drain_idle(struct cpu_trace *t)
{
	struct buf all = {0};
	int err = cpu_trace__drain(t);

	if (err)
		return err;
	all = t->sideband;
	t->sideband = (struct buf){0};
	err = record__add_idle(&t->sideband, buf__span(&all));
	buf__release(&all);
	return err;
}

void cpu_trace__stop(struct cpu_trace *t)
{
	/* Disable only the leader of the group: its siblings move nothing while it is off. */
	if (t->aux_fd >= 0)
		ioctl(t->aux_fd, PERF_EVENT_IOC_DISABLE, 0);
	sample_ring__pause(&t->samples, true);
}

int cpu_trace__start(struct cpu_trace *t)
{
	sample_ring__pause(&t->samples, false);
	return t->paused && t->aux_fd >= 0 ? enable(t->aux_fd, t->cpu, 0) : 0;
}

int cpu_trace__clock(const struct cpu_trace *t, struct tsc_conv *ret)
{
	int err;

	*ret = (struct tsc_conv){0};
	err = tsc_conv__read(t->ring.page, ret);
	if (!err || err == -EOPNOTSUPP)
		return 0;
	log_err("cannot read how the trace's clock converts to perf's: %s", strerror(-err));
	return err;
}

/* Reads both clocks. The middle of two reads is wrong by at most half of the time that they took: take the
 * quickest of a few, because the machine may stand still in between. */
void cpu_trace__clocks(const struct cpu_trace *t, struct clock_pair *ret)
{
	uint64_t least = UINT64_MAX, tsc = 0;
	struct tsc_conv conv;

	for (int i = 0; i < CLOCK_READS; i++) {
		uint64_t before = clock__ns(CLOCK_MONOTONIC), at = tsc__read(),
			 took = clock__ns(CLOCK_MONOTONIC) - before;

		if (took >= least)
			continue;
		least = took;
		tsc = at;
		ret->monotonic = ret->perf = before + took / 2;
	}
	if (t->aux_fd >= 0 && !tsc_conv__read(t->ring.page, &conv))
		ret->perf = tsc_conv__to_time(&conv, tsc);
}

void cpu_trace__close(struct cpu_trace *t)
{
	ring__unmap(&t->ring);
	sample_ring__close(&t->samples);
	cleanup__close(&t->aux_fd);
	cleanup__close(&t->sideband_fd);
	buf__release(&t->sideband);
}
