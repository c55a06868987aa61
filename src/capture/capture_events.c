// SPDX-License-Identifier: GPL-2.0-only
#include "capture/capture_events.h"

#include <errno.h>

#include "trace/cpu_trace.h"

static size_t nr_samples(const struct capture_opts *opts)
{
	return opts->samples ? opts->samples->nr : 0;
}

static int alloc(struct capture_events *f, size_t nr_events)
{
	f->cpus = calloc(f->nr_all, sizeof(*f->cpus));
	f->ids = calloc(f->nr_cpus * (nr_events - 1) + f->nr_all, sizeof(*f->ids));
	f->events = calloc(nr_events, sizeof(*f->events));
	return f->cpus && f->ids && f->events ? 0 : -ENOMEM;
}

/* Adds an event that is on the first @nr CPUs. */
static void add_event(struct capture_events *f, const struct perf_event_attr *attr, const char *name,
		      size_t nr)
{
	f->events[f->desc.nr_events] = (struct capture_event){
		.attr = attr,
		.name = name,
		.cpus = f->cpus,
		.ids = f->ids + f->desc.nr_events * f->nr_cpus,
		.nr_ids = (unsigned int)nr,
	};
	f->desc.nr_events++;
}

static void add_sample(struct capture_events *f, const struct sample_event *event, size_t nr)
{
	add_event(f, &event->attr, event->name, nr);
	f->events[f->desc.nr_events - 1].nr_members = (unsigned int)event->nr_members;
}

/* The trace leads the group of events whose samples have it. */
static unsigned int nr_members(const struct capture_opts *opts)
{
	return opts->samples && opts->samples->with_aux ? (unsigned int)opts->samples->nr : 0;
}

static void add_aux(struct capture_events *f, const struct capture_opts *opts,
		    const struct cpu_trace_opts *trace)
{
	f->desc.trace = (struct capture_trace){
		.info = opts->event->pmu.ops->info,
		.pmu_type = opts->event->pmu.type,
		.tail = opts->stream ? NULL : opts->event->pmu.ops->tail,
		.formatted = opts->event->pmu.ops->shared_buffer,
	};
	cpu_trace__aux_attr(trace, &f->aux);
	add_event(f, &f->aux, opts->event->name, f->nr_cpus);
	f->events[0].nr_members = nr_members(opts);
}

int capture_events__init(struct capture_events *f, const struct capture_opts *opts, size_t nr, size_t nr_all)
{
	struct cpu_trace_opts trace;
	int err;

	capture_opts__trace(opts, &trace);
	*f = (struct capture_events){.nr_cpus = nr, .nr_all = nr_all};
	err = alloc(f, nr_samples(opts) + 2);
	if (err)
		return err;
	f->desc.events = f->events;
	f->desc.monotonic = !opts->event;
	if (opts->samples)
		f->desc.tracing = buf__span(&opts->samples->tracing);
	if (opts->event)
		add_aux(f, opts, &trace);
	for (size_t i = 0; i < nr_samples(opts); i++)
		add_sample(f, &opts->samples->events[i], nr);
	cpu_trace__sideband_attr(&trace, &f->sideband);
	add_event(f, &f->sideband, "dummy:u", nr_all);
	return 0;
}

void capture_events__set_cpu(struct capture_events *f, size_t i, int cpu, const struct capture_event_ids *ids)
{
	const size_t last = f->desc.nr_events - 1, first = f->desc.trace.info ? 1 : 0;

	f->cpus[i] = cpu;
	if (first && i < f->nr_cpus)
		f->ids[i] = ids->aux;
	for (size_t n = first; n < last && i < f->nr_cpus; n++)
		f->ids[n * f->nr_cpus + i] = ids->samples[n - first];
	f->ids[last * f->nr_cpus + i] = ids->sideband;
}

void capture_events__release(struct capture_events *f)
{
	free(f->cpus);
	free(f->ids);
	free(f->events);
	*f = (struct capture_events){0};
}
