/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which tasks live and what they have mapped, folded from perf records: what a recorder that runs for weeks
 * keeps in place of all the records. Its memory grows with what lives, not with what happened.
 *
 * The records are those of an event with attr.task, .comm, .comm_exec, .mmap2 and without .mmap_data, for
 * which the kernel tells of executable mappings only (kernel/events/core.c, perf_event_mmap_match()). What
 * they mean:
 *
 *	FORK	a thread joins its process; a new process has its parent's mappings and name, unless
 *		PERF_RECORD_MISC_FORK_EXEC says that its own follow (synth_tasks.c). A process of that number
 *		that is known has ended unseen and is replaced.
 *	EXIT	the thread goes, and with the last one the process. The first thread may go before the others.
 *	COMM	a name. With PERF_RECORD_MISC_COMM_EXEC the mappings go, and so do all other threads: those
 *		that execve() ends send an EXIT, but a thread that calls it takes over the number of the first
 *		thread and its own number is gone without a record (fs/exec.c, de_thread()).
 *	NAMESPACES	those of the task; a new one has its parent's.
 *	MMAP2	an executable mapping in place of what was there; MMAP the same with less detail.
 *
 * Records of a task that is not known are taken as far as they prove that it lives: its FORK was lost, or
 * comes a little later. An EXIT of an unknown task is nothing.
 */
#ifndef AUXBPF_SIDEBAND_TASK_TABLE_H
#define AUXBPF_SIDEBAND_TASK_TABLE_H

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/pid_set.h"

struct task_table;

/*
 * One that keeps mappings of at most @max bytes of MMAP2 records. When there are more, the process with most of
 * them loses all of its own, and has from then on no more than its share, which is the same for all: who maps
 * little keeps what it has, whatever others do. What such a process no longer uses, executes away or ends with is
 * given back. 0 or -ENOMEM.
 */
int task_table__new(size_t max, struct task_table **ret) _must_check_ _nonnull_(2);
void task_table__free(struct task_table *table);

/*
 * Folds whole records in, in order of time; records of other types and about the kernel do nothing. Also for
 * the synthesised records of what lived before. 0 or -ENOMEM, then some of them may be missing.
 */
int task_table__apply(struct task_table *table, struct span records) _must_check_ _nonnull_(1);

/*
 * Appends FORK, NAMESPACES if they are known, and COMM of every task, and MMAP2 of the mappings of every
 * process, as synth__tasks() would, with @trailer zero bytes each (record__trailer_len()). Processes come in
 * order of their numbers. An error is the buffer's.
 */
void task_table__add_records(const struct task_table *table, struct buf *b, size_t trailer) _nonnull_(1, 2);

/*
 * A table of its own, which another thread may have, with what @table knows; what is mapped they share. 0 or -ENOMEM.
 */
int task_table__copy(const struct task_table *table, struct task_table **ret) _must_check_ _nonnull_(1, 2);

/*
 * Appends what must be told to who knows @known for it to know @living, too: EXIT, at @time, of tasks that are not
 * there any more, and records as by task_table__add_records() of each process that is another one than before, and of
 * each thread that is new. Tasks in @told are left alone. Mappings that @living has not are no difference: nothing tells of their end. Nor are any of
 * a process that has no more than its share, as it has very many. An error is the buffer's.
 */
void task_table__add_changes(const struct task_table *known, const struct task_table *living,
			     const struct pid_set *told, uint64_t time, struct buf *b, size_t trailer)
	_nonnull_(1, 2, 3, 5);

/* How many tasks (threads) are known. */
size_t task_table__nr_tasks(const struct task_table *table) _nonnull_(1);

/* How many mappings were left out because there were too many, since it was made. */
uint64_t task_table__left_out(const struct task_table *table) _nonnull_(1);

DEFINE_CLEANUP(task_table, struct task_table *, task_table__free)

#endif
