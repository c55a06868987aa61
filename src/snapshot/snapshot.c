// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/snapshot.h"
#include "trace/perf_event.h"

#include <errno.h>
#include <string.h>

#include "rings/memory_room.h"

/*
 * What the file writer gets, one entry per CPU; the sideband has one more, for the kernel's code, and then
 * one for each CPU with samples.
 */
struct parts {
	struct capture_events file;
	struct capture_sideband *sideband;
	struct aux_piece *aux;
};

static void parts__free(struct parts *p)
{
	capture_events__release(&p->file);
	free(p->sideband);
	free(p->aux);
}

static int parts__alloc(struct parts *p, const struct capture_opts *opts, const struct snapshot *s)
{
	int err = capture_events__init(&p->file, opts, s->nr, s->nr_all);

	p->sideband = calloc(s->nr_all + 1 + s->nr, sizeof(*p->sideband));
	p->aux = calloc(s->nr, sizeof(*p->aux));
	return p->sideband && p->aux ? err : -ENOMEM;
}

int snapshot__prepare(const struct capture_opts *opts, int dirfd, const char *path, const int *targets,
		      size_t nr, struct capture_file **ret)
{
	struct capture_file_opts file_opts = {
		.path = path,
		.dirfd = dirfd,
		.root = opts->root,
		.cmdline = opts->cmdline,
		.version = opts->version,
		.sample_type = PERF_EVENT_SAMPLE_TYPE,
		.compression = opts->compression,
		.kcore = opts->event && !opts->event->exclude_kernel,
		.kernel = capture_opts__has_kernel(opts),
		.user = capture_opts__has_user(opts),
		.data = opts->samples && opts->samples->with_stacks,
		.namespaces = opts->namespaces,
		.cgroups = opts->cgroup_records,
		.archive = opts->archive,
		.cache = opts->cache,
		.targets = targets,
		.nr_targets = nr,
		.max_maps = memory_room__maps(opts->root),
		.no_sync = opts->no_sync,
		/*
		 * Copy the kernel's code later only if there is trace and no command: a command can wait for
		 * its start, and then the first snapshots need not; samples need no copy.
		 */
		.later = opts->event && opts->recorder && !opts->argv,
	};

	return capture_file__new(&file_opts, ret);
}

uint64_t snapshot_cpu__bytes(const struct snapshot_cpu *cpu)
{
	return aux_piece__len(&cpu->aux) + cpu->samples.len;
}

int snapshot__new(const struct cpu_traces *traces, struct snapshot *ret)
{
	*ret = (struct snapshot){
		.cpus = calloc(traces->nr_all, sizeof(*ret->cpus)),
		.nr = traces->nr,
		.nr_all = traces->nr_all,
	};
	for (size_t i = 0; ret->cpus && i < ret->nr_all; i++) {
		const struct cpu_trace *t = &traces->cpus[i];

		ret->cpus[i] = (struct snapshot_cpu){
			.aux = aux_piece__of_cpu(t->cpu, (uint32_t)i),
			.ids = {t->aux_id, t->sideband_id, t->samples.ids},
		};
	}
	return ret->cpus ? 0 : -ENOMEM;
}

void snapshot__release(struct snapshot *s)
{
	free(s->cpus);
	*s = (struct snapshot){0};
}

static void fill_sideband(struct parts *p, size_t i, const struct snapshot *s)
{
	const struct snapshot_cpu *cpu = &s->cpus[i];

	capture_events__set_cpu(&p->file, i, cpu->aux.cpu, &cpu->ids);
	p->sideband[i].records = cpu->records;
}

static void fill_trace(struct parts *p, size_t i, const struct snapshot *s)
{
	const struct snapshot_cpu *cpu = &s->cpus[i];

	p->sideband[s->nr_all + 1 + i].records = cpu->samples;
	p->aux[i] = cpu->aux;
}

int snapshot__write(const struct capture_opts *opts, struct capture_file *file, const char *name,
		    const struct snapshot *s, uint64_t *aux_bytes)
{
	_cleanup_(parts__free) struct parts parts = {0};
	struct capture_desc *desc = &parts.file.desc;
	int err = parts__alloc(&parts, opts, s);

	if (err)
		return err;
	for (size_t i = 0; i < s->nr_all; i++)
		fill_sideband(&parts, i, s);
	for (size_t i = 0; i < s->nr; i++)
		fill_trace(&parts, i, s);
	parts.sideband[s->nr_all].records = s->kernel;
	desc->tasks = s->tasks;
	desc->tsc = s->tsc;
	desc->windows = s->windows;
	desc->sideband = parts.sideband;
	desc->nr_sideband = (unsigned int)(s->nr_all + 1 + s->nr);
	desc->aux = parts.aux;
	desc->nr_aux = capture_opts__copies_aux(opts) ? (unsigned int)s->nr : 0;
	return capture_file__write(file, name, desc, aux_bytes);
}
