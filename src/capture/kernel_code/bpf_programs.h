/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loaded BPF programs: the place, code, name, types and lines of each. Seccomp filters are among them, as
 * programs with ids that the kernel does not give.
 *
 * perf decodes a program's code from the feature section BPF_PROG_INFO, to which KSYMBOL and BPF_EVENT
 * records lead it (machine__process_bpf_event_load() and bpf_read(), tools/perf/util). For every function of
 * a program it reads from the start of the program's code, which is right for the first function only. So
 * here each function is a program of its own in the file: the first has the kernel's id, the others have ids
 * that the kernel does not give.
 */
#ifndef AUXBPF_CAPTURE_KERNEL_CODE_BPF_PROGRAMS_H
#define AUXBPF_CAPTURE_KERNEL_CODE_BPF_PROGRAMS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "capture/kernel_code/kcore_layout.h"
#include "capture/kernel_code/seccomp_filters.h"

struct bpf_programs;

/*
 * Makes an empty list. @filters, which must outlive it, finds seccomp filters, unless it is NULL. At most
 * 1,024 filters are in the list, with 4 MiB of code: then the oldest give way, because any user may make as
 * many as he likes.
 */
int bpf_programs__new(struct seccomp_filters *filters, struct bpf_programs **ret) _must_check_ _nonnull_(2);
void bpf_programs__free(struct bpf_programs *programs);

DEFINE_CLEANUP(bpf_programs, struct bpf_programs *, bpf_programs__free)

/*
 * Adds every program that the kernel has and the list has not. A program that vanishes meanwhile, or whose
 * code cannot be seen, is left out. So is one with code where the copy of kcore (@copied, may be NULL) has a
 * segment: it was loaded after the copy, and perf would take the segment, and with it the kernel's whole
 * image, for its code. It is no error if the kernel does not let us look; -ENOMEM is one.
 *
 * Programs of the list that the kernel no longer has count as unloaded at @now, of the events' clock, until
 * bpf_programs__note_gone() knows better. 0: the time is not known, and they do not count.
 */
int bpf_programs__read(struct bpf_programs *programs, const struct kcore_layout *copied,
		       uint64_t now) _must_check_ _nonnull_(1);

/* Whether a task has got a seccomp filter since the list was read. Cheap. */
bool bpf_programs__has_new_filters(const struct bpf_programs *programs) _nonnull_(1);

/* Notes that the program with the kernel's number @prog_id was unloaded at @time, of the events' clock. */
void bpf_programs__note_gone(struct bpf_programs *programs, uint32_t prog_id, uint64_t time) _nonnull_(1);

/* Drops programs that were unloaded before @before: no older trace will be asked for. */
void bpf_programs__forget(struct bpf_programs *programs, uint64_t before) _nonnull_(1);

/*
 * Appends the records by which each program that the kernel has now would have come. A program whose end was
 * told is not among them, because nobody gets a descriptor of it any more. 0, -ENOMEM, or why the kernel does
 * not let us look.
 */
int bpf_programs__add_living(struct buf *b, size_t trailer) _must_check_ _nonnull_(1);

/* Appends KSYMBOL and BPF_EVENT of every function of programs, seccomp filters left out. */
void bpf_programs__add_records(const struct bpf_programs *programs, struct buf *b, size_t trailer)
	_nonnull_(1, 2);

/*
 * Appends the same records of the filters after the first @told that were found, and sets @told to how many
 * were found. No record of the kernel tells of them. These records have no time: a reader heeds them as it
 * comes to them.
 */
void bpf_programs__add_filters(const struct bpf_programs *programs, uint64_t *told, struct buf *b,
			       size_t trailer) _nonnull_(1, 2, 3);

/*
 * Appends what must follow the kernel's own @record in the file: if it tells that a program was loaded, a
 * copy for each further function of the program.
 */
void bpf_programs__add_after(const struct bpf_programs *programs, const struct perf_event_header *record,
			     struct buf *b) _nonnull_(1, 2, 3);

/* The ranges of the code of all programs. */
const struct code_range *bpf_programs__ranges(const struct bpf_programs *programs, size_t *nr)
	_nonnull_(1, 2);

/* Appends the payload of FEATURE_BPF_PROG_INFO; nothing if the list is empty. */
void bpf_programs__add_info(const struct bpf_programs *programs, struct buf *b) _nonnull_(1, 2);

/* Appends the payload of FEATURE_BPF_BTF, the types of these programs; nothing if none has any. */
void bpf_programs__add_types(const struct bpf_programs *programs, struct buf *b) _nonnull_(1, 2);

#endif
