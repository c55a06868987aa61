/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading an oracle log (tests/tools/trace-unit/oracle_log.h), or one phase of it: mapped, never copied, and walked by
 * cursors, either one CPU in the order of its execution or all CPUs merged by the TSC. Logs have many gigabytes, so
 * of what is not asked for only the heads of chunks are read.
 */
#ifndef ORACLE_LOG_READER_H
#define ORACLE_LOG_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "oracle_log.h"

struct oracle_log;

/*
 * Maps the log at @path. With a @note that is not 0, only that phase of the run, as `oracle-mark run --phase N` makes
 * it: the records of all CPUs from the mark NOTE @note to the next mark STOP, by their TSC.
 *
 * -EINVAL if it is not an oracle log of this format, ends inside a chunk, or has a chunk of a CPU that the header
 * does not know or, where it is to be read, with a record of another CPU. -ENOENT if there is no such phase or it
 * has no end. Else the errno of open or mmap. Why is told on stderr.
 */
int oracle_log__open(const char *path, uint32_t note, struct oracle_log **ret) _must_check_ _nonnull_(1, 3);
void oracle_log__free(struct oracle_log *log);

unsigned int oracle_log__nr_cpus(const struct oracle_log *log) _nonnull_(1);

/* The place of a record in its file, counted from 0 and without heads of chunks; for messages. */
uint64_t oracle_log__index(const struct oracle_log *log, const struct oracle_record *rec) _nonnull_(1, 2);

/* A record of the log to be changed: in memory, the file stays as it is. */
struct oracle_record *oracle_log__edit(struct oracle_log *log, const struct oracle_record *rec)
	_nonnull_(1, 2);

/* A place in the records of one CPU. A plain value: copy it to look ahead. */
struct oracle_cursor {
	const struct oracle_log *log;
	unsigned int cpu;
	uint64_t run;
	uint64_t at;
};

void oracle_cursor__init(struct oracle_cursor *cur, const struct oracle_log *log, unsigned int cpu)
	_nonnull_(1, 2);

/* The record at the cursor, which moves on, or NULL at the end. Records live as long as the log. */
const struct oracle_record *oracle_cursor__next(struct oracle_cursor *cur) _nonnull_(1);
const struct oracle_record *oracle_cursor__peek(const struct oracle_cursor *cur) _nonnull_(1);

/* All CPUs, the record with the smallest TSC first (of equal ones that of the lower CPU). */
struct oracle_merge {
	unsigned int nr_cpus;
	struct oracle_cursor *cpus; /* the place in each CPU, to look ahead from */
};

int oracle_merge__init(struct oracle_merge *m, const struct oracle_log *log) _must_check_ _nonnull_(1, 2);
const struct oracle_record *oracle_merge__next(struct oracle_merge *m) _nonnull_(1);
void oracle_merge__release(struct oracle_merge *m) _nonnull_(1);

/* Whether the record is a branch that ran, not the unit's switching, a mark or a task switch. */
bool oracle_record__is_branch(const struct oracle_record *rec) _nonnull_(1);

/* "JCC", "SYSCALL" ...; "?" for a kind that is not defined. */
const char *oracle_record__kind_name(const struct oracle_record *rec) _nonnull_(1);

DEFINE_CLEANUP(oracle_log, struct oracle_log *, oracle_log__free)
#define _cleanup_oracle_log_ _cleanup_(cleanup__oracle_log)
#define _cleanup_oracle_merge_ _cleanup_(oracle_merge__release)

#endif
