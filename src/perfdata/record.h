/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Builds perf records that the kernel does not send, and reads those that it sent.
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

/* Types of records that only tools write (perf's enum perf_user_event_type). */
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
	struct build_id build_id; /* if known, it is written instead of maj, min and ino */
	const char *name;
};

struct record_id {
	uint64_t id;
	uint64_t idx; /* number of the mapping that the event writes to */
	int64_t cpu;
	int64_t tid;
};

/* A task that begins or ends: PERF_RECORD_FORK and PERF_RECORD_EXIT. */
struct record_task {
	uint32_t pid;
	uint32_t ppid; /* in the FORK of a thread: its own process */
	uint32_t tid;
	uint32_t ptid;
};

/* The namespaces of a task, indexed as in the kernel (NET_NS_INDEX and so on). */
struct record_namespaces {
	uint32_t pid;
	uint32_t tid;
	struct perf_ns_link_info links[NR_NAMESPACES]; /* 0 where the record has none */
};

/*
 * Returns the length of the trailer (sample_id_all), which the kernel appends to every record that is not a
 * sample.
 */
size_t record__trailer_len(uint64_t sample_type);

/* Tells whether records of events with these two sample types have the id and the time at the same places. */
bool record__are_alike(uint64_t a, uint64_t b);

/*
 * Builds any record: begin it, append to the buffer, end it. record__begin() returns @at. record__end() pads
 * to 8 bytes and appends @trailer zero bytes: perf marks a record as synthesised by a time and id of 0.
 */
size_t record__begin(struct buf *b, uint32_t type, uint16_t misc) _nonnull_(1);
void record__end(struct buf *b, size_t at, size_t trailer) _nonnull_(1);

void record__add_mmap(struct buf *b, const struct record_mmap *m, size_t trailer) _nonnull_(1, 2);
void record__add_mmap2(struct buf *b, const struct record_mmap *m, size_t trailer) _nonnull_(1, 2);
/* Returns the length of a PERF_RECORD_MMAP2 for a file of this name, without its trailer. */
size_t record__mmap2_len(const char *name) _nonnull_(1);
void record__add_comm(struct buf *b, uint32_t pid, uint32_t tid, const char *comm, size_t trailer)
	_nonnull_(1, 4);
void record__add_namespaces(struct buf *b, const struct record_namespaces *ns, size_t trailer)
	_nonnull_(1, 2);
/* @path begins at the root of the hierarchy, and must fit a record. */
void record__add_cgroup(struct buf *b, uint64_t id, const char *path, size_t trailer) _nonnull_(1, 3);
void record__add_fork(struct buf *b, uint32_t pid, uint32_t tid, uint32_t ppid, size_t trailer) _nonnull_(1);
void record__add_exit(struct buf *b, uint32_t pid, uint32_t tid, uint64_t time, size_t trailer) _nonnull_(1);
void record__add_ksymbol(struct buf *b, uint64_t addr, uint32_t len, const char *name, size_t trailer)
	_nonnull_(1, 4);
/* @tag has BPF_TAG_SIZE bytes. */
void record__add_bpf_load(struct buf *b, uint32_t id, const uint8_t *tag, size_t trailer) _nonnull_(1, 3);

/*
 * These never have a trailer. A list that does not fit one record is spread over several where perf allows
 * it.
 */
void record__add_time_conv(struct buf *b, const struct tsc_conv *tsc) _nonnull_(1, 2);
void record__add_id_index(struct buf *b, const struct record_id *ids, size_t nr) _nonnull_(1);
void record__add_any_thread(struct buf *b) _nonnull_(1); /* THREAD_MAP of a system-wide capture */
void record__add_cpu_map(struct buf *b, const int *cpus, size_t nr) _nonnull_(1);
void record__add_finished(struct buf *b, enum record_user_type type) _nonnull_(1);

/*
 * Returns the record at @pos of @records and moves @pos to its end. The record is complete, aligned, and of a
 * length that a kernel writes. Returns NULL at the end; if @pos is before the end then, something there is no
 * record.
 */
const struct perf_event_header *record__next(struct span records, size_t *pos) _nonnull_(2);

/* Removes the records of @type from the whole records that begin at @from. */
void record__remove(struct buf *b, size_t from, uint32_t type) _nonnull_(1);

/* Returns the time in a kernel record of an event with @sample_type, or 0 if it has none. */
uint64_t record__time(const struct perf_event_header *record, uint64_t sample_type) _nonnull_(1);

