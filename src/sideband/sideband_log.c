// SPDX-License-Identifier: GPL-2.0-only
#include "sideband/sideband_log.h"

#include <errno.h>
#include <string.h>

#include "base/pid_set.h"
#include "perfdata/merge.h"
#include "perfdata/record.h"
#include "sideband/kernel_log.h"

struct log_ring {
	struct buf records;
	size_t begin; /* the records in front of this were folded */
};

/* The tasks and BPF programs that are subjects of records folded since a time. */
struct told {
	uint64_t since; /* 0: nothing is noted */
	struct pid_set tasks;
	struct buf programs; /* the records about them */
};

struct sideband_log {
	uint64_t sample_type;
	struct task_table *tasks;
	struct kernel_log kernel;
	uint64_t limited; /* older records were folded for lack of room */
	uint64_t folded;  /* older records are in the table or were dropped */
	struct told told; /* noted since the refresh began that is under way */
	unsigned int nr_rings;
	struct log_ring rings[];
};

/* The records of one ring that are older than a time. */
struct older {
	size_t len;
	const struct perf_event_header *last_switch;
};

/* Makes a log without a table of tasks. */
static struct sideband_log *new_log(unsigned int nr_rings, uint64_t sample_type)
{
	struct sideband_log *log = calloc(1, sizeof(*log) + nr_rings * sizeof(log->rings[0]));

	if (!log)
		return NULL;
	log->sample_type = sample_type;
	log->nr_rings = nr_rings;
	return log;
}

int sideband_log__new(unsigned int nr_rings, uint64_t sample_type, size_t max_maps, struct sideband_log **ret)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = new_log(nr_rings, sample_type);
	int err = log ? task_table__new(max_maps, &log->tasks) : -ENOMEM;

	*ret = err ? NULL : steal_ptr(log);
	return err;
}

static void told__release(struct told *told)
{
	pid_set__release(&told->tasks);
	buf__release(&told->programs);
	*told = (struct told){0};
}

void sideband_log__free(struct sideband_log *log)
{
	if (!log)
		return;
	for (unsigned int i = 0; i < log->nr_rings; i++)
		buf__release(&log->rings[i].records);
	kernel_log__release(&log->kernel);
	task_table__free(log->tasks);
	told__release(&log->told);
	free(log);
}

int sideband_log__seed(struct sideband_log *log, struct span records)
{
	return task_table__apply(log->tasks, records);
}

int sideband_log__add(struct sideband_log *log, unsigned int ring, struct span records)
{
	struct buf *to = &log->rings[ring].records;
	size_t len = 0;

	while (record__next(records, &len))
		;
	buf__add(to, records.data, len);
	if (buf__error(to))
		return buf__error(to);
	return len == records.len ? 0 : -EBADMSG;
}

int sideband_log__add_idle(struct sideband_log *log, unsigned int ring, struct span records)
{
	return record__add_idle(&log->rings[ring].records, records);
}

static bool is_about_kernel(const struct perf_event_header *record)
{
	switch (record->type) {
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
	case PERF_RECORD_TEXT_POKE:
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		return true;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	default:
		return false;
	}
}

/* Notes what a record is about. A record of any task of a process notes the process, too. */
static int note_told(struct told *told, const struct perf_event_header *record)
{
	struct record_task task;
	struct record_mmap map;
	uint32_t pid, tid;

	if (is_about_kernel(record)) {
		buf__add(&told->programs, record, record->size);
		return buf__error(&told->programs);
	}
	if (record__task(record, &task))
		pid = task.pid, tid = task.tid;
	else if (record__mmap(record, &map))
		pid = tid = map.pid;
	else if (!record__comm(record, &pid, &tid))
		return 0;
	return pid_set__add(&told->tasks, pid) ?: pid_set__add(&told->tasks, tid);
}

static int fold_record(void *ctx, struct span span)
{
	const struct perf_event_header *record = span.data;
	struct sideband_log *log = ctx;
	int err = 0;

	if (log->told.since && record__time(record, log->sample_type) >= log->told.since)
		err = note_told(&log->told, record);
	if (err)
		return err;
	if (!is_about_kernel(record))
		return task_table__apply(log->tasks, span);
	return kernel_log__add(&log->kernel, span);
}

/* The place of an EXIT behind which no record says that the task has left the CPU. */
struct exit_at {
	size_t at; /* SIZE_MAX: there is none */
	uint32_t tid;
};

/*
 * Notes an EXIT, and forgets it when a record says that the task has left the CPU: a context switch, or,
 * where these are not recorded, any record of another task. A task that was reaped has no number in its own
 * records.
 */
