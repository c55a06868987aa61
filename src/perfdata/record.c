// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/record.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/mman.h>
#include <string.h>

/* perf's struct perf_record_time_conv */
struct record_time_conv {
	struct perf_event_header header;
	uint64_t shift;
	uint64_t mult;
	uint64_t zero;
	uint64_t cycles;
	uint64_t mask;
	uint8_t cap_zero;
	uint8_t cap_short;
	uint8_t reserved[6];
};

/* perf's struct perf_record_thread_map_entry */
struct thread_map_entry {
	uint64_t pid;
	char comm[16];
};

/* The type of a PERF_RECORD_CPU_MAP with a list of CPUs, which every perf since 4.6 reads. */
#define CPU_MAP_CPUS 0

#define RECORD_MAX 65528 /* the largest multiple of 8 that perf_event_header.size can hold */
#define ID_INDEX_MAX ((RECORD_MAX - 16) / sizeof(struct record_id))

static const uint64_t trailer_fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

size_t record__trailer_len(uint64_t sample_type)
{
	return (size_t)__builtin_popcountll(sample_type & trailer_fields) * 8;
}

bool record__are_alike(uint64_t a, uint64_t b)
{
	return !((a ^ b) & (trailer_fields | PERF_SAMPLE_IP));
}

size_t record__begin(struct buf *b, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = {.type = type, .misc = misc};
	size_t at = b->len;

	buf__add(b, &header, sizeof(header));
	return at;
}

