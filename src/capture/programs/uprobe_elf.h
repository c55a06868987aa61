/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes an ELF file, for decoders, with the code of the page that the kernel maps into processes with probes
 * in them ("[uprobes]", kernel/events/uprobes.c). That code is in no other file.
 *
 * The page begins with the trampoline that probed functions return to. Slots follow: the kernel copies a
 * probed instruction that it does not emulate into one of them, lets the task execute it there, and takes the
 * task back. Another task's instruction may be in the slot a microsecond later, so no copy of the page is
 * right for all of a trace. But a decoder is told where the task was after the instruction, and needs to know
 * no more than that it was no branch. So the slots are filled with instructions of the least length that do
 * nothing.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CAPTURE_PROGRAMS_UPROBE_ELF_H
#define AUXBPF_CAPTURE_PROGRAMS_UPROBE_ELF_H

#include "base/buf.h"
#include "perfdata/record.h"

/* The kernel's name of the page, in records and in /proc/PID/maps. */
#define UPROBE_PAGE_NAME "[uprobes]"

#define UPROBE_PAGE_SIZE 4096

/* The offset of the page in the file. */
#define UPROBE_PAGE_OFFSET 4096

/* The size of the trampoline, and of each slot: the kernel's UPROBE_XOL_SLOT_BYTES. */
#if defined(__x86_64__)
#define UPROBE_SLOT_SIZE 128
#else
#define UPROBE_SLOT_SIZE 4
#endif

/*
 * Tell whether a trampoline is nothing but a breakpoint, and make one: UPROBE_SWBP_INSN, which kernels
 * without a better trampoline have.
 */
bool uprobe_elf__is_breakpoint(const uint8_t *trampoline) _nonnull_(1);
void uprobe_elf__fill_breakpoint(uint8_t *trampoline) _nonnull_(1);

/* Makes the file around a trampoline of UPROBE_SLOT_SIZE bytes; its build id is a hash of the page. */
void uprobe_elf__build(const uint8_t *trampoline, struct buf *elf, struct build_id *id) _nonnull_(1, 2, 3);

#endif
