/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perf records: building those that the kernel does not send, and finding a way through those that it sent.
 *
 * The layouts are those of include/uapi/linux/perf_event.h (enum perf_event_type) and, for the types from 64
 * on, of perf's own tools/lib/perf/include/perf/event.h. Builders append one whole record to a struct buf; a
 * record that would exceed 64 KiB makes the buffer's error -E2BIG.
 */
#ifndef AUXBPF_PERFDATA_RECORD_H
#define AUXBPF_PERFDATA_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "perfdata/tsc_conv.h"

/* Records that only tools write (perf's enum perf_user_event_type). */
enum record_user_type {
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_THREAD_MAP = 73,
	RECORD_CPU_MAP = 74,
	RECORD_TIME_CONV = 79,
	RECORD_COMPRESSED = 81,
	RECORD_FINISHED_INIT = 82,
};

/* The AUX data follows this record directly, its length in @size. */
struct record_auxtrace {
	struct perf_event_header header;
	uint64_t size;
	uint64_t offset;
	uint64_t reference;
	uint32_t idx;
	uint32_t tid;
	uint32_t cpu;
	uint32_t reserved;
};

#define BUILD_ID_MAX 20

struct build_id {
	uint8_t data[BUILD_ID_MAX];
	uint8_t size; /* 0: unknown */
};

struct record_mmap {
	uint16_t misc; /* PERF_RECORD_MISC_KERNEL or _USER */
	uint32_t pid;
	uint32_t tid;
	uint64_t start;
	uint64_t len;
	uint64_t pgoff;
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	uint32_t prot;
	uint32_t flags;
	struct build_id build_id; /* if known, it takes the place of maj, min and ino */
	const char *name;
};

struct record_id {
	uint64_t id;
	uint64_t idx; /* number of the mapping that the event writes to */
	int64_t cpu;
	int64_t tid;
};

/* A task that began or ended: PERF_RECORD_FORK and PERF_RECORD_EXIT. */
struct record_task {
	uint32_t pid;
	uint32_t ppid; /* of a thread's FORK: its own process */
	uint32_t tid;
	uint32_t ptid;
};

/* The namespaces of a task, by their places in the kernel's list (NET_NS_INDEX and so on). */
struct record_namespaces {
	uint32_t pid;
	uint32_t tid;
	struct perf_ns_link_info links[NR_NAMESPACES]; /* what a record does not tell is 0 */
};

/* What the kernel appends to every record that is not a sample (sample_id_all): its length for @sample_type.
 */
size_t record__trailer_len(uint64_t sample_type);

/* Whether in records of events with these sample types the id and the time are at the same places. */
bool record__are_alike(uint64_t a, uint64_t b);

/*
 * Any record: begin it, append to the buffer, end it. record__end() pads to 8 bytes and appends @trailer zero
 * bytes, which is how perf marks a record as synthesised: its time and id are 0.
 */
size_t record__begin(struct buf *b, uint32_t type, uint16_t misc) _nonnull_(1);
void record__end(struct buf *b, size_t at, size_t trailer) _nonnull_(1);

void record__add_mmap(struct buf *b, const struct record_mmap *m, size_t trailer) _nonnull_(1, 2);
void record__add_mmap2(struct buf *b, const struct record_mmap *m, size_t trailer) _nonnull_(1, 2);
/* How long that one is for a file of this name, without its trailer. */
size_t record__mmap2_len(const char *name) _nonnull_(1);
void record__add_comm(struct buf *b, uint32_t pid, uint32_t tid, const char *comm, size_t trailer)
	_nonnull_(1, 4);
void record__add_namespaces(struct buf *b, const struct record_namespaces *ns, size_t trailer)
	_nonnull_(1, 2);
/* @path, from the root of the hierarchy, must fit a record. */
void record__add_cgroup(struct buf *b, uint64_t id, const char *path, size_t trailer) _nonnull_(1, 3);
void record__add_fork(struct buf *b, uint32_t pid, uint32_t tid, uint32_t ppid, size_t trailer) _nonnull_(1);
void record__add_exit(struct buf *b, uint32_t pid, uint32_t tid, uint64_t time, size_t trailer) _nonnull_(1);
void record__add_ksymbol(struct buf *b, uint64_t addr, uint32_t len, const char *name, size_t trailer)
	_nonnull_(1, 4);
/* @tag has BPF_TAG_SIZE bytes. */
void record__add_bpf_load(struct buf *b, uint32_t id, const uint8_t *tag, size_t trailer) _nonnull_(1, 3);

/* These never carry a trailer. Lists that do not fit one record are spread over several where perf allows it.
 */
void record__add_time_conv(struct buf *b, const struct tsc_conv *tsc) _nonnull_(1, 2);
void record__add_id_index(struct buf *b, const struct record_id *ids, size_t nr) _nonnull_(1);
void record__add_any_thread(struct buf *b) _nonnull_(1); /* THREAD_MAP of a system-wide capture */
void record__add_cpu_map(struct buf *b, const int *cpus, size_t nr) _nonnull_(1);
void record__add_finished(struct buf *b, enum record_user_type type) _nonnull_(1);