void record__end(struct buf *b, size_t at, size_t trailer)
{
	uint16_t size;

	buf__add(b, NULL, -(b->len - at) & 7);
	buf__add(b, NULL, trailer);
	if (b->len - at > RECORD_MAX)
		buf__fail(b, -E2BIG);
	size = (uint16_t)(b->len - at);
	buf__put_at(b, at + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

static void record__add_string(struct buf *b, const char *s)
{
	buf__add(b, s, strlen(s) + 1);
}

void record__add_mmap(struct buf *b, const struct record_mmap *m, size_t trailer)
{
	size_t at = record__begin(b, PERF_RECORD_MMAP, m->misc);

	buf__add_u32(b, m->pid);
	buf__add_u32(b, m->tid);
	buf__add_u64(b, m->start);
	buf__add_u64(b, m->len);
	buf__add_u64(b, m->pgoff);
	record__add_string(b, m->name);
	record__end(b, at, trailer);
}

static void record__add_file_id(struct buf *b, const struct record_mmap *m)
{
	const uint8_t head[4] = {m->build_id.size};

	if (m->build_id.size) {
		buf__add(b, head, sizeof(head));
		buf__add(b, m->build_id.data, BUILD_ID_MAX);
		return;
	}
	buf__add_u32(b, m->maj);
	buf__add_u32(b, m->min);
	buf__add_u64(b, m->ino);
	buf__add_u64(b, 0); /* inode generation, which is not in /proc/PID/maps */
}

void record__add_mmap2(struct buf *b, const struct record_mmap *m, size_t trailer)
{
	uint16_t misc = m->misc | (m->build_id.size ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0);
	size_t at = record__begin(b, PERF_RECORD_MMAP2, misc);

	buf__add_u32(b, m->pid);
	buf__add_u32(b, m->tid);
	buf__add_u64(b, m->start);
	buf__add_u64(b, m->len);
	buf__add_u64(b, m->pgoff);
	record__add_file_id(b, m);
	buf__add_u32(b, m->prot);
	buf__add_u32(b, m->flags);
	record__add_string(b, m->name);
	record__end(b, at, trailer);
}

void record__add_comm(struct buf *b, uint32_t pid, uint32_t tid, const char *comm, size_t trailer)
{
	size_t at = record__begin(b, PERF_RECORD_COMM, 0);

	buf__add_u32(b, pid);
	buf__add_u32(b, tid);
	record__add_string(b, comm);
	record__end(b, at, trailer);
}

void record__add_namespaces(struct buf *b, const struct record_namespaces *ns, size_t trailer)
{
	size_t at = record__begin(b, PERF_RECORD_NAMESPACES, 0);

	buf__add_u32(b, ns->pid);
	buf__add_u32(b, ns->tid);
	buf__add_u64(b, NR_NAMESPACES);
	buf__add(b, ns->links, sizeof(ns->links));
	record__end(b, at, trailer);
}

void record__add_cgroup(struct buf *b, uint64_t id, const char *path, size_t trailer)
{
	size_t at = record__begin(b, PERF_RECORD_CGROUP, 0);

	buf__add_u64(b, id);
	record__add_string(b, path);
	record__end(b, at, trailer);
}

static void add_task(struct buf *b, uint32_t pid, uint32_t tid, uint32_t ppid, uint64_t time)
{
	uint32_t parent = pid == tid ? ppid : pid;

	buf__add_u32(b, pid);
	buf__add_u32(b, parent);
	buf__add_u32(b, tid);
	buf__add_u32(b, parent);
	buf__add_u64(b, time);
}

void record__add_fork(struct buf *b, uint32_t pid, uint32_t tid, uint32_t ppid, size_t trailer)
{
	/* With this bit perf does not give the child the parent's maps: the child's own follow. */
	size_t at = record__begin(b, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC);

	add_task(b, pid, tid, ppid, 0);
	record__end(b, at, trailer);
}

void record__add_exit(struct buf *b, uint32_t pid, uint32_t tid, uint64_t time, size_t trailer)
{
	size_t at = record__begin(b, PERF_RECORD_EXIT, 0);

	add_task(b, pid, tid, pid, time);
	record__end(b, at, trailer);
}

void record__set_time(struct perf_event_header *record, uint64_t sample_type, uint64_t time)
{
	size_t at = record->size - record__trailer_len(sample_type);

	if (sample_type & PERF_SAMPLE_TID)
		at += 2 * sizeof(uint32_t);
	memcpy((uint8_t *)record + at, &time, sizeof(time));
}

void record__add_ksymbol(struct buf *b, uint64_t addr, uint32_t len, const char *name, size_t trailer)
{
	const uint16_t type_flags[2] = {PERF_RECORD_KSYMBOL_TYPE_BPF, 0};
	size_t at = record__begin(b, PERF_RECORD_KSYMBOL, 0);

	buf__add_u64(b, addr);
	buf__add_u32(b, len);
	buf__add(b, type_flags, sizeof(type_flags));
	record__add_string(b, name);
	record__end(b, at, trailer);
}

void record__add_bpf_load(struct buf *b, uint32_t id, const uint8_t *tag, size_t trailer)
{
	const uint16_t type_flags[2] = {PERF_BPF_EVENT_PROG_LOAD, 0};
	size_t at = record__begin(b, PERF_RECORD_BPF_EVENT, 0);

	buf__add(b, type_flags, sizeof(type_flags));
	buf__add_u32(b, id);
	buf__add(b, tag, BPF_TAG_SIZE);
	record__end(b, at, trailer);
}

void record__add_time_conv(struct buf *b, const struct tsc_conv *tsc)
{
	const struct record_time_conv rec = {
		.header = {.type = RECORD_TIME_CONV, .size = sizeof(rec)},
		.shift = tsc->shift,
		.mult = tsc->mult,
		.zero = tsc->zero,
		.cycles = tsc->cycles,
		.mask = tsc->mask,
		.cap_zero = tsc->cap_zero,
		.cap_short = tsc->cap_short,
	};

	buf__add(b, &rec, sizeof(rec));
}

void record__add_id_index(struct buf *b, const struct record_id *ids, size_t nr)
{
	while (nr) {
		size_t n = nr < ID_INDEX_MAX ? nr : ID_INDEX_MAX;
		size_t at = record__begin(b, RECORD_ID_INDEX, 0);

		buf__add_u64(b, n);
		buf__add(b, ids, n * sizeof(*ids));
		record__end(b, at, 0);
		ids += n;
		nr -= n;
	}
}

void record__add_any_thread(struct buf *b)
{
	const struct thread_map_entry any = {.pid = (uint64_t)-1};
	size_t at = record__begin(b, RECORD_THREAD_MAP, 0);

	buf__add_u64(b, 1);
	buf__add(b, &any, sizeof(any));
	record__end(b, at, 0);
}

void record__add_cpu_map(struct buf *b, const int *cpus, size_t nr)
{
	const uint16_t head[2] = {CPU_MAP_CPUS, (uint16_t)nr};
	size_t at = record__begin(b, RECORD_CPU_MAP, 0);
	size_t i;

	buf__add(b, head, sizeof(head));
	for (i = 0; i < nr; i++) {
		uint16_t cpu = (uint16_t)cpus[i];

		buf__add(b, &cpu, sizeof(cpu));
	}
	record__end(b, at, 0);
}

void record__add_finished(struct buf *b, enum record_user_type type)
{
	record__end(b, record__begin(b, type, 0), 0);
}

const struct perf_event_header *record__next(struct span records, size_t *pos)
{
	const struct perf_event_header *header;

	if (records.len - *pos < sizeof(*header))
		return NULL;
	header = (const void *)((const char *)records.data + *pos);
	if (header->size < sizeof(*header) || header->size % 8 || header->size > records.len - *pos)
		return NULL;
	*pos += header->size;
	return header;
}

void record__remove(struct buf *b, size_t from, uint32_t type)
{
	const struct span records = {b->data + from, b->len - from};
	const struct perf_event_header *record;
	size_t pos = 0, at = 0, kept = from;

	while ((record = record__next(records, &at))) {
		if (record->type != type) {
			memmove(b->data + kept, b->data + from + pos, at - pos);
			kept += at - pos;
		}
		pos = at;
	}
	buf__truncate(b, kept);
}

static uint64_t record__u64_at(const struct perf_event_header *record, size_t offset)
{
	uint64_t val;

	if (offset > record->size - sizeof(val) || offset < sizeof(*record))
		return 0;
	memcpy(&val, (const char *)record + offset, sizeof(val));
	return val;
}

uint64_t record__time(const struct perf_event_header *record, uint64_t sample_type)
{
	const uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	const uint64_t behind = trailer_fields & ~(uint64_t)PERF_SAMPLE_TID;

	if (!(sample_type & PERF_SAMPLE_TIME))
		return 0;
	if (record->type == PERF_RECORD_SAMPLE)
		return record__u64_at(record, sizeof(*record) +
						      8 * (size_t)__builtin_popcountll(sample_type & before));
	return record__u64_at(record, record->size - 8 * (size_t)__builtin_popcountll(sample_type & behind));
}

uint32_t record__tid(const struct perf_event_header *record, uint64_t sample_type)
{
	const size_t trailer = record__trailer_len(sample_type);

	return sample_type & PERF_SAMPLE_TID
		       ? (uint32_t)(record__u64_at(record, record->size - trailer) >> 32)
		       : 0;
}

uint32_t record__pid(const struct perf_event_header *record, uint64_t sample_type)
{
	const uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP;
	size_t at = record->size - record__trailer_len(sample_type);

	if (record->type == PERF_RECORD_SAMPLE)
		at = sizeof(*record) + 8 * (size_t)__builtin_popcountll(sample_type & before);
	return sample_type & PERF_SAMPLE_TID ? (uint32_t)record__u64_at(record, at) : 0;
}

bool record__bpf(const struct perf_event_header *record, struct record_bpf *ret)
{
	struct {
		struct perf_event_header header;
		uint16_t type;
		uint16_t flags;
		uint32_t id;
		uint8_t tag[BPF_TAG_SIZE];
	} bpf;

	if (record->type != PERF_RECORD_BPF_EVENT || record->size < sizeof(bpf))
		return false;
	memcpy(&bpf, record, sizeof(bpf));
	*ret = (struct record_bpf){bpf.id, bpf.type == PERF_BPF_EVENT_PROG_LOAD, sizeof(bpf)};
	return bpf.type == PERF_BPF_EVENT_PROG_LOAD || bpf.type == PERF_BPF_EVENT_PROG_UNLOAD;
}

/* Returns the string at @offset, or NULL if the record has none there. */
static const char *record__string_at(const struct perf_event_header *record, size_t offset)
{
	const char *string = (const char *)record + offset;

	return record->size > offset && memchr(string, 0, record->size - offset) ? string : NULL;
}

/* The fixed part of PERF_RECORD_MMAP2; that of PERF_RECORD_MMAP ends in front of @file. */
struct mmap2_head {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, len, pgoff;
	union {
		struct {
			uint32_t maj, min;
			uint64_t ino, generation;
		} inode;
		struct {
			uint8_t size, reserved[3], data[BUILD_ID_MAX];
		} build_id;
	} file;
	uint32_t prot, flags;
};

static void take_file(const struct mmap2_head *head, struct record_mmap *ret)
{
	ret->prot = head->prot;
	ret->flags = head->flags;
	if (!(ret->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		ret->maj = head->file.inode.maj;
		ret->min = head->file.inode.min;
		ret->ino = head->file.inode.ino;
	} else if (head->file.build_id.size <= BUILD_ID_MAX) {
		ret->build_id.size = head->file.build_id.size;
		memcpy(ret->build_id.data, head->file.build_id.data, BUILD_ID_MAX);
	}
}

bool record__mmap(const struct perf_event_header *record, struct record_mmap *ret)
{
	size_t len = record->type == PERF_RECORD_MMAP ? offsetof(struct mmap2_head, file)
						      : sizeof(struct mmap2_head);
	struct mmap2_head head;

	*ret = (struct record_mmap){.misc = record->misc, .name = record__string_at(record, len)};
	if ((record->type != PERF_RECORD_MMAP && record->type != PERF_RECORD_MMAP2) || !ret->name)
		return false;
	memcpy(&head, record, len);
	ret->pid = head.pid;
	ret->tid = head.tid;
	ret->start = head.start;
	ret->len = head.len;
	ret->pgoff = head.pgoff;
	if (record->type == PERF_RECORD_MMAP2)
		take_file(&head, ret);
	else
		ret->prot = record->misc & PERF_RECORD_MISC_MMAP_DATA ? PROT_READ : PROT_READ | PROT_EXEC;
	return true;
}

bool record__task(const struct perf_event_header *record, struct record_task *ret)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, ppid, tid, ptid;
	} head;

	if ((record->type != PERF_RECORD_FORK && record->type != PERF_RECORD_EXIT) ||
	    record->size < sizeof(head))
		return false;
	memcpy(&head, record, sizeof(head));
	*ret = (struct record_task){head.pid, head.ppid, head.tid, head.ptid};
	return true;
}

bool record__namespaces(const struct perf_event_header *record, struct record_namespaces *ret)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t nr;
	} head;
	size_t len;

	if (record->type != PERF_RECORD_NAMESPACES || record->size < sizeof(head))
		return false;
	memcpy(&head, record, sizeof(head));
	len = sizeof(ret->links[0]) * (head.nr < NR_NAMESPACES ? head.nr : NR_NAMESPACES);
	if (record->size - sizeof(head) < len)
		return false;
	*ret = (struct record_namespaces){head.pid, head.tid, {{0}}};
	memcpy(ret->links, (const char *)record + sizeof(head), len);
	return true;
}

