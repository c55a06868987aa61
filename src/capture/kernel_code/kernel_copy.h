/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel in a capture: records of what it has mapped, its BPF programs, and the copy of its code
 * (capture/kernel_code/kcore_copy.h). The copy takes long, so a thread can make it while the trace already
 * runs. Then code that was patched meanwhile is put back in the copy, and a decoder patches it again when it
 * comes to the record of that.
 */
#ifndef AUXBPF_CAPTURE_KERNEL_CODE_KERNEL_COPY_H
#define AUXBPF_CAPTURE_KERNEL_CODE_KERNEL_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/kernel_code/bpf_programs.h"
#include "capture/kernel_code/kcore_copy.h"
#include "files/build_ids.h"
#include "files/stage.h"

struct kernel_copy;

struct kernel_copy_opts {
	const char *root;		   /* as of a capture file; this and the next outlive the copy */
	const struct stage_target *target; /* where the capture goes */
	uint64_t sample_type;
	bool code; /* copy it; else only records are made */
};

/* Opens the files. Logs; 0 or a negative errno. */
int kernel_copy__new(const struct kernel_copy_opts *opts, struct kernel_copy **ret) _must_check_
	_nonnull_(1, 2);

/* Waits for the thread if there is one. */
void kernel_copy__free(struct kernel_copy *copy);

DEFINE_CLEANUP(kernel_copy, struct kernel_copy *, kernel_copy__free)

/* Makes the copy now. Logs; 0 or a negative errno. */
int kernel_copy__make(struct kernel_copy *copy) _must_check_ _nonnull_(1);

/*
 * Starts a thread that makes the copy. From here to kernel_copy__settle() kernel_copy__follow() must be shown
 * all records of the rings, also those of before, and only the descriptor may be asked for. Logs; 0 or a
 * negative errno.
 */
int kernel_copy__start(struct kernel_copy *copy) _must_check_ _nonnull_(1);

/* A descriptor that polls readable when the thread is done. */
int kernel_copy__fd(const struct kernel_copy *copy) _nonnull_(1);

/* Takes whole records of one ring. 0 or -ENOMEM. */
int kernel_copy__follow(struct kernel_copy *copy, struct span records) _must_check_ _nonnull_(1);

/*
 * Waits until the thread is done, and puts back what was patched since the time @since, that of the thread's
 * start. Call it once, after kernel_copy__follow() has been shown all records of the time that the copy took.
 * 0, or a negative errno (logged), also that of the thread.
 */
int kernel_copy__settle(struct kernel_copy *copy, uint64_t since) _must_check_ _nonnull_(1);

/* The parts of the copy, which they belong to. */
struct span kernel_copy__records(const struct kernel_copy *copy) _nonnull_(1);
const struct build_id_set *kernel_copy__ids(const struct kernel_copy *copy) _nonnull_(1);
struct bpf_programs *kernel_copy__programs(const struct kernel_copy *copy) _nonnull_(1);
const struct kcore_layout *kernel_copy__layout(const struct kernel_copy *copy) _nonnull_(1);
const struct kcore_files *kernel_copy__files(const struct kernel_copy *copy) _nonnull_(1);

#endif