/*
 * The record at @pos of @records, checked: aligned, complete, of a length that a kernel writes. Returns it
 * and moves
 * @pos behind it; NULL at the end or, with @pos before the end, at something that is no record.
 */
const struct perf_event_header *record__next(struct span records, size_t *pos) _nonnull_(2);

/* Removes the records of @type from those behind @from, which are whole. */
void record__remove(struct buf *b, size_t from, uint32_t type) _nonnull_(1);

/* The time in a kernel record of an event with @sample_type, or 0 if there is none. */
uint64_t record__time(const struct perf_event_header *record, uint64_t sample_type) _nonnull_(1);

/* The task that ran when a kernel record that is no sample came, likewise. */
uint32_t record__tid(const struct perf_event_header *record, uint64_t sample_type) _nonnull_(1);

/* The process of that task, also for a sample; 0 if it is not known. */
uint32_t record__pid(const struct perf_event_header *record, uint64_t sample_type) _nonnull_(1);

/* What a PERF_RECORD_BPF_EVENT tells of a program. */
struct record_bpf {
	uint32_t id;
	bool loaded;	   /* else it was unloaded */
	size_t trailer_at; /* where in the record its trailer begins */
};

/* Whether @record is one of a program's that was loaded or unloaded. */
bool record__bpf(const struct perf_event_header *record, struct record_bpf *ret) _nonnull_(1, 2);

/* The build id in a PERF_RECORD_MMAP2 of the kernel, if it has one, and the file's name in the record. */
bool record__mmap2_build_id(const struct perf_event_header *record, struct build_id *id, const char **name)
	_nonnull_(1, 2, 3);

/* The name in a PERF_RECORD_MMAP2; NULL for another record. */
const char *record__mmap2_name(const struct perf_event_header *record) _nonnull_(1);

/*
 * Appends a PERF_RECORD_MMAP2, one that has a name, as if another file were mapped there: that of @name with
 * @id, from the byte @pgoff on. All else, the trailer of @trailer bytes too, is as in @record.
 */
void record__add_mmap2_of(struct buf *b, const struct perf_event_header *record, size_t trailer,
			  const char *name, const struct build_id *id, uint64_t pgoff) _nonnull_(1, 2, 4, 5);

/* What a PERF_RECORD_MMAP or PERF_RECORD_MMAP2 tells; the name is the record's. False for another record. */
bool record__mmap(const struct perf_event_header *record, struct record_mmap *ret) _nonnull_(1, 2);

/* What a PERF_RECORD_FORK or PERF_RECORD_EXIT tells. False for another record. */
bool record__task(const struct perf_event_header *record, struct record_task *ret) _nonnull_(1, 2);

/* The name in a PERF_RECORD_COMM, and whose it is; NULL for another record. */
const char *record__comm(const struct perf_event_header *record, uint32_t *pid, uint32_t *tid)
	_nonnull_(1, 2, 3);

/* What a PERF_RECORD_NAMESPACES tells. False for another record. */
bool record__namespaces(const struct perf_event_header *record, struct record_namespaces *ret)
	_nonnull_(1, 2);

/* The path in a PERF_RECORD_CGROUP, and the cgroup's id; NULL for another record. */
const char *record__cgroup(const struct perf_event_header *record, uint64_t *id) _nonnull_(1, 2);

/* The name in a PERF_RECORD_KSYMBOL; NULL for another record. */
const char *record__ksymbol_name(const struct perf_event_header *record) _nonnull_(1);

/*
 * Gives a synthesised record of events with @sample_type, which has PERF_SAMPLE_TIME, a time in its trailer: it
 * can then be among the kernel's own.
 */
void record__set_time(struct perf_event_header *record, uint64_t sample_type, uint64_t time) _nonnull_(1);

/* How many records a PERF_RECORD_LOST stands for; 0 for another record. */
uint64_t record__lost(const struct perf_event_header *record) _nonnull_(1);

/* Whether it tells that one task took the place of another. */
bool record__is_switch(const struct perf_event_header *record) _nonnull_(1);

/*
 * Appends @records of one ring, from a time when nothing was traced: of the switches only the last, which
 * tells who runs since. 0; -EBADMSG if not all are whole records; -ENOMEM, and nothing is appended.
 */
int record__add_idle(struct buf *to, struct span records) _must_check_ _nonnull_(1);

/*
 * Of the records behind @from, whole ones as the kernel wrote them for events with @sample_type: cuts off
 * what is behind their ends. If several events are told of a symbol, a program or a change of the kernel's
 * code, the kernel adds the length of each one's trailer to the same header (perf_event_ksymbol_output(),
 * perf_event_bpf_output(), perf_event_text_poke_output(), kernel/events/core.c), and what it says is longer
 * than what it writes.
 */
void record__trim(struct buf *records, size_t from, uint64_t sample_type) _nonnull_(1);

#endif
