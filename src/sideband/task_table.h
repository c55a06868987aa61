/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tasks that live and what they have mapped, folded from perf records. A recorder that runs for weeks
 * keeps this in place of all the records: its memory grows with what lives, not with what happened.
 *
 * The records are those of an event with attr.task, .comm, .comm_exec, .mmap2 and without .mmap_data, for
 * which the kernel sends executable mappings only (kernel/events/core.c, perf_event_mmap_match()). They mean:
 *
 *	FORK	a thread joins its process; a new process has its parent's mappings and name, unless
 *		PERF_RECORD_MISC_FORK_EXEC says that its own follow (synth_tasks.c). If a process of that
 *		number is known, it has ended unseen and is replaced.
 *	EXIT	the thread goes, and with the last one the process. The first thread may go before the others.
 *	COMM	a task gets a name. With PERF_RECORD_MISC_COMM_EXEC the mappings go, and so do all other
 *		threads. Those that execve() ends send an EXIT. But a thread that calls it takes over the
 *		number of the first thread, and its own number is gone without a record (fs/exec.c,
 *		de_thread()).
 *	NAMESPACES	a task gets these namespaces; a new task has its parent's.
 *	MMAP2	an executable mapping takes the place of what was there; MMAP has less detail.
 *
 * Records of a task that is not known are taken if they prove that it lives: its FORK was lost, or comes a
 * little later. An EXIT of an unknown task does nothing.
 */
#ifndef AUXBPF_SIDEBAND_TASK_TABLE_H
#define AUXBPF_SIDEBAND_TASK_TABLE_H

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/pid_set.h"

struct task_table;

/*
 * Makes a table that keeps mappings of at most @max bytes of MMAP2 records. When there are more, the process
 * with most of them loses all of its own, and from then on has no more than its share. The share is the same
 * for all, so that a process with few mappings keeps them, whatever others do. What such a process replaces,
 * or loses by an exec or its end, is given back. Returns 0 or -ENOMEM.
 */
int task_table__new(size_t max, struct task_table **ret) _must_check_ _nonnull_(2);
void task_table__free(struct task_table *table);

/*
 * Folds whole records in, in order of time, also the synthesised ones of what lived before. Records of other
 * types and about the kernel do nothing. Returns 0, or -ENOMEM: then some tasks or mappings may be missing.
 */
int task_table__apply(struct task_table *table, struct span records) _must_check_ _nonnull_(1);

/*
 * Appends FORK, NAMESPACES if they are known, and COMM of every task, and MMAP2 of the mappings of every
 * process, as synth__tasks() would, with @trailer zero bytes each (record__trailer_len()). Processes come in
 * order of their numbers. An error is the buffer's.
 */
void task_table__add_records(const struct task_table *table, struct buf *b, size_t trailer) _nonnull_(1, 2);

/*
 * Makes a table of its own with what @table knows, which may be another thread's. Both share the mappings.
 * Returns 0 or -ENOMEM.
 */
int task_table__copy(const struct task_table *table, struct task_table **ret) _must_check_ _nonnull_(1, 2);

/*
 * Appends the records that lead from what @known has to what @living has. They are an EXIT, at @time, of each
 * task that is gone, and records as of task_table__add_records() for each process that is not the same as
 * before and for each new thread. Tasks in @told are left out. Mappings that @living lacks are no difference,
 * since no record tells of a mapping's end. Nor are those of a process that has only its share in @known, as
 * it has very many. An error is the buffer's.
 */
void task_table__add_changes(const struct task_table *known, const struct task_table *living,
			     const struct pid_set *told, uint64_t time, struct buf *b, size_t trailer)
	_nonnull_(1, 2, 3, 5);

/* Returns how many mappings were left out for lack of room since the table was made. */
uint64_t task_table__left_out(const struct task_table *table) _nonnull_(1);

DEFINE_CLEANUP(task_table, struct task_table *, task_table__free)

#endif
