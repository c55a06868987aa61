/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sideband of a recorder that runs for long: recent records as they came, and in place of the older ones
 * the state that they led to.
 *
 *	records of the rings -> add -> recent stretch, per ring
 *	                                  | fold: all that is older than a time
 *	                                  v
 *	   tasks and mappings -> task_table; about the kernel -> kept; switches, AUX, LOST, ... -> dropped
 *
 * A snapshot is made of the state, what was kept, and the recent stretch of each ring. So memory grows with
 * what lives, with the length of that stretch, which has a limit, and with how much of the kernel's code is
 * not as it was at the start (kernel_log.h).
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
 * For @nr_rings rings whose events have @sample_type; of mappings at most @max_maps bytes of records are kept, in
 * a way that is fair to processes (task_table__new()). 0 or -ENOMEM.
 */
int sideband_log__new(unsigned int nr_rings, uint64_t sample_type, size_t max_maps,
		      struct sideband_log **ret) _must_check_ _nonnull_(4);
void sideband_log__free(struct sideband_log *log);

/* Takes synthesised records of the tasks that lived before the first record. 0 or -ENOMEM. */
int sideband_log__seed(struct sideband_log *log, struct span records) _must_check_ _nonnull_(1);

/*
 * Takes whole records of the ring @ring, in ring order, which follow those it has. 0, -ENOMEM (nothing is
 * taken), or -EBADMSG where something is no record; what is before that is taken, the rest is not.
 */
int sideband_log__add(struct sideband_log *log, unsigned int ring, struct span records) _must_check_
	_nonnull_(1);

/*
 * The same for records that came while there was no trace in the ring's CPU: of their context switches only
 * the last tells something that a decoder asks for.
 */
int sideband_log__add_idle(struct sideband_log *log, unsigned int ring, struct span records) _must_check_
	_nonnull_(1);

/*
 * When records were lost, what there is must be read anew, which may take a while. This begins it, at @time: what
 * later records tell is known better than what is read.
 */
void sideband_log__begin_refresh(struct sideband_log *log, uint64_t time) _nonnull_(1);

/* Ends it where what there is cannot be read. */
void sideband_log__give_up_refresh(struct sideband_log *log) _nonnull_(1);

/*
 * Ends it: @living are all tasks that lived then, @programs records, with trailers, by which the BPF programs that
 * there were would have come, and all that came before the begin was added. Who is not among them has ended. 0 or
 * -ENOMEM.
 */
int sideband_log__refresh(struct sideband_log *log, const struct task_table *living,
			  struct span programs) _must_check_ _nonnull_(1, 2);

/*
 * Folds all records older than @before, a time of the events' clock, in order of time. Of each ring the last
 * context switch before that stays: it tells who ran from then on; so does an EXIT behind it, as whoever ends
 * still runs, until a record of another task comes. 0, or -ENOMEM; then the records may still be
 * there, and the state be ahead of them.
 */
int sideband_log__fold(struct sideband_log *log, uint64_t before) _must_check_ _nonnull_(1);

/* Whether the recent stretch of a ring has more than @max bytes. */
bool sideband_log__is_over(const struct sideband_log *log, size_t max) _nonnull_(1);

/*
 * If so, folds until each has at most about half of that. @until is a time of before all rings were drained:
 * nothing from then on is folded, as an older record may still be in another ring. 0 or -ENOMEM.
 */
int sideband_log__limit(struct sideband_log *log, size_t max, uint64_t until) _must_check_ _nonnull_(1);

/* How many mappings were left out because processes have too many. */
uint64_t sideband_log__left_out(const struct sideband_log *log) _nonnull_(1);

/* What is older than this was folded because there was more; 0: nothing was. */
uint64_t sideband_log__limited(const struct sideband_log *log) _nonnull_(1);

/*
 * A log of its own with what this one knew at @until, nothing of later records, and with what was before
 * @from folded: of the kernel only what held then. 0 or -ENOMEM.
 */
int sideband_log__copy(const struct sideband_log *log, uint64_t from, uint64_t until,
		       struct sideband_log **ret) _must_check_ _nonnull_(1, 4);

/*
 * Appends the state of tasks and mappings when the oldest recent record came, as synthesised records with
 * @trailer zero bytes each. An error is the buffer's.
 */
void sideband_log__add_state(const struct sideband_log *log, struct buf *b, size_t trailer) _nonnull_(1, 2);

/*
 * The folded records about the kernel, oldest first, as they came, but not all that no longer holds: KSYMBOL,
 * BPF_EVENT, TEXT_POKE, MMAP of the kernel, and what is sent once at the start of an AUX event: ITRACE_START,
 * AUX_OUTPUT_HW_ID. As good as the records of one more ring. Until the next call that takes or folds records.
 */
struct span sideband_log__kernel(const struct sideband_log *log) _nonnull_(1);

/* The records of the ring @ring that were not folded. Until the next call that takes or folds records. */
struct span sideband_log__recent(const struct sideband_log *log, unsigned int ring) _nonnull_(1);

DEFINE_CLEANUP(sideband_log, struct sideband_log *, sideband_log__free)

#endif