#define COMM_NAME 16

const char *record__comm(const struct perf_event_header *record, uint32_t *pid, uint32_t *tid)
{
	const char *name = record__string_at(record, COMM_NAME);

	if (record->type != PERF_RECORD_COMM || !name)
		return NULL;
	memcpy(pid, (const char *)record + 8, sizeof(*pid));
	memcpy(tid, (const char *)record + 12, sizeof(*tid));
	return name;
}

#define CGROUP_PATH 16

const char *record__cgroup(const struct perf_event_header *record, uint64_t *id)
{
	const char *path = record__string_at(record, CGROUP_PATH);

	if (record->type != PERF_RECORD_CGROUP || !path)
		return NULL;
	memcpy(id, (const char *)record + 8, sizeof(*id));
	return path;
}

size_t record__mmap2_len(const char *name)
{
	return sizeof(struct mmap2_head) + ((strlen(name) + 8) & ~7ul);
}

const char *record__mmap2_name(const struct perf_event_header *record)
{
	return record->type == PERF_RECORD_MMAP2 ? record__string_at(record, sizeof(struct mmap2_head))
						 : NULL;
}

bool record__mmap2_build_id(const struct perf_event_header *record, struct build_id *id, const char **name)
{
	struct record_mmap m;

	if (record->type != PERF_RECORD_MMAP2 || !record__mmap(record, &m) || !m.build_id.size)
		return false;
	*id = m.build_id;
	*name = m.name;
	return true;
}

