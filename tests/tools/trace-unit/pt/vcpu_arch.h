/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a vCPU has on x86: the PT unit, its counters' interrupt, and which handlers there are.
 */
#ifndef VCPU_ARCH_H
#define VCPU_ARCH_H

#include "cpu_model.h"
#include "pt_unit.h"

#define IDT_VECTORS 256u

/* Which handler belongs to which vector, read from the guest when needed. */
struct idt {
	uint64_t base; /* as LIDT loaded it; 0: not seen */
	uint64_t handlers[IDT_VECTORS];
};

struct vcpu_arch {
	struct pt_unit *unit;
	struct perfmon perfmon;
	struct idt idt;
	/* CPUID that QEMU is answering and that is amended behind it. */
	uint32_t cpuid_leaf, cpuid_subleaf;
};

#endif
