/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a vCPU has on Arm: the ETE.
 */
#ifndef VCPU_ARCH_H
#define VCPU_ARCH_H

#include "ete_unit.h"

struct vcpu_arch {
	struct ete_unit *unit;
	bool counter_read; /* the last instruction of the last block reads the virtual counter */
	uint64_t passed;   /* while a log is kept: what of ORACLE_PASSED the trace told last, or 0 */
};

#endif