void record__add_mmap2_of(struct buf *b, const struct perf_event_header *record, size_t trailer,
			  const char *name, const struct build_id *id, uint64_t pgoff)
{
	const uint8_t *bytes = (const uint8_t *)record;
	size_t at = record__begin(b, PERF_RECORD_MMAP2, record->misc | PERF_RECORD_MISC_MMAP_BUILD_ID);
	const struct record_mmap file = {.build_id = *id};
	const size_t prot = offsetof(struct mmap2_head, prot);

	buf__add(b, bytes + sizeof(*record), offsetof(struct mmap2_head, pgoff) - sizeof(*record));
	buf__add_u64(b, pgoff);
	record__add_file_id(b, &file);
	buf__add(b, bytes + prot, sizeof(struct mmap2_head) - prot);
	record__add_string(b, name);
	buf__add(b, NULL, -(b->len - at) & 7);
	buf__add(b, bytes + record->size - trailer, trailer);
	record__end(b, at, 0);
}

#define KSYMBOL_NAME 24

const char *record__ksymbol_name(const struct perf_event_header *record)
{
	return record->type == PERF_RECORD_KSYMBOL ? record__string_at(record, KSYMBOL_NAME) : NULL;
}

uint64_t record__lost(const struct perf_event_header *record)
{
	return record->type == PERF_RECORD_LOST ? record__u64_at(record, sizeof(*record) + sizeof(uint64_t))
						: 0;
}

