/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks at the first instruction of a probed function.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_SYMBOLS_UPROBE_INSN_H
#define AUXBPF_SYMBOLS_UPROBE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* So many bytes of the instruction are enough to tell. */
#define UPROBE_INSN_HEAD 6

/*
 * Tells whether the instruction is a branch that the kernel has executed out of line, in a page of its own
 * (see capture/programs/uprobe_elf.h), and does not emulate: on x86 returns, indirect jumps and indirect
 * calls (arch/x86/kernel/uprobes.c, arch_uprobe_analyze_insn()), on arm64 none
 * (arch/arm64/kernel/probes/decode-insn.c).
 */
bool uprobe_insn__is_branch(const uint8_t *code, size_t len) _nonnull_(1);

#endif