static void note_exit(struct exit_at *exit, const struct perf_event_header *record, size_t at,
		      uint64_t sample_type)
{
	uint32_t tid = record__tid(record, sample_type);

	if (record__is_switch(record) || (tid != exit->tid && tid != UINT32_MAX))
		exit->at = SIZE_MAX;
	if (record->type == PERF_RECORD_EXIT && tid && exit->at == SIZE_MAX) /* synthesised: no tid */
		*exit = (struct exit_at){at, tid};
}

/*
 * Finds the records older than @before. A record without a time is as old as the one in front of it. A task
 * still runs after its EXIT, until it leaves the CPU: while it has not, its EXIT and all that follows is not
 * old.
 */
static struct older find_older(struct span records, uint64_t sample_type, uint64_t before)
{
	const struct perf_event_header *record;
	struct exit_at exit = {SIZE_MAX, 0};
	struct older older = {0};
	size_t begin = 0, pos = 0;

	while ((record = record__next(records, &pos))) {
		if (record__time(record, sample_type) >= before)
			break;
		older.len = pos;
		if (record__is_switch(record))
			older.last_switch = record;
		note_exit(&exit, record, begin, sample_type);
		begin = pos;
	}
	if (exit.at < older.len)
		older.len = exit.at;
	return older;
}

/*
 * Drops the older records, except the last switch, which moves up to the records that stay. The room in front
 * is given back once it is most of the buffer.
 */
static void drop_older(struct log_ring *ring, const struct older *older)
{
	struct buf *b = &ring->records;

	ring->begin += older->len;
	if (older->last_switch) {
		ring->begin -= older->last_switch->size;
		memmove(b->data + ring->begin, older->last_switch, older->last_switch->size);
	}
	if (ring->begin <= b->len / 2)
		return;
	memmove(b->data, b->data + ring->begin, b->len - ring->begin);
	buf__truncate(b, b->len - ring->begin);
	buf__shrink(b);
	ring->begin = 0;
}

int sideband_log__fold(struct sideband_log *log, uint64_t before)
{
	_cleanup_free_ struct older *older = calloc(log->nr_rings + 1, sizeof(*older));
	_cleanup_free_ struct span *spans = calloc(log->nr_rings + 1, sizeof(*spans));
	const struct merge_sink sink = {fold_record, log};
	size_t kernel_len = log->kernel.records.len;
	struct merge_stats stats;
	int err;

	if (!older || !spans)
		return -ENOMEM;
	for (unsigned int i = 0; i < log->nr_rings; i++) {
		spans[i] = sideband_log__recent(log, i);
		older[i] = find_older(spans[i], log->sample_type, before);
		spans[i].len = older[i].len;
	}
	err = merge__rings(spans, log->nr_rings, log->sample_type, &sink, &stats);
	if (err) {
		buf__truncate(&log->kernel.records, kernel_len);
		return err;
	}
	for (unsigned int i = 0; i < log->nr_rings; i++)
		drop_older(&log->rings[i], &older[i]);
	if (before > log->folded)
		log->folded = before;
	return kernel_log__is_due(&log->kernel) ? kernel_log__compact(&log->kernel) : 0;
}

/* Returns the time of the first record behind which the ring has at most @max bytes; 0 if there is none. */
static uint64_t time_of_half(const struct sideband_log *log, unsigned int ring, size_t max)
{
	struct span records = sideband_log__recent(log, ring);
	const struct perf_event_header *record;
	size_t pos = 0;

	while ((record = record__next(records, &pos)))
		if (records.len - pos <= max)
			return record__time(record, log->sample_type);
	return 0;
}

bool sideband_log__is_over(const struct sideband_log *log, size_t max)
{
	for (unsigned int i = 0; i < log->nr_rings; i++)
		if (sideband_log__recent(log, i).len > max)
			return true;
	return false;
}

int sideband_log__limit(struct sideband_log *log, size_t max, uint64_t until)
{
	uint64_t before = 0;

	for (unsigned int i = 0; i < log->nr_rings; i++) {
		uint64_t half = 0;

		if (sideband_log__recent(log, i).len > max)
			half = time_of_half(log, i, max / 2);
		if (half > before)
			before = half;
	}
	if (before > until)
		before = until;
	if (!before)
		return 0;
	log->limited = before;
	return sideband_log__fold(log, before);
}

uint64_t sideband_log__left_out(const struct sideband_log *log)
{
	return task_table__left_out(log->tasks);
}

uint64_t sideband_log__limited(const struct sideband_log *log)
{
	return log->limited;
}

static size_t find_end(struct span records, uint64_t sample_type, uint64_t until)
{
	const struct perf_event_header *record;
	size_t pos = 0, end = 0;

	while ((record = record__next(records, &pos)) && record__time(record, sample_type) < until)
		end = pos;
	return end;
}

