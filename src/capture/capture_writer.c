// SPDX-License-Identifier: GPL-2.0-only
#include "capture/capture_writer.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/log.h"
#include "base/pid_set.h"
#include "base/thread.h"
#include "files/stage.h"
#include "perfdata/aux_account.h"
#include "perfdata/aux_cover.h"
#include "perfdata/compressor.h"
#include "perfdata/merge.h"
#include "perfdata/perfdata.h"

struct capture_writer {
	struct capture_baseline base;
	struct feature_event *events;
	pthread_mutex_t lock; /* protects the next two */
	struct perfdata *pd;
	uint64_t aux_bytes;
	uint64_t filters;	       /* seccomp filters that have records */
	struct aux_account account;    /* of all CPUs, for its counts */
	uint64_t first, last;	       /* times of the sideband */
	struct pid_set ran;	       /* processes that ran while the sideband was recorded */
	struct buf after;	       /* what follows a record of the kernel */
	struct buf instead;	       /* what replaces a record */
	struct aux_cover cover;	       /* the records of the trace, if its decoder asks for them */
	struct span tail;	       /* added after each piece of trace */
	struct compressor *compressor; /* of the sideband, or NULL */
	struct buf packed;	       /* what the compressor put out */
	int fd;
};

static int write_to_fd(void *ctx, uint64_t offset, struct span span)
{
	const struct capture_writer *w = ctx;

	return stage__write_at(w->fd, offset, span);
}

