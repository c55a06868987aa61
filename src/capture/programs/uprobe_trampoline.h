/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the code to which the running kernel makes probed functions return. */
#ifndef AUXBPF_CAPTURE_PROGRAMS_UPROBE_TRAMPOLINE_H
#define AUXBPF_CAPTURE_PROGRAMS_UPROBE_TRAMPOLINE_H

#include <stdint.h>

#include "base/cleanup.h"
#include "capture/programs/uprobe_elf.h"

/*
 * Reads the trampoline, UPROBE_SLOT_SIZE bytes, which is the same in all processes. A process without probes
 * sees it after a function of its own was probed, and this process does that. (32-bit processes have a
 * breakpoint there, for which no decoder needs code.) It cannot be read in other processes: the page is
 * VM_IO. On arm64 nobody can read it, and it is a breakpoint. @root is that of /sys. A negative errno if
 * probes cannot be had.
 */
int uprobe_trampoline__read(const char *root, uint8_t *ret) _must_check_ _nonnull_(1, 2);

#endif