/*
 * Copies the records of a ring from before @until. Most of them are older than @from and will be folded at
 * once, so they come without their switches, except the last.
 */
static int copy_ring(const struct sideband_log *log, unsigned int ring, uint64_t from, uint64_t until,
		     struct sideband_log *copy)
{
	struct span newer = sideband_log__recent(log, ring), older = newer;
	int err;

	newer.len = find_end(newer, log->sample_type, until);
	older.len = find_older(newer, log->sample_type, from).len;
	err = sideband_log__add_idle(copy, ring, older);
	if (err || !newer.len)
		return err;
	newer = (struct span){(const uint8_t *)newer.data + older.len, newer.len - older.len};
	return sideband_log__add(copy, ring, newer);
}

static int copy_rings(const struct sideband_log *log, uint64_t from, uint64_t until,
		      struct sideband_log *copy)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < log->nr_rings; i++)
		err = copy_ring(log, i, from, until, copy);
	return err ? err : sideband_log__fold(copy, from);
}

int sideband_log__copy(const struct sideband_log *log, uint64_t from, uint64_t until,
		       struct sideband_log **ret)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *copy = new_log(log->nr_rings, log->sample_type);
	int err = copy ? task_table__copy(log->tasks, &copy->tasks) : -ENOMEM;

	if (!err)
		err = kernel_log__add(&copy->kernel, buf__span(&log->kernel.records));
	if (err)
		return err;
	copy->limited = log->limited;
	err = copy_rings(log, from, until, copy);
	if (!err)
		err = kernel_log__compact(&copy->kernel);
	if (!err)
		*ret = steal_ptr(copy);
	return err;
}

/* Sets the time of all records. A record without a trailer has no time. */
static void set_times(struct buf *b, uint64_t sample_type, uint64_t time)
{
	const size_t least = sizeof(struct perf_event_header) + record__trailer_len(sample_type);
	struct perf_event_header *record;

	for (size_t pos = 0; pos < b->len; pos += record->size) {
		record = (struct perf_event_header *)(void *)(b->data + pos);
		if (record->size >= least)
			record__set_time(record, sample_type, time);
	}
}

/* Inserts the records at their time into the first ring. */
static int insert(struct sideband_log *log, const struct buf *records, uint64_t time)
{
	struct buf *to = &log->rings[0].records;
	size_t at = log->rings[0].begin + find_end(sideband_log__recent(log, 0), log->sample_type, time);
	size_t behind = to->len - at;

	buf__add_buf(to, records);
	if (buf__error(to))
		return buf__error(to);
	memmove(to->data + at + records->len, to->data + at, behind);
	memcpy(to->data + at, records->data, records->len);
	return 0;
}

void sideband_log__begin_refresh(struct sideband_log *log, uint64_t time)
{
	told__release(&log->told);
	log->told.since = time;
}

void sideband_log__give_up_refresh(struct sideband_log *log)
{
	told__release(&log->told);
}

/* Appends records of all that @then, this log as it was at @time, does not know. */
static int find_missed(const struct sideband_log *then, const struct told *told,
		       const struct task_table *living, struct span programs, uint64_t time,
		       struct buf *records)
{
	task_table__add_changes(then->tasks, living, &told->tasks, time, records,
				record__trailer_len(then->sample_type));
	return kernel_log__find_missed(sideband_log__kernel(then), programs, buf__span(&told->programs),
				       records)
		       ?: buf__error(records);
}

int sideband_log__refresh(struct sideband_log *log, const struct task_table *living, struct span programs)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *then = NULL;
	_cleanup_(told__release) struct told told = log->told;
	const uint64_t time = told.since > log->folded ? told.since : log->folded;
	_cleanup_buf_ struct buf records = {0};
	int err = sideband_log__copy(log, time, time, &then);

	log->told = (struct told){0};
	if (!err)
		err = find_missed(then, &told, living, programs, time, &records);
	if (err || !records.len)
		return err;
	set_times(&records, log->sample_type, time);
	return insert(log, &records, time);
}

void sideband_log__add_state(const struct sideband_log *log, struct buf *b, size_t trailer)
{
	task_table__add_records(log->tasks, b, trailer);
}

struct span sideband_log__kernel(const struct sideband_log *log)
{
	return buf__span(&log->kernel.records);
}

struct span sideband_log__recent(const struct sideband_log *log, unsigned int ring)
{
	const struct log_ring *r = &log->rings[ring];

	/* A ring without any record has no memory to point into. */
	return r->records.data ? (struct span){r->records.data + r->begin, r->records.len - r->begin}
			       : (struct span){0};
}