static int check_events(const struct capture_baseline *base, const struct capture_desc *desc)
{
	unsigned int i;

	for (i = 0; i < desc->nr_events; i++) {
		const struct perf_event_attr *attr = desc->events[i].attr;

		if (record__are_alike(attr->sample_type, base->sample_type) && attr->sample_id_all)
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

static void add_trace_info(const struct capture_writer *w, const struct capture_desc *desc, struct buf *b)
{
	const struct capture_trace *trace = &desc->trace;
	const struct trace_setup setup = {
		.pmu_type = trace->pmu_type,
		.tsc = desc->tsc,
		.config = desc->events[0].attr->config,
		.cpus = desc->events[0].cpus,
		.nr_cpus = desc->events[0].nr_ids,
	};
	struct trace_source source;

	if (!trace->info)
		return;
	source = trace_source__of(w->base.pmu, w->base.root, trace->info->pmu);
	trace_info__add_record(trace->info, b, &setup, &source);
}

/* Adds records while another thread may add AUX data. */
static int add_records(struct capture_writer *w, struct span records)
{
	int err;

	pthread_mutex_lock(&w->lock);
	err = perfdata__add_records(w->pd, records);
	pthread_mutex_unlock(&w->lock);
	return err;
}

static int add_packed(struct capture_writer *w, int err)
{
	if (!err && w->packed.len)
		err = add_records(w, buf__span(&w->packed));
	buf__truncate(&w->packed, 0);
	return err;
}

static int add_from_ring(struct capture_writer *w, struct span records)
{
	if (!records.len)
		return 0;
	aux_account__add(&w->account, records, w->base.sample_type);
	if (!w->compressor)
		return add_records(w, records);
	return add_packed(w, compressor__add(w->compressor, records, &w->packed));
}

/*
 * Replaces a record: 1 if so, and w->instead has what takes its place, if anything; 0; or a negative errno.
 */
static int replace_record(struct capture_writer *w, const struct perf_event_header *record)
{
	buf__truncate(&w->instead, 0);
	if (w->cover.nr && record->type == PERF_RECORD_AUX) {
		aux_cover__replace(&w->cover, record, &w->instead);
		return buf__error(&w->instead) ?: 1;
	}
	if (!w->base.uprobes)
		return 0;
	return uprobe_page__replace(w->base.uprobes, record, record__trailer_len(w->base.sample_type),
				    &w->instead);
}

/* Marks the page of uprobes as used if @record, of a process that ran, tells of it. */
static void use_uprobes(struct capture_writer *w, const struct perf_event_header *record)
{
	if (w->base.uprobes && uprobe_page__is_told(record, record__trailer_len(w->base.sample_type)))
		w->base.uprobes->used = true;
}

/* Notes the build id that comes along with a map, the kernel's or our own. */
static int note_build_id(struct build_id_set *ids, const struct perf_event_header *record, bool used)
{
	struct build_id id;
	const char *name;
	int err;

	if (!record__mmap2_build_id(record, &id, &name))
		return 0;
	err = build_id_set__add(ids, name, record->misc & PERF_RECORD_MISC_CPUMODE_MASK, &id);
	return err || !used ? err : build_id_set__use(ids, name, &id);
}

/* Adds the records of tasks: there may be very many, so all between two replaced ones are written at once. */
static int add_tasks(struct capture_writer *w)
{
	const struct span all = w->base.tasks;
	const struct perf_event_header *record;
	size_t pos = 0, begin = 0, done = 0;
	int err = 0, ret;

	for (; !err && (record = record__next(all, &pos)); begin = pos) {
		ret = replace_record(w, record);
		if (ret <= 0) {
			err = ret ?: note_build_id(w->base.ids, record, false);
			continue;
		}
		err = add_records(w, (struct span){(const uint8_t *)all.data + done, begin - done});
		if (!err)
			err = add_records(w, buf__span(&w->instead));
		done = pos;
	}
	return err ?: add_records(w, (struct span){(const uint8_t *)all.data + done, pos - done});
}

/* Writes everything before the sideband, in perf's order. */
static int write_baseline(struct capture_writer *w, const struct capture_desc *desc)
{
	const struct capture_event *first = &desc->events[0];
	_cleanup_buf_ struct buf b = {0};
	int err;

	if (desc->tsc.cap_zero)
		record__add_time_conv(&b, &desc->tsc);
	add_id_index(desc, &b);
	add_trace_info(w, desc, &b);
	buf__add(&b, w->base.kernel.data, w->base.kernel.len);
	record__add_any_thread(&b);
	record__add_cpu_map(&b, first->cpus, first->nr_ids);
	bpf_programs__add_records(w->base.programs, &b, record__trailer_len(w->base.sample_type));
	bpf_programs__add_filters(w->base.programs, &w->filters, &b,
				  record__trailer_len(w->base.sample_type));
	if (w->base.cgroups)
		cgroup_records__add(w->base.cgroups, &b);
	err = buf__error(&b);
	if (!err)
		err = add_records(w, buf__span(&b));
	if (!err)
		err = add_tasks(w);
	buf__truncate(&b, 0);
	record__add_finished(&b, RECORD_FINISHED_INIT);
	err = err ?: buf__error(&b);
	return err ? err : add_records(w, buf__span(&b));
}

/*
 * Whether a record of a change of the kernel's code would do harm. Changes before the baseline are in it
 * already, and the record of an unloaded program would make perf forget another one that has its place by
 * then. Records of BPF trampolines claim a page (bpf_image_ksym_add(), kernel/bpf/trampoline.c) although
 * programs share it, and perf has no code for them.
 */
static bool is_harmful(const struct capture_writer *w, const struct perf_event_header *record)
{
	const char *name;

	if (record->type != PERF_RECORD_KSYMBOL && record->type != PERF_RECORD_BPF_EVENT &&
	    record->type != PERF_RECORD_TEXT_POKE)
		return false;
	if (record__time(record, w->base.sample_type) < w->base.start)
		return true;
	name = record__ksymbol_name(record);
	return name && (!strncmp(name, "bpf_trampoline_", 15) || !strncmp(name, "bpf_dispatcher_", 15));
}

static int add_sideband(void *ctx, struct span records)
{
	struct capture_writer *w = ctx;
	const struct perf_event_header *record = records.data;
	int err = pid_set__add(&w->ran, record__pid(record, w->base.sample_type));

	if (err || is_harmful(w, record))
		return err;
	use_uprobes(w, record);
	err = replace_record(w, record);
	if (err)
		return err < 0 ? err : add_from_ring(w, buf__span(&w->instead));
	err = add_from_ring(w, records);
	if (!err) /* a process that tells of a map runs */
		err = note_build_id(w->base.ids, record, true);
	if (err || record->type != PERF_RECORD_BPF_EVENT)
		return err;
	buf__truncate(&w->after, 0);
	bpf_programs__add_after(w->base.programs, record, &w->after);
	err = buf__error(&w->after);
	return err ? err : add_from_ring(w, buf__span(&w->after));
}

static void note_times(struct capture_writer *w, const struct merge_stats *stats)
{
	if (stats->first && (!w->first || stats->first < w->first))
		w->first = stats->first;
	if (stats->last > w->last)
		w->last = stats->last;
}

/* Adds records of new seccomp filters, of which no record of the kernel tells. */
static int add_filters(struct capture_writer *w)
{
	buf__truncate(&w->after, 0);
	bpf_programs__add_filters(w->base.programs, &w->filters, &w->after,
				  record__trailer_len(w->base.sample_type));
	return buf__error(&w->after) ?: add_from_ring(w, buf__span(&w->after));
}

int capture_writer__add_sideband(struct capture_writer *w, const struct capture_sideband *sideband,
				 unsigned int nr)
{
	const struct merge_sink sink = {add_sideband, w};
	_cleanup_free_ struct span *rings = calloc(nr + 1, sizeof(*rings));
	struct merge_stats stats;
	unsigned int i;
	int err;

	if (!rings)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		rings[i] = sideband[i].records;
	err = add_filters(w);
	if (err)
		return err;
	err = merge__rings(rings, nr, w->base.sample_type, &sink, &stats);
	note_times(w, &stats);
	if (!err && stats.bad_bytes)
		log_warn("left out %llu bytes of sideband that are no records",
			 (unsigned long long)stats.bad_bytes);
	return err;
}

static int reserve_aux(struct capture_writer *w, const struct aux_piece *piece, uint64_t *offset)
{
	int err;

	pthread_mutex_lock(&w->lock);
	err = perfdata__reserve_aux(w->pd, piece, w->tail.len, offset);
	w->aux_bytes += aux_piece__len(piece);
	pthread_mutex_unlock(&w->lock);
	return err;
}

int capture_writer__add_aux(struct capture_writer *w, const struct aux_piece *piece)
{
	uint64_t offset;
	int err = 0;

	if (!aux_piece__len(piece))
		return 0;
	err = reserve_aux(w, piece, &offset);
	if (!err)
		err = stage__write_at(w->fd, offset, piece->data[0]);
	if (!err)
		err = stage__write_at(w->fd, offset + piece->data[0].len, piece->data[1]);
	if (!err)
		err = stage__write_at(w->fd, offset + aux_piece__len(piece), w->tail);
	return err;
}

static int set_build_ids(struct capture_writer *w)
{
	const struct span kernel = build_id_set__table(w->base.kernel_ids);
	const struct span mapped = build_id_set__table(w->base.ids);
	_cleanup_buf_ struct buf table = {0};

	buf__add(&table, kernel.data, kernel.len);
	buf__add(&table, mapped.data, mapped.len);
	return buf__error(&table) ?: perfdata__set_feature(w->pd, FEATURE_BUILD_ID, buf__span(&table));
}

static int set_features(struct capture_writer *w)
{
	_cleanup_buf_ struct buf version = {0}, cmdline = {0}, times = {0};
	_cleanup_buf_ struct buf programs = {0}, types = {0}, compressed = {0};
	const struct {
		enum feature feature;
		struct buf *payload;
	} own[] = {
		{FEATURE_VERSION, &version},   {FEATURE_CMDLINE, &cmdline},
		{FEATURE_SAMPLE_TIME, &times}, {FEATURE_BPF_PROG_INFO, &programs},
		{FEATURE_BPF_BTF, &types},     {FEATURE_COMPRESSED, &compressed},
	};
	size_t i;
	int err = host_info__set_features(w->base.host, w->base.root, w->pd);

	feature__add_string(&version, w->base.version);
	feature__add_cmdline(&cmdline, w->base.exe, w->base.cmdline);
	buf__add_u64(&times, w->first);
	buf__add_u64(&times, w->last);
	if (w->base.program_code) {
		bpf_programs__add_info(w->base.programs, &programs);
		bpf_programs__add_types(w->base.programs, &types);
	}
	if (w->compressor)
		compressor__describe(w->compressor, &compressed);
	for (i = 0; !err && i < ARRAY_SIZE(own); i++) {
		err = buf__error(own[i].payload);
		if (!err)
			err = perfdata__set_feature(w->pd, own[i].feature, buf__span(own[i].payload));
	}
	if (err)
		return err;
	return set_build_ids(w);
}

/*
 * Notes the pieces of trace to come; not of a stream, whose trace the kernel's records tell of as they are.
 */
static int cover_pieces(struct capture_writer *w, const struct capture_desc *desc)
{
	const struct capture_event *event = &desc->events[0];

	if (!desc->trace.info || !desc->trace.info->told_by_records || !desc->nr_aux)
		return 0;
	w->cover = (struct aux_cover){
		.pieces = calloc(desc->nr_aux, sizeof(*w->cover.pieces)),
		.nr = desc->nr_aux,
		.whole = desc->trace.formatted,
		.flags = desc->trace.formatted ? 0 : PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW,
	};
	if (!w->cover.pieces)
		return -ENOMEM;
	for (unsigned int i = 0; i < desc->nr_aux; i++) {
		const struct aux_piece *aux = &desc->aux[i];
		struct aux_cover_piece *piece = &w->cover.pieces[i];

		*piece = (struct aux_cover_piece){
			.cpu = aux->cpu,
			.told = aux->offset,
			.end = aux_piece__end(aux),
		};
		if (piece->end > piece->told)
			piece->tail = w->tail.len;
		piece->end += piece->tail;
		for (unsigned int j = 0; j < event->nr_ids; j++)
			if (event->cpus[j] == aux->cpu)
				piece->id = event->ids[j];
	}
	return 0;
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

int capture_writer__new(const struct capture_baseline *base, const struct capture_desc *desc, int fd,
			struct capture_writer **ret)
{
	_cleanup_(cleanup__capture_writer) struct capture_writer *w = calloc(1, sizeof(*w));
	const struct perfdata_sink sink = {write_to_fd, w};
	int err = check_events(base, desc);

	if (!w)
		return -ENOMEM;
	w->base = *base;
	w->fd = fd;
	if (desc->trace.tail)
		w->tail = *desc->trace.tail;
	thread__init_lock(&w->lock);
	w->events = file_events(desc);
	if (!w->events)
		return -ENOMEM;
	if (!err)
		err = perfdata__new(&sink, w->events, desc->nr_events, &w->pd);
	if (!err && base->compression)
		err = compressor__new(base->compression, &w->compressor);
	if (!err)
		err = perfdata__set_feature(w->pd, FEATURE_TRACING_DATA, desc->tracing);
	if (!err)
		err = cover_pieces(w, desc);
	if (!err)
		err = write_baseline(w, desc);
	if (!err)
		*ret = steal_ptr(w);
	return err;
}

/* Marks as used what processes that ran had mapped before the sideband began. */
static int use_tasks(struct capture_writer *w)
{
	const struct perf_event_header *record;
	struct record_mmap map;
	size_t pos = 0;
	int err = 0;

	while (!err && (record = record__next(w->base.tasks, &pos))) {
		if (!record__mmap(record, &map) || !pid_set__has(&w->ran, map.pid))
			continue;
		use_uprobes(w, record);
		if (map.build_id.size)
			err = build_id_set__use(w->base.ids, map.name, &map.build_id);
	}
	return err;
}

static int finish_sideband(struct capture_writer *w)
{
	int err;

	buf__truncate(&w->instead, 0);
	aux_cover__finish(&w->cover, &w->instead);
	err = buf__error(&w->instead) ?: add_from_ring(w, buf__span(&w->instead));
	if (!err && w->compressor)
		err = add_packed(w, compressor__flush(w->compressor, &w->packed));
	return err;
}

int capture_writer__finish(struct capture_writer *w, uint64_t *aux_bytes)
{
	uint64_t size;
	int err = finish_sideband(w);

	if (!err)
		err = use_tasks(w);
	if (!err)
		err = set_features(w);
	*aux_bytes = w->aux_bytes;
	return err ? err : perfdata__finish(w->pd, &size);
}

uint64_t capture_writer__gaps(const struct capture_writer *w)
{
	return w->account.partial + w->account.collision;
}

void capture_writer__free(struct capture_writer *w)
{
	if (!w)
		return;
	perfdata__free(w->pd);
	free(w->events);
	free(w->cover.pieces);
	pid_set__release(&w->ran);
	buf__release(&w->after);
	buf__release(&w->instead);
	buf__release(&w->packed);
	compressor__free(w->compressor);
	free(w);
}
