/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An ELF file with the code of the page that the kernel maps into processes with probes in them ("[uprobes]",
 * kernel/events/uprobes.c), for decoders: the code is in no other file.
 *
 * The page begins with the trampoline that probed functions return to. What follows are slots, into one of
 * which the kernel copies a probed instruction that it does not emulate, lets the task execute that one, and
 * comes back. Another task's instruction may be in the slot a microsecond later, so no copy of the page is
 * right for all of a trace. But a decoder is told where the task was after the instruction, and needs to know
 * no more than that it was no branch: the slots are full of instructions of the least length that do nothing.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CAPTURE_PROGRAMS_UPROBE_ELF_H
#define AUXBPF_CAPTURE_PROGRAMS_UPROBE_ELF_H

#include "base/buf.h"
#include "perfdata/record.h"

/* How the kernel calls it, in records and in /proc/PID/maps. */
#define UPROBE_PAGE_NAME "[uprobes]"

#define UPROBE_PAGE_SIZE 4096

/* Where the page is in the file. */
#define UPROBE_PAGE_OFFSET 4096

/* UPROBE_XOL_SLOT_BYTES: what the trampoline has, and each slot. */
#if defined(__x86_64__)
#define UPROBE_SLOT_SIZE 128
#else
#define UPROBE_SLOT_SIZE 4
#endif

/* A trampoline that is nothing but a breakpoint, UPROBE_SWBP_INSN: that of kernels without a better one. */
bool uprobe_elf__is_breakpoint(const uint8_t *trampoline) _nonnull_(1);
void uprobe_elf__fill_breakpoint(uint8_t *trampoline) _nonnull_(1);

/* Makes the file around a trampoline of UPROBE_SLOT_SIZE bytes; its build id is a hash of the page. */
void uprobe_elf__build(const uint8_t *trampoline, struct buf *elf, struct build_id *id) _nonnull_(1, 2, 3);

#endif
