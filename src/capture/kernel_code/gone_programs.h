/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs that were unloaded, until the list of programs knows that: while a file is written nobody may change
 * that list.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CAPTURE_KERNEL_CODE_GONE_PROGRAMS_H
#define AUXBPF_CAPTURE_KERNEL_CODE_GONE_PROGRAMS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "capture/kernel_code/bpf_programs.h"

/* Notes in @gone that the program @id was unloaded at @time, of the events' clock. Look at buf__error(). */
void gone_programs__note(struct buf *gone, uint32_t id, uint64_t time) _nonnull_(1);

/* Tells @programs of what was noted and empties @gone; then forgets programs that were unloaded before @before. */
void gone_programs__forget(struct buf *gone, struct bpf_programs *programs, uint64_t before) _nonnull_(1, 2);

#endif
