// SPDX-License-Identifier: GPL-2.0-only
#include "vcpu_arm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "guest_arm.h"
#include "shared_sink.h"

#define ESR_EC_SHIFT 26
#define ESR_IL (1u << 25)   /* of the instruction's length: 4 bytes, not 2 */
#define VECTOR_KIND_SHIFT 7 /* bits of a vector's address: what kind of event it is for */

enum vector_kind {
	VECTOR_SYNCHRONOUS,
	VECTOR_IRQ,
	VECTOR_FIQ,
	VECTOR_SYSTEM_ERROR,
};

const char vcpu__target[] = "aarch64";

const enum qemu_plugin_discon_type vcpu__discontinuities =
	(enum qemu_plugin_discon_type)(QEMU_PLUGIN_DISCON_INTERRUPT | QEMU_PLUGIN_DISCON_EXCEPTION);

static uint64_t unit_clock(void *opaque)
{
	return guest__clock();
}

static void unit_irq(void *opaque, bool asserted)
{
	const struct vcpu *vcpu = opaque;

	guest__set_irq(vcpu->index, asserted);
}

static int unit_write(void *opaque, uint64_t address, const void *from, size_t size)
{
	uint64_t physical;

	/* Within a page. */
	if (!qemu_plugin_translate_vaddr(address, &physical))
		return -EFAULT;
	return guest__write_physical(NULL, physical, from, size);
}

static struct ete_unit_ops unit_ops = {
	.clock = unit_clock,
	.irq = unit_irq,
	.write = unit_write,
	.sink_accepts = shared_sink__accepts,
	.sink_write = shared_sink__write,
};

/* NAME=NUMBER; no number is refused, not taken for 0. */
static bool set_number(const char *argument, const char *name, uint64_t max, uint64_t *number)
{
	size_t length = strlen(name);
	char *end;

	if (strncmp(argument, name, length) != 0)
		return false;
	*number = strtoull(argument + length, &end, 10);
	return *number && *number <= max && !*end;
}

bool vcpu__set_option(const char *argument)
{
	return shared_sink__set_option(argument) ||
	       set_number(argument, "sync=", TRCSYNCPR_PERIOD, &unit_ops.sync_period) ||
	       set_number(argument, "time=", UINT64_MAX, &unit_ops.time_period);
}

int vcpu__init_unit(struct vcpu *vcpu)
{
	vcpu->arch.unit = ete_unit__new(&unit_ops, vcpu);
	return vcpu->arch.unit ? 0 : -ENOMEM;
}

bool vcpu__triggered(const struct vcpu *vcpu)
{
	return ete_unit__triggered(vcpu->arch.unit);
}

static bool in_ranges(const struct ete_registers *registers, uint64_t ip, uint64_t ranges)
{
	for (unsigned int i = 0; i < ETE_NR_RANGES; i++)
		if ((ranges & UINT64_C(1) << i) && registers->range[i][0] <= ip &&
		    ip <= registers->range[i][1])
			return true;
	return false;
}

static bool is_traced(const struct ete_registers *registers, uint64_t ip, const struct flow_context *context)
{
	uint64_t include = registers->trcviiectlr & 0xff, exclude = registers->trcviiectlr >> 16 & 0xff;
	bool user = context->level == 0;

	if (!(registers->trcprgctlr & TRCPRGCTLR_EN) || context->mode == A64_MODE_32)
		return false;
	if (registers->trblimitr & TRBLIMITR_E ? registers->trbsr & TRBSR_S : !registers->sink)
		return false;
	if (!(registers->trfcr & (user ? TRFCR_E0TRE : TRFCR_E1TRE)))
		return false;
	if (registers->trcvictlr & (user ? 1u << 20 : 1u << 21))
		return false;
	return (!include || in_ranges(registers, ip, include)) && !in_ranges(registers, ip, exclude);
}

uint8_t vcpu__traced(const struct vcpu *vcpu, uint64_t ip, const struct flow_context *context, uint8_t flag)
{
	struct ete_registers registers;

	if (!ete_unit__triggered(vcpu->arch.unit)) /* the usual case, and quick */
		return 0;
	ete_unit__registers(vcpu->arch.unit, &registers);
	return is_traced(&registers, ip, context) ? flag : 0;
}

