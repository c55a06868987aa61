// SPDX-License-Identifier: GPL-2.0-only
#include "session/file_desc.h"

#include <errno.h>

#include "kernel/cpu_trace.h"

static int alloc(struct file_desc *f, size_t nr)
{
	f->cpus = calloc(nr, sizeof(*f->cpus));
	f->aux_ids = calloc(nr, sizeof(*f->aux_ids));
	f->sideband_ids = calloc(nr, sizeof(*f->sideband_ids));
	return f->cpus && f->aux_ids && f->sideband_ids ? 0 : -ENOMEM;
}

static void set_event(struct file_desc *f, size_t i, const char *name, const uint64_t *ids, size_t nr)
{
	f->events[i] = (struct capture_event){
		.attr = &f->attrs[i],
		.name = name,
		.cpus = f->cpus,
		.ids = ids,
		.nr_ids = (unsigned int)nr,
	};
}

int file_desc__init(struct file_desc *f, const struct capture_opts *opts, size_t nr, bool paused)
{
	const struct cpu_trace_opts trace = {
		.event = opts->event,
		.paused = paused,
		.stream = opts->stream,
		.aux_size = opts->aux_size,
	};
	int err;

	*f = (struct file_desc){
		.desc =
			{
				.events = f->events,
				.nr_events = FILE_DESC_NR,
				.trace =
					{
						.pmu = opts->event->pmu.ops->name,
						.pmu_type = opts->event->pmu.type,
						.switches = CAPTURE_SWITCHES_CPU_WIDE,
					},
			},
	};
	err = alloc(f, nr);
	if (err)
		return err;
	cpu_trace__aux_attr(&trace, &f->attrs[FILE_DESC_AUX]);
	cpu_trace__sideband_attr(&f->attrs[FILE_DESC_SIDEBAND]);
	set_event(f, FILE_DESC_AUX, opts->event->name, f->aux_ids, nr);
	set_event(f, FILE_DESC_SIDEBAND, "dummy:u", f->sideband_ids, nr);
	return 0;
}

void file_desc__set_cpu(struct file_desc *f, size_t i, int cpu, uint64_t aux_id, uint64_t sideband_id)
{
	f->cpus[i] = cpu;
	f->aux_ids[i] = aux_id;
	f->sideband_ids[i] = sideband_id;
}

void file_desc__release(struct file_desc *f)
{
	free(f->cpus);
	free(f->aux_ids);
	free(f->sideband_ids);
	*f = (struct file_desc){0};
}
