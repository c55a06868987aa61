/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Callbacks that only Arm instructions have.
 */
#ifndef VCPU_ARM_H
#define VCPU_ARM_H

#include "vcpu.h"

void vcpu__on_space(unsigned int index, void *userdata);      /* MSR CONTEXTIDR_EL1 */
void vcpu__on_32bit_block(unsigned int index, void *address); /* before vcpu__on_block() */

/** Trace ended without a branch: what it told last goes to the log. */
void vcpu__log_passed(struct vcpu *vcpu, const struct flow_context *context);

/* emulate.c: instructions that the plugin runs instead of QEMU, or behind it; may set the PC. site: site.h */
void emulate__mrs(unsigned int index, void *site);
void emulate__mrs_dfr0(unsigned int index, void *site);
void emulate__msr(unsigned int index, void *site);
void emulate__mark(unsigned int index, void *site);
void emulate__counter_read(unsigned int index, void *userdata);
void emulate__counter_was_read(unsigned int index, void *site); /* site: of the MRS before */

#endif