static struct flow_context flow_context(void *opaque)
{
	const struct vcpu *vcpu = opaque;

	return guest__context(&vcpu->guest);
}

void vcpu__log_passed(struct vcpu *vcpu, const struct flow_context *context)
{
	uint64_t from = vcpu->arch.passed;
	struct flow_transfer t = {.from = from, .to = from + 4, .taken = true, .before = *context};

	vcpu->arch.passed = 0;
	if (from)
		oracle__transfer(machine.oracle, &vcpu->log, &t, ORACLE_PASSED, 0, ORACLE_TRACED_FROM);
}

static void flow_at(void *opaque, uint64_t ip, const struct flow_context *context)
{
	struct vcpu *vcpu = opaque;

	ete_unit__at(vcpu->arch.unit, ip, context);
	/* The buffer may be full now. */
	if (!ete_unit__triggered(vcpu->arch.unit))
		vcpu__log_passed(vcpu, context);
}

static enum vector_kind vector_kind(uint64_t vector)
{
	return (enum vector_kind)(vector >> VECTOR_KIND_SHIFT & 3);
}

/* Of a synchronous event. */
static unsigned int exception_class(const struct vcpu *vcpu)
{
	return (unsigned int)(guest__read(&vcpu->guest, GUEST_ESR_EL1) >> ESR_EC_SHIFT & 63);
}

static bool is_call(unsigned int ec)
{
	return ec == ESR_EC_SVC || ec == ESR_EC_SVC_32 || ec == ESR_EC_HVC || ec == ESR_EC_SMC;
}

static enum ete_exception synchronous_exception(unsigned int ec)
{
	if (is_call(ec))
		return ETE_EXC_CALL;
	if (ec == ESR_EC_INST_ABORT_LOWER || ec == ESR_EC_INST_ABORT)
		return ETE_EXC_INST_FAULT;
	if (ec == ESR_EC_DATA_ABORT_LOWER || ec == ESR_EC_DATA_ABORT)
		return ETE_EXC_DATA_FAULT;
	if (ec == ESR_EC_PC_ALIGNMENT || ec == ESR_EC_SP_ALIGNMENT)
		return ETE_EXC_ALIGNMENT;
	if (ec == ESR_EC_BRK || (ec >= ESR_EC_BREAKPOINT_LOWER && ec <= ESR_EC_STEP))
		return ETE_EXC_INST_DEBUG;
	if (ec == ESR_EC_WATCHPOINT_LOWER || ec == ESR_EC_WATCHPOINT)
		return ETE_EXC_DATA_DEBUG;
	return ETE_EXC_TRAP;
}

static enum ete_exception exception_of(const struct vcpu *vcpu, uint64_t vector)
{
	switch (vector_kind(vector)) {
	case VECTOR_IRQ:
		return ETE_EXC_IRQ;
	case VECTOR_FIQ:
		return ETE_EXC_FIQ;
	case VECTOR_SYSTEM_ERROR:
		return ETE_EXC_SYSTEM_ERROR;
	case VECTOR_SYNCHRONOUS:
		break;
	}
	return synchronous_exception(exception_class(vcpu));
}

static enum oracle_kind kind_of_branch(enum insn_class class)
{
	static const enum oracle_kind kinds[A64_ISB] = {
		[A64_COND] = ORACLE_JCC,	[A64_JMP] = ORACLE_JMP,		  [A64_CALL] = ORACLE_CALL,
		[A64_IND_JMP] = ORACLE_IND_JMP, [A64_IND_CALL] = ORACLE_IND_CALL, [A64_RET] = ORACLE_RET,
		[A64_ERET] = ORACLE_IRET,
	};

	return kinds[class];
}

