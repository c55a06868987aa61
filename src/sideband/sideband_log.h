/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the sideband of a recorder that runs for long: recent records as they came, and in place of the older
 * ones the state to which they led.
 *
 *	records of the rings -> add -> recent stretch, per ring
 *	                                  | fold: all that is older than a time
 *	                                  v
 *	   tasks and mappings -> task_table; about the kernel -> kept; switches, AUX, LOST, ... -> dropped
 *
 * A snapshot is made of the state, the records that were kept, and the recent stretch of each ring. So memory
 * grows with what lives, with the length of that stretch, which has a limit, and with how much of the
 * kernel's code differs from the start (kernel_log.h).
 */
#ifndef AUXBPF_SIDEBAND_SIDEBAND_LOG_H
#define AUXBPF_SIDEBAND_SIDEBAND_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "sideband/task_table.h"

struct sideband_log;

/*
 * Makes a log for @nr_rings rings whose events have @sample_type. It keeps mappings of at most @max_maps
 * bytes of records, in a way that is fair to processes (task_table__new()). Returns 0 or -ENOMEM.
 */
int sideband_log__new(unsigned int nr_rings, uint64_t sample_type, size_t max_maps,
		      struct sideband_log **ret) _must_check_ _nonnull_(4);
void sideband_log__free(struct sideband_log *log);

/* Takes synthesised records of the tasks that lived before the first record. Returns 0 or -ENOMEM. */
int sideband_log__seed(struct sideband_log *log, struct span records) _must_check_ _nonnull_(1);

/*
 * Takes whole records of the ring @ring, in ring order, which follow those that the log has. Returns 0,
 * -ENOMEM (nothing is taken), or -EBADMSG if something is no record: what is before that is taken, the rest
 * is not.
 */
int sideband_log__add(struct sideband_log *log, unsigned int ring, struct span records) _must_check_
	_nonnull_(1);

/*
 * Takes records as sideband_log__add() does, from a time without trace in the ring's CPU. Of their context
 * switches it takes only the last, as a decoder asks for no other.
 */
int sideband_log__add_idle(struct sideband_log *log, unsigned int ring, struct span records) _must_check_
	_nonnull_(1);

/*
 * Begins a refresh at @time. After records were lost, the state must be read anew, which may take a while.
 * What records from @time on say counts more than what is read.
 */
void sideband_log__begin_refresh(struct sideband_log *log, uint64_t time) _nonnull_(1);

/* Ends a refresh whose state could not be read. */
void sideband_log__give_up_refresh(struct sideband_log *log) _nonnull_(1);

/*
 * Ends a refresh. @living has all tasks that lived at that time. @programs are the records, with trailers,
 * that would have come with the BPF programs that existed then. Tasks and programs that are not among these
 * have ended. All records from before the begin of the refresh must have been added. Returns 0 or -ENOMEM.
 */
int sideband_log__refresh(struct sideband_log *log, const struct task_table *living,
			  struct span programs) _must_check_ _nonnull_(1, 2);

/*
 * Folds all records older than @before, a time of the events' clock, in order of time. In each ring the last
 * context switch before that stays, which tells who ran from then on. An EXIT behind it stays as well until a
 * record of another task comes, since a task that ends still runs. Returns 0, or -ENOMEM: then the records
 * may still be there, and the state be ahead of them.
 */
int sideband_log__fold(struct sideband_log *log, uint64_t before) _must_check_ _nonnull_(1);

/* Tells whether the recent stretch of a ring has more than @max bytes. */
bool sideband_log__is_over(const struct sideband_log *log, size_t max) _nonnull_(1);

/*
 * Folds records if the recent stretch of a ring has more than @max bytes, until each has at most about half
 * of that. @until is a time from before all rings were drained: nothing from then on is folded, as an older
 * record may still be in another ring. Returns 0 or -ENOMEM.
 */
int sideband_log__limit(struct sideband_log *log, size_t max, uint64_t until) _must_check_ _nonnull_(1);

/* Returns how many mappings were left out because processes have too many. */
uint64_t sideband_log__left_out(const struct sideband_log *log) _nonnull_(1);

/* Returns the time before which records were folded for lack of room; 0: none were. */
uint64_t sideband_log__limited(const struct sideband_log *log) _nonnull_(1);

/*
 * Makes a log of its own with what this one knew at @until, without later records. What was before @from is
 * folded: of the kernel the copy has only what held at @from. Returns 0 or -ENOMEM.
 */
int sideband_log__copy(const struct sideband_log *log, uint64_t from, uint64_t until,
		       struct sideband_log **ret) _must_check_ _nonnull_(1, 4);

/*
 * Appends the state of tasks and mappings at the time of the oldest recent record, as synthesised records
 * with @trailer zero bytes each. An error is the buffer's.
 */
void sideband_log__add_state(const struct sideband_log *log, struct buf *b, size_t trailer) _nonnull_(1, 2);

/*
 * Returns the folded records about the kernel, oldest first, as they came. They are KSYMBOL, BPF_EVENT,
 * TEXT_POKE, MMAP of the kernel, and those that are sent once at the start of an AUX event: ITRACE_START,
 * AUX_OUTPUT_HW_ID. Some that no longer hold may be left out. They can be used like the records of one more
 * ring, and are valid until the next call that takes or folds records.
 */
struct span sideband_log__kernel(const struct sideband_log *log) _nonnull_(1);

/*
 * Returns the records of the ring @ring that were not folded. They are valid until the next call that takes
 * or folds records.
 */
struct span sideband_log__recent(const struct sideband_log *log, unsigned int ring) _nonnull_(1);

DEFINE_CLEANUP(sideband_log, struct sideband_log *, sideband_log__free)

#endif