/* Returns the thread that ran when a kernel record came, which must not be a sample; 0 if it has none. */
uint32_t record__tid(const struct perf_event_header *record, uint64_t sample_type) _nonnull_(1);

/* Returns the process that ran when a kernel record, also a sample, came; 0 if it has none. */
uint32_t record__pid(const struct perf_event_header *record, uint64_t sample_type) _nonnull_(1);

/* A BPF program that was loaded or unloaded, as in PERF_RECORD_BPF_EVENT. */
struct record_bpf {
	uint32_t id;
	bool loaded;	   /* false: it was unloaded */
	size_t trailer_at; /* where the trailer begins in the record */
};

/* Tells whether @record says that a program was loaded or unloaded. */
bool record__bpf(const struct perf_event_header *record, struct record_bpf *ret) _nonnull_(1, 2);

/*
 * Reads the build id and the file's name of a PERF_RECORD_MMAP2; the name is the record's. Returns false if
 * there is no build id.
 */
bool record__mmap2_build_id(const struct perf_event_header *record, struct build_id *id, const char **name)
	_nonnull_(1, 2, 3);

/* Returns the name in a PERF_RECORD_MMAP2; NULL for another record. */
const char *record__mmap2_name(const struct perf_event_header *record) _nonnull_(1);

/*
 * Appends a PERF_RECORD_MMAP2 like @record, which has a name, but for another file: the one with @name and
 * @id, mapped from the byte @pgoff on. All else is copied, also the trailer of @trailer bytes.
 */
void record__add_mmap2_of(struct buf *b, const struct perf_event_header *record, size_t trailer,
			  const char *name, const struct build_id *id, uint64_t pgoff) _nonnull_(1, 2, 4, 5);

/*
 * Reads a PERF_RECORD_MMAP or PERF_RECORD_MMAP2; the name is the record's. Returns false for another record.
 */
bool record__mmap(const struct perf_event_header *record, struct record_mmap *ret) _nonnull_(1, 2);

/* Reads a PERF_RECORD_FORK or PERF_RECORD_EXIT. Returns false for another record. */
bool record__task(const struct perf_event_header *record, struct record_task *ret) _nonnull_(1, 2);

/* Returns the name in a PERF_RECORD_COMM, and whose it is; NULL for another record. */
const char *record__comm(const struct perf_event_header *record, uint32_t *pid, uint32_t *tid)
	_nonnull_(1, 2, 3);

/* Reads a PERF_RECORD_NAMESPACES. Returns false for another record. */
bool record__namespaces(const struct perf_event_header *record, struct record_namespaces *ret)
	_nonnull_(1, 2);

/* Returns the path in a PERF_RECORD_CGROUP, and the cgroup's id; NULL for another record. */
const char *record__cgroup(const struct perf_event_header *record, uint64_t *id) _nonnull_(1, 2);

/* Returns the name in a PERF_RECORD_KSYMBOL; NULL for another record. */
const char *record__ksymbol_name(const struct perf_event_header *record) _nonnull_(1);

/*
 * Sets the time in the trailer of a synthesised record, so that it can stand among the kernel's own. Its
 * event has @sample_type, with PERF_SAMPLE_TIME.
 */
void record__set_time(struct perf_event_header *record, uint64_t sample_type, uint64_t time) _nonnull_(1);

/* Returns how many records a PERF_RECORD_LOST stands for; 0 for another record. */
uint64_t record__lost(const struct perf_event_header *record) _nonnull_(1);

/* Tells whether the record is a context switch. */
bool record__is_switch(const struct perf_event_header *record) _nonnull_(1);

/*
 * Appends @records of one ring from a time when nothing was traced. Of their context switches only the last
 * is appended, which tells who has run since then. Returns 0; -EBADMSG if not all are whole records; -ENOMEM,
 * and then nothing is appended.
 */
int record__add_idle(struct buf *to, struct span records) _must_check_ _nonnull_(1);

/*
 * Cuts each record from @from on to the length that the kernel wrote. They must be whole records of events
 * with @sample_type. Where several events get the record of a symbol, a program or a change of the kernel's
 * code, the kernel adds the length of each one's trailer to the same header (perf_event_ksymbol_output(),
 * perf_event_bpf_output(), perf_event_text_poke_output(), kernel/events/core.c), so the header gives a length
 * that is too large.
 */
void record__trim(struct buf *records, size_t from, uint64_t sample_type) _nonnull_(1);

#endif