/* The event returns to behind the SVC, which is the branch. */
static void log_call(struct vcpu *vcpu, const struct flow_transfer *t, uint8_t flags)
{
	bool compat = guest__is_compat(&t->before);
	struct flow_transfer logged = *t;

	logged.from -= guest__read(&vcpu->guest, GUEST_ESR_EL1) & ESR_IL ? 4 : 2;
	oracle__transfer(machine.oracle, &vcpu->log, &logged, ORACLE_SYSCALL,
			 (uint32_t)guest__read_x(&vcpu->guest, compat ? 7 : 8), flags);
}

static void log_event(struct vcpu *vcpu, const struct flow_transfer *t, uint8_t flags)
{
	bool synchronous = vector_kind(t->to) == VECTOR_SYNCHRONOUS;
	unsigned int ec = synchronous ? exception_class(vcpu) : 0;

	if (is_call(ec))
		log_call(vcpu, t, flags);
	else
		oracle__transfer(machine.oracle, &vcpu->log, t,
				 synchronous ? ORACLE_EXCEPTION : ORACLE_INTERRUPT, ec, flags);
}

/* A branch that led to the next instruction; the log leaves it out, unless trace ends with it or the packets tell
 * where it led to. */
static void pass(struct vcpu *vcpu, const struct flow_transfer *t, uint8_t flags)
{
	vcpu->arch.passed = flags & ORACLE_TRACED_FROM ? t->from : 0;
	if (!(flags & ORACLE_TRACED_TO))
		vcpu__log_passed(vcpu, &t->after);
	else if (flags & ORACLE_SYNCED)
		oracle__note(machine.oracle, &vcpu->log, ORACLE_PASSED, t->from, t->to, 0, &t->before, flags);
}

static void flow_transfer(void *opaque, const struct flow_transfer *t)
{
	struct vcpu *vcpu = opaque;
	bool event = t->kind == FLOW_EVENT, logging = oracle__logging(machine.oracle);
	uint8_t flags = 0;

	if (logging)
		flags = vcpu__traced(vcpu, t->from, &t->before, ORACLE_TRACED_FROM);
	ete_unit__transfer(vcpu->arch.unit, t, event ? exception_of(vcpu, t->to) : 0);
	if (!logging)
		return;
	flags |= vcpu__traced(vcpu, t->to, &t->after, ORACLE_TRACED_TO);
	if (ete_unit__resynced(vcpu->arch.unit))
		flags |= ORACLE_SYNCED;
	if (!event && (!t->taken || t->insn.class == A64_ISB)) {
		pass(vcpu, t, flags);
		return;
	}
	vcpu->arch.passed = 0;
	if (event)
		log_event(vcpu, t, flags);
	else
		oracle__transfer(machine.oracle, &vcpu->log, t, kind_of_branch(t->insn.class), t->nr, flags);
}

/* The space does not decide what is traced. */
static void flow_space(void *opaque, uint64_t ip, const struct flow_context *context,
		       const struct flow_context *old)
{
	struct vcpu *vcpu = opaque;

	ete_unit__space(vcpu->arch.unit, ip, context);
}

const struct flow_ops vcpu__flow_ops = {
	.context = flow_context,
	.at = flow_at,
	.transfer = flow_transfer,
	.space = flow_space,
};

void vcpu__on_space(unsigned int index, void *userdata)
{
	flow__space_write(&machine.vcpus[index].flow);
}

void vcpu__on_32bit_block(unsigned int index, void *address)
{
	/* Never 0: the kernel maps nothing there. */
	machine.vcpus[index].guest.ip_32 = (uintptr_t)address;
}

void vcpu__on_discontinuity(unsigned int index, enum qemu_plugin_discon_type type, uint64_t from, uint64_t to,
			    void *userdata)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	struct flow_context before;

	vcpu->guest.ip_32 = 0;
	/* A call of the firmware (PSCI), which QEMU itself is, is no event. */
	if (!vcpu->ready || !vcpu->flow.synced || from == to)
		return;
	vcpu__take_branch(vcpu, 0);
	guest__interrupted(&vcpu->guest, from, &before);
	flow__event(&vcpu->flow, from, to, &before);
	if (!vcpu__triggered(vcpu))
		vcpu__update(vcpu);
}
