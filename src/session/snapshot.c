// SPDX-License-Identifier: GPL-2.0-only
#include "session/snapshot.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"

/* What is handed to the file writer, an entry a CPU; the sideband has one more, of the kernel's code. */
struct parts {
	int *cpus;
	uint64_t *aux_ids;
	uint64_t *sideband_ids;
	struct capture_sideband *sideband;
	struct capture_aux *aux;
};

static void parts__free(struct parts *p)
{
	free(p->cpus);
	free(p->aux_ids);
	free(p->sideband_ids);
	free(p->sideband);
	free(p->aux);
}

static int parts__alloc(struct parts *p, size_t nr)
{
	p->cpus = calloc(nr, sizeof(*p->cpus));
	p->aux_ids = calloc(nr, sizeof(*p->aux_ids));
	p->sideband_ids = calloc(nr, sizeof(*p->sideband_ids));
	p->sideband = calloc(nr + 1, sizeof(*p->sideband));
	p->aux = calloc(nr, sizeof(*p->aux));
	return p->cpus && p->aux_ids && p->sideband_ids && p->sideband && p->aux ? 0 : -ENOMEM;
}

int snapshot__prepare(const struct capture_opts *opts, const char *path, struct capture_file **ret)
{
	struct capture_file_opts file_opts = {
		.path = path,
		.root = opts->root,
		.cmdline = opts->cmdline,
		.version = opts->version,
		.sample_type = CPU_TRACE_SAMPLE_TYPE,
		.kcore = !opts->event->exclude_kernel,
		.user = !opts->event->exclude_user,
		/* A command can wait for its start, and the first snapshots need not wait then. */
		.later = opts->recorder && !opts->argv,
	};

	return capture_file__new(&file_opts, ret);
}

int snapshot__new(const struct cpu_trace *cpus, size_t nr, struct snapshot *ret)
{
	*ret = (struct snapshot){.cpus = calloc(nr, sizeof(*ret->cpus)), .nr = nr};
	for (size_t i = 0; ret->cpus && i < nr; i++)
		ret->cpus[i] = (struct snapshot_cpu){
			.cpu = cpus[i].cpu,
			.aux_id = cpus[i].aux_id,
			.sideband_id = cpus[i].sideband_id,
		};
	return ret->cpus ? 0 : -ENOMEM;
}

void snapshot__release(struct snapshot *s)
{
	free(s->cpus);
	*s = (struct snapshot){0};
}

static void fill_cpu(struct parts *p, size_t i, const struct snapshot_cpu *cpu)
{
	p->cpus[i] = cpu->cpu;
	p->aux_ids[i] = cpu->aux_id;
	p->sideband_ids[i] = cpu->sideband_id;
	p->sideband[i].records = cpu->records;
	p->aux[i] = (struct capture_aux){
		.cpu = cpu->cpu,
		.idx = (uint32_t)i,
		.tid = -1,
		.offset = cpu->offset,
		.reference = cpu->reference,
		.data = {cpu->data[0], cpu->data[1]},
	};
}

static int write_file(const struct capture_opts *opts, struct capture_file *file, const char *name,
		      const struct snapshot *s, const struct parts *p, uint64_t *aux_bytes)
{
	const unsigned int nr = (unsigned int)s->nr;
	struct perf_event_attr aux_attr, sideband_attr;
	struct capture_event events[] = {
		{.attr = &aux_attr,
		 .name = opts->event->name,
		 .cpus = p->cpus,
		 .ids = p->aux_ids,
		 .nr_ids = nr},
		{.attr = &sideband_attr,
		 .name = "dummy:u",
		 .cpus = p->cpus,
		 .ids = p->sideband_ids,
		 .nr_ids = nr},
	};
	struct capture_desc desc = {
		.events = events,
		.nr_events = ARRAY_SIZE(events),
		.tasks = s->tasks,
		.sideband = p->sideband,
		.nr_sideband = nr + 1,
		.aux = p->aux,
		.nr_aux = nr,
		.trace =
			{
				.pmu = opts->event->pmu.ops->name,
				.pmu_type = opts->event->pmu.type,
				.switches = CAPTURE_SWITCHES_CPU_WIDE,
			},
		.tsc = s->tsc,
	};

	cpu_trace__aux_attr(opts->event, s->paused, &aux_attr);
	cpu_trace__sideband_attr(&sideband_attr);
	return capture_file__write(file, name, &desc, aux_bytes);
}

int snapshot__write(const struct capture_opts *opts, struct capture_file *file, const char *name,
		    const struct snapshot *s, uint64_t *aux_bytes)
{
	_cleanup_(parts__free) struct parts parts = {0};
	int err = parts__alloc(&parts, s->nr);

	for (size_t i = 0; !err && i < s->nr; i++)
		fill_cpu(&parts, i, &s->cpus[i]);
	if (!err)
		parts.sideband[s->nr].records = s->kernel;
	return err ? err : write_file(opts, file, name, s, &parts, aux_bytes);
}
