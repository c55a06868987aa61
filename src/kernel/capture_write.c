// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/capture_write.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "kernel/stage.h"
#include "pure/merge.h"
#include "pure/perfdata.h"

struct writer {
	const struct capture_baseline *base;
	const struct capture_desc *desc;
	struct perfdata *pd;
	struct merge_stats stats;
	struct buf after;   /* what follows a record of the kernel */
	struct buf instead; /* what takes its place */
	int fd;
};

static int write_to_fd(void *ctx, uint64_t offset, struct span span)
{
	const struct writer *w = ctx;

	return stage__write_at(w->fd, offset, span);
}

static int check_events(const struct capture_baseline *base, const struct capture_desc *desc)
{
	unsigned int i;

	for (i = 0; i < desc->nr_events; i++) {
		const struct perf_event_attr *attr = desc->events[i].attr;

		if (attr->sample_type == base->sample_type && attr->sample_id_all)
			continue;
		log_err("event %s has another sample type than the capture (a mistake of this program)",
			desc->events[i].name);
		return -EINVAL;
	}
	return 0;
}

static void add_id_index(const struct capture_desc *desc, struct buf *b)
{
	_cleanup_buf_ struct buf ids = {0};
	unsigned int i, j;

	for (i = 0; i < desc->nr_events; i++)
		for (j = 0; j < desc->events[i].nr_ids; j++) {
			const struct record_id id = {
				.id = desc->events[i].ids[j],
				.idx = j,
				.cpu = desc->events[i].cpus[j],
				.tid = -1,
			};

			buf__add(&ids, &id, sizeof(id));
		}
	if (buf__error(&ids))
		buf__fail(b, buf__error(&ids));
	record__add_id_index(b, (const struct record_id *)(const void *)ids.data,
			     ids.len / sizeof(struct record_id));
}

static int add_trace_info(const struct writer *w, struct buf *b)
{
	const struct capture_trace *trace = &w->desc->trace;
	const struct trace_setup setup = {
		.pmu_type = trace->pmu_type,
		.filter = trace->filter,
		.switches = trace->switches,
		.may_overlap = trace->may_overlap,
		.tsc = w->desc->tsc,
	};
	const struct trace_source source = trace_source__of(w->base->pmu, w->base->root, trace->pmu);
	const struct trace_format *format;

	if (!trace->pmu)
		return 0;
	format = trace_format__find(trace->pmu);
	if (!format)
		return -EOPNOTSUPP;
	trace_format__add_record(format, b, &setup, &source);
	return 0;
}

/* Whether there is another record to take the place of this one: 1, and it is in w->instead; or 0. */
static int replace_record(struct writer *w, const struct perf_event_header *record)
{
	if (!w->base->uprobes)
		return 0;
	buf__truncate(&w->instead, 0);
	return uprobe_page__replace(w->base->uprobes, record, record__trailer_len(w->base->sample_type),
				    &w->instead);
}

/* The build ids that come along with maps, the kernel's and our own. */
static int note_build_id(struct build_id_set *ids, const struct perf_event_header *record)
{
	struct build_id id;
	const char *name;

	if (!record__mmap2_build_id(record, &id, &name))
		return 0;
	return build_id_set__add(ids, name, record->misc & PERF_RECORD_MISC_CPUMODE_MASK, &id);
}

static int add_tasks(struct writer *w, struct buf *b)
{
	const struct perf_event_header *record;
	size_t pos = 0;
	int ret;

	while ((record = record__next(w->base->tasks, &pos))) {
		ret = replace_record(w, record);
		if (ret < 0)
			return ret;
		if (ret)
			buf__add_buf(b, &w->instead);
		else
			buf__add(b, record, record->size);
		ret = ret ? 0 : note_build_id(w->base->ids, record);
		if (ret)
			return ret;
	}
	return 0;
}

/* Everything before the sideband, in perf's order. */
static int write_baseline(struct writer *w)
{
	const struct capture_event *first = &w->desc->events[0];
	_cleanup_buf_ struct buf b = {0};
	int err;

	if (w->desc->tsc.cap_zero)
		record__add_time_conv(&b, &w->desc->tsc);
	add_id_index(w->desc, &b);
	err = add_trace_info(w, &b);
	if (err)
		return err;
	buf__add(&b, w->base->kernel.data, w->base->kernel.len);
	record__add_any_thread(&b);
	record__add_cpu_map(&b, first->cpus, first->nr_ids);
	bpf_programs__add_records(w->base->programs, &b, record__trailer_len(w->base->sample_type));
	err = add_tasks(w, &b);
	if (err)
		return err;
	record__add_finished(&b, RECORD_FINISHED_INIT);
	err = buf__error(&b);
	return err ? err : perfdata__add_records(w->pd, buf__span(&b));
}

/*
 * Whether a record of a change of the kernel's code would do harm. Those before the baseline are in it, and
 * that a program was unloaded whose place another one took would make perf forget the other. Those of BPF
 * trampolines claim a page (bpf_image_ksym_add(), kernel/bpf/trampoline.c) although programs share it, and
 * perf has no code for them.
 */
static bool is_harmful(const struct writer *w, const struct perf_event_header *record)
{
	const char *name;

	if (record->type != PERF_RECORD_KSYMBOL && record->type != PERF_RECORD_BPF_EVENT &&
	    record->type != PERF_RECORD_TEXT_POKE)
		return false;
	if (record__time(record, w->base->sample_type) < w->base->start)
		return true;
	name = record__ksymbol_name(record);
	return name && (!strncmp(name, "bpf_trampoline_", 15) || !strncmp(name, "bpf_dispatcher_", 15));
}

