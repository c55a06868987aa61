/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an instruction does to the flow of control, as both architectures answer it. Their insn.h defines a
 * struct insn and how it is made.
 */
#ifndef INSN_FLOW_H
#define INSN_FLOW_H

#include <stdbool.h>
#include <stdint.h>

struct insn;

/** Is it one that a trace unit tells of: after which flow may go elsewhere than to the next one, or Arm's ISB? */
bool insn__is_branch(const struct insn *insn);

/** Can it change privilege or mode: by loading CS, or by a return from an exception? */
bool insn__is_far(const struct insn *insn);

/** Is it one that can be not taken, and then goes on at the next instruction? */
bool insn__is_conditional(const struct insn *insn);

/** Does it arrive as an event, of which it is the cause? None of Arm's: there an event tells its cause itself. */
bool insn__is_trap(const struct insn *insn);

/** Can it fault, so that it did not retire? Of Arm's branches, one that authenticates its target can. */
bool insn__may_fault(const struct insn *insn);

/** Is it a branch that writes to memory? */
bool insn__writes_memory(const struct insn *insn);

/** The instruction behind the one at ip. */
uint64_t insn__next(const struct insn *insn, uint64_t ip);

/** Where a direct branch at ip goes when taken. */
uint64_t insn__target(const struct insn *insn, uint64_t ip);

#endif
