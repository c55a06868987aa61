// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of two rings, through all that reads records. The first byte says whether the rest is taken as it is; else
 * each record is a byte of its type, two of its misc, one of its length, and its contents: whole ones, as rings have.
 */
#include "fuzz.h"
#include "perfdata/aux_account.h"
#include "perfdata/aux_cover.h"
#include "perfdata/backward.h"
#include "perfdata/merge.h"
#include "perfdata/record.h"
#include "sideband/kernel_log.h"
#include "sideband/sideband_log.h"
#include "sideband/task_table.h"
#include "sideband/text_pokes.h"
#include "trace/cpu_trace.h"
#include "trace/perf_event.h"

#define TYPE PERF_EVENT_SAMPLE_TYPE
#define RAW 1

static void frame(struct fuzz_input *in, struct buf *records)
{
	while (in->len) {
		struct perf_event_header header = {.type = (uint32_t)fuzz__number(in, 1)};
		size_t len;

		header.misc = (uint16_t)fuzz__number(in, 2);
		len = (size_t)fuzz__number(in, 1);
		if (len > in->len)
			len = in->len;
		header.size = (uint16_t)(sizeof(header) + ((len + 7) & ~(size_t)7));
		buf__add(records, &header, sizeof(header));
		buf__add(records, in->data, len);
		buf__align(records, 8);
		in->data += len;
		in->len -= len;
	}
}

static void read_one(const struct perf_event_header *record)
{
	const char *names[] = {record__mmap2_name(record), record__ksymbol_name(record), NULL, NULL};
	struct record_namespaces ns;
	struct record_mmap map;
	struct record_task task;
	struct record_bpf bpf;
	struct build_id id;
	uint32_t pid, tid;
	uint64_t nr;

	names[2] = record__comm(record, &pid, &tid);
	names[3] = record__cgroup(record, &nr);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		FUZZ_CHECK(!names[i] || names[i] + strlen(names[i]) < (const char *)record + record->size);
	record__time(record, TYPE);
	record__tid(record, TYPE);
	record__pid(record, TYPE);
	record__lost(record);
	record__bpf(record, &bpf);
	record__mmap(record, &map);
	record__task(record, &task);
	record__namespaces(record, &ns);
	if (record__mmap2_build_id(record, &id, names))
		FUZZ_CHECK(id.size && id.size <= BUILD_ID_MAX);
}

static int take(void *ctx, struct span records)
{
	*(size_t *)ctx += records.len;
	return 0;
}

static int take_poke(void *ctx, uint64_t addr, struct span bytes)
{
	_cleanup_buf_ struct buf copy = {0};

	buf__add(&copy, bytes.data, bytes.len);
	return buf__error(&copy);
}

static void read_rings(const struct span rings[2])
{
	struct merge_stats merged;
	struct aux_account account = {0};
	struct backward_stats stats;
	struct text_pokes pokes = {0};
	struct kernel_log kernel = {0};
	_cleanup_buf_ struct buf b = {0};
	size_t bytes = 0;

	(void)!merge__rings(rings, 2, TYPE, &(struct merge_sink){take, &bytes}, &merged);
	FUZZ_CHECK(bytes + merged.bad_bytes >= rings[0].len + rings[1].len);
	aux_account__add(&account, rings[0], TYPE);
	FUZZ_CHECK(backward__newer(rings[0], TYPE, 100) <= rings[0].len);
	FUZZ_CHECK(backward__reverse(rings[0], TYPE, 100, NULL, &b, &stats) == b.len);
	(void)!text_pokes__add(&pokes, rings[0]);
	(void)!text_pokes__undo(&pokes, TYPE, 100, take_poke, NULL);
	text_pokes__release(&pokes);
	(void)!kernel_log__add(&kernel, rings[0]);
	(void)!kernel_log__compact(&kernel);
	kernel_log__release(&kernel);
}

static void change(const struct span records)
{
	struct aux_cover_piece piece = {.cpu = 0, .id = 1, .told = 16, .end = 256, .tail = 8};
	struct aux_cover cover = {.pieces = &piece, .nr = 1};
	_cleanup_buf_ struct buf trimmed = {0}, covered = {0}, idle = {0};
	const struct perf_event_header *record;
	size_t pos = 0;

	while ((record = record__next(records, &pos))) {
		buf__add(&trimmed, record, record->size);
		if (record->type == PERF_RECORD_AUX)
			aux_cover__replace(&cover, record, &covered);
	}
	aux_cover__finish(&cover, &covered);
	record__trim(&trimmed, 0, TYPE);
	record__remove(&trimmed, 0, PERF_RECORD_COMM);
	(void)!record__add_idle(&idle, records);
}

static void refresh(struct sideband_log *log, struct span tasks, struct span programs)
{
	struct task_table *living;

	if (task_table__new(4096, &living))
		return;
	if (!task_table__apply(living, tasks) && !sideband_log__fold(log, 160))
		(void)!sideband_log__refresh(log, living, programs);
	task_table__free(living);
}

static void keep(const struct span rings[2])
{
	struct sideband_log *log, *copy;
	_cleanup_buf_ struct buf state = {0};

	if (sideband_log__new(2, TYPE, 4096, &log))
		return;
	(void)!sideband_log__seed(log, rings[1]);
	(void)!sideband_log__add(log, 0, rings[0]);
	(void)!sideband_log__add_idle(log, 1, rings[1]);
	(void)!sideband_log__fold(log, 50);
	sideband_log__begin_refresh(log, 150);
	if (!sideband_log__copy(log, 100, 200, &copy)) {
		sideband_log__add_state(copy, &state, record__trailer_len(TYPE));
		refresh(log, buf__span(&state), rings[1]);
		sideband_log__free(copy);
	}
	(void)!sideband_log__limit(log, 128, UINT64_MAX);
	sideband_log__add_state(log, &state, record__trailer_len(TYPE));
	sideband_log__free(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	bool raw = fuzz__number(&in, 1) & RAW;
	struct buf bufs[2] = {{0}};
	struct span rings[2];
	size_t pos = 0;
	const struct perf_event_header *record;

	for (size_t i = 0; i < 2; i++) {
		size_t len;
		_cleanup_free_ uint8_t *part = fuzz__bytes(&in, &len);
		struct fuzz_input ring = {part, len};

		if (raw)
			buf__add(&bufs[i], part, len);
		else
			frame(&ring, &bufs[i]);
		rings[i] = buf__span(&bufs[i]);
	}
	while ((record = record__next(rings[0], &pos)))
		read_one(record);
	read_rings(rings);
	change(rings[0]);
	keep(rings);
	buf__release(&bufs[0]);
	buf__release(&bufs[1]);
	return 0;
}