static int add_sideband(void *ctx, struct span records)
{
	struct writer *w = ctx;
	const struct perf_event_header *record = records.data;
	int err;

	if (is_harmful(w, record))
		return 0;
	err = replace_record(w, record);
	if (err)
		return err < 0 ? err : perfdata__add_records(w->pd, buf__span(&w->instead));
	err = perfdata__add_records(w->pd, records);
	if (!err && record->type == PERF_RECORD_MMAP2)
		err = note_build_id(w->base->ids, record);
	if (err || record->type != PERF_RECORD_BPF_EVENT)
		return err;
	buf__truncate(&w->after, 0);
	bpf_programs__add_after(w->base->programs, record, &w->after);
	err = buf__error(&w->after);
	return err ? err : perfdata__add_records(w->pd, buf__span(&w->after));
}

static int write_sideband(struct writer *w)
{
	const struct merge_sink sink = {add_sideband, w};
	_cleanup_free_ struct span *rings = calloc(w->desc->nr_sideband + 1, sizeof(*rings));
	unsigned int i;
	int err;

	if (!rings)
		return -ENOMEM;
	for (i = 0; i < w->desc->nr_sideband; i++)
		rings[i] = w->desc->sideband[i].records;
	err = merge__rings(rings, w->desc->nr_sideband, w->base->sample_type, &sink, &w->stats);
	if (!err && w->stats.bad_bytes)
		log_warn("left out %llu bytes of sideband that are no records",
			 (unsigned long long)w->stats.bad_bytes);
	return err;
}

static int write_aux(struct writer *w, uint64_t *bytes)
{
	unsigned int i;
	int err = 0;

	*bytes = 0;
	for (i = 0; !err && i < w->desc->nr_aux; i++) {
		const struct capture_aux *aux = &w->desc->aux[i];
		const struct perfdata_aux piece = {
			.cpu = (uint32_t)aux->cpu,
			.idx = aux->idx,
			.tid = aux->tid,
			.offset = aux->offset,
			.reference = aux->reference,
			.data = {aux->data[0], aux->data[1]},
		};

		err = perfdata__add_aux(w->pd, &piece);
		*bytes += aux->data[0].len + aux->data[1].len;
	}
	return err;
}

static int set_build_ids(struct writer *w)
{
	const struct span kernel = build_id_set__table(w->base->kernel_ids);
	const struct span mapped = build_id_set__table(w->base->ids);
	_cleanup_buf_ struct buf table = {0};

	buf__add(&table, kernel.data, kernel.len);
	buf__add(&table, mapped.data, mapped.len);
	return buf__error(&table) ?: perfdata__set_feature(w->pd, FEATURE_BUILD_ID, buf__span(&table));
}

static int set_features(struct writer *w)
{
	_cleanup_buf_ struct buf version = {0}, cmdline = {0}, times = {0}, bpf = {0};
	const struct {
		enum feature feature;
		struct buf *payload;
	} own[] = {
		{FEATURE_VERSION, &version},
		{FEATURE_CMDLINE, &cmdline},
		{FEATURE_SAMPLE_TIME, &times},
		{FEATURE_BPF_PROG_INFO, &bpf},
	};
	size_t i;
	int err = host_info__set_features(w->base->host, w->base->root, w->pd);

	feature__add_string(&version, w->base->version);
	feature__add_cmdline(&cmdline, w->base->exe, w->base->cmdline);
	buf__add_u64(&times, w->stats.first);
	buf__add_u64(&times, w->stats.last);
	bpf_programs__add_info(w->base->programs, &bpf);
	for (i = 0; !err && i < ARRAY_SIZE(own); i++) {
		err = buf__error(own[i].payload);
		if (!err)
			err = perfdata__set_feature(w->pd, own[i].feature, buf__span(own[i].payload));
	}
	if (err)
		return err;
	return set_build_ids(w);
}

static int write_all(struct writer *w, uint64_t *aux_bytes)
{
	uint64_t size;
	int err = write_baseline(w);

	if (!err)
		err = write_sideband(w);
	if (!err)
		err = write_aux(w, aux_bytes);
	if (!err)
		err = set_features(w);
	if (!err)
		err = perfdata__finish(w->pd, &size);
	return err;
}

static struct feature_event *file_events(const struct capture_desc *desc)
{
	struct feature_event *events = calloc(desc->nr_events + 1, sizeof(*events));
	unsigned int i;

	for (i = 0; events && i < desc->nr_events; i++)
		events[i] = (struct feature_event){
			.attr = desc->events[i].attr,
			.name = desc->events[i].name,
			.ids = desc->events[i].ids,
			.nr_ids = desc->events[i].nr_ids,
			.nr_members = desc->events[i].nr_members,
		};
	return events;
}

int capture_write__data(const struct capture_baseline *base, const struct capture_desc *desc, int fd,
			uint64_t *aux_bytes)
{
	_cleanup_free_ struct feature_event *events = file_events(desc);
	_cleanup_(cleanup__perfdata) struct perfdata *pd = NULL;
	struct writer w = {.base = base, .desc = desc, .fd = fd};
	const struct perfdata_sink sink = {write_to_fd, &w};
	int err;

	if (!events)
		return -ENOMEM;
	err = check_events(base, desc);
	if (!err)
		err = perfdata__new(&sink, events, desc->nr_events, &pd);
	w.pd = pd;
	if (!err)
		err = write_all(&w, aux_bytes);
	buf__release(&w.after);
	buf__release(&w.instead);
	return err;
}
