// SPDX-License-Identifier: GPL-2.0-only
/* What marks of the guest do. */
#include "vcpu.h"

#include <stdio.h>

static void log_mark(struct vcpu *vcpu, uint64_t ip, uint32_t nr)
{
	struct flow_context context = guest__context(&vcpu->guest);

	oracle__sync(machine.oracle, &vcpu->log, &vcpu->guest);
	oracle__note(machine.oracle, &vcpu->log, ORACLE_MARK, ip, ip, nr, &context, 0);
}

/* The block at __switch_to reports only if it is translated after its address is known. */
static void set_symbol(const struct vcpu *vcpu, uint64_t which, uint64_t value)
{
	if (oracle__set_symbol(machine.oracle, which, value) && which == ORACLE_SYM_SWITCH_TO &&
	    guest__retranslate(&vcpu->guest, value) < 0)
		fprintf(stderr, "trace unit: no memory at __switch_to: the log will not tell tasks apart\n");
}

void vcpu__mark(struct vcpu *vcpu, uint64_t ip, uint32_t mark, uint64_t arg1, uint64_t arg2)
{
	switch (mark) {
	case ORACLE_MARK_START:
		oracle__start(machine.oracle, (enum oracle_start)arg1, (uint32_t)arg2);
		log_mark(vcpu, ip, mark);
		vcpu__update_all(vcpu);
		break;
	case ORACLE_MARK_STOP:
		log_mark(vcpu, ip, mark);
		oracle__stop(machine.oracle);
		vcpu__update(vcpu);
		break;
	case ORACLE_MARK_NOTE:
		log_mark(vcpu, ip, (uint32_t)arg1);
		break;
	case ORACLE_MARK_QUIET:
	case ORACLE_MARK_LOUD:
		oracle__sync(machine.oracle, &vcpu->log, &vcpu->guest);
		oracle__set_quiet(machine.oracle, &vcpu->log, mark == ORACLE_MARK_QUIET);
		vcpu__update(vcpu);
		break;
	case ORACLE_MARK_SET_SYMBOL:
		set_symbol(vcpu, arg1, arg2);
		break;
	default:
		break;
	}
}