bool record__is_switch(const struct perf_event_header *record)
{
	return record->type == PERF_RECORD_SWITCH || record->type == PERF_RECORD_SWITCH_CPU_WIDE;
}

int record__add_idle(struct buf *to, struct span records)
{
	const struct perf_event_header *record, *last_switch = NULL;
	size_t pos = 0, len = to->len;

	while ((record = record__next(records, &pos)))
		if (record__is_switch(record))
			last_switch = record;
	pos = 0;
	while ((record = record__next(records, &pos)))
		if (!record__is_switch(record) || record == last_switch)
			buf__add(to, record, record->size);
	if (!buf__error(to))
		return pos == records.len ? 0 : -EBADMSG;
	buf__truncate(to, len);
	return -ENOMEM;
}

#define BPF_EVENT_SIZE 24
#define TEXT_POKE_BYTES 20

static size_t text_poke_len(const struct perf_event_header *record)
{
	uint16_t lens[2];

	memcpy(lens, (const char *)record + TEXT_POKE_BYTES - sizeof(lens), sizeof(lens));
	return (TEXT_POKE_BYTES + (size_t)lens[0] + lens[1] + 7) & ~(size_t)7;
}

/* Returns the length without trailer; SIZE_MAX for types whose header.size is right. */
static size_t own_len(const struct perf_event_header *record)
{
	const char *name = record__ksymbol_name(record);

	if (name)
		return KSYMBOL_NAME + ((strlen(name) + 8) & ~(size_t)7);
	if (record->type == PERF_RECORD_BPF_EVENT)
		return BPF_EVENT_SIZE;
	if (record->type == PERF_RECORD_TEXT_POKE && record->size >= TEXT_POKE_BYTES)
		return text_poke_len(record);
	return SIZE_MAX;
}

void record__trim(struct buf *records, size_t from, uint64_t sample_type)
{
	const size_t trailer = record__trailer_len(sample_type);
	const struct span all = buf__span(records);
	const struct perf_event_header *record;
	size_t pos = from, to = from;

	while ((record = record__next(all, &pos))) {
		struct perf_event_header header = *record;
		size_t own = own_len(record), len = header.size;

		if (own < len && own + trailer < len)
			len = own + trailer;
		memmove(records->data + to, record, len);
		header.size = (uint16_t)len;
		memcpy(records->data + to, &header, sizeof(header));
		to += len;
	}
	/* If the buffer is empty, records->data is NULL. */
	if (to < pos)
		memmove(records->data + to, records->data + pos, records->len - pos);
	buf__truncate(records, to + records->len - pos);
}
