// SPDX-License-Identifier: GPL-2.0-only
/* Which A64 instructions the plugin watches or runs itself. */
#include "guest_arm.h"
#include "shared_sink.h"
#include "site.h"
#include "vcpu_arm.h"

#define CONTEXTIDR_EL1 A64_SYSREG(3, 0, 13, 0, 1)
#define ID_AA64DFR0_EL1 A64_SYSREG(3, 0, 0, 5, 0)
#define CNTVCT_EL0 A64_SYSREG(3, 3, 14, 0, 2)
#define CNTVCTSS_EL0 A64_SYSREG(3, 3, 14, 0, 6)

/* Which vCPU translates is not said, but its registers can be read, and what a unit has they have all. */
static bool is_of_unit(uint16_t sysreg)
{
	uint64_t unused;

	return ete_unit__read(machine.vcpus[0].arch.unit, sysreg, &unused) == 0;
}

static bool reads_counter(const struct insn *insn)
{
	return insn->class == A64_MRS && (insn->sysreg == CNTVCT_EL0 || insn->sysreg == CNTVCTSS_EL0);
}

/* Where a driver waits for what it has written to a device to have an effect: ISB, WFET, WFIT. */
static bool waits(const struct insn *insn)
{
	return insn->class == A64_ISB || (insn->word & ~0x3fu) == 0xd5031000;
}

static void hook(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t callback, void *site)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, callback, QEMU_PLUGIN_CB_RW_REGS_PC, site);
}

/* Instruments one instruction. Returns true if its callback needs the block's IP. */
static bool translate_insn(struct qemu_plugin_insn *insn, const struct insn *decoded, void *site)
{
	bool reads = decoded->class == A64_MRS, writes = decoded->class == A64_MSR;

	if (waits(decoded) && shared_sink__exists())
		qemu_plugin_register_vcpu_insn_exec_cb(insn, shared_sink__settle, QEMU_PLUGIN_CB_NO_REGS,
						       NULL);
	if (insn__is_branch(decoded)) {
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_STORE_U64,
								    machine.branch, (uintptr_t)site);
		return false;
	}
	if (decoded->class == A64_MARK)
		hook(insn, emulate__mark, site);
	else if (reads && decoded->sysreg == ID_AA64DFR0_EL1)
		hook(insn, emulate__mrs_dfr0, site);
	else if ((reads || writes) && is_of_unit(decoded->sysreg))
		hook(insn, reads ? emulate__mrs : emulate__msr, site);
	else if (reads_counter(decoded))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, emulate__counter_read, QEMU_PLUGIN_CB_NO_REGS,
						       NULL);
	else if (writes && decoded->sysreg == CONTEXTIDR_EL1)
		qemu_plugin_register_vcpu_insn_exec_cond_cb(insn, vcpu__on_space, QEMU_PLUGIN_CB_NO_REGS,
							    QEMU_PLUGIN_COND_NE, machine.active, 0, NULL);
	else
		return false;
	return true;
}

/* A read of the counter ends QEMU's blocks: it is looked at by the block behind it. */
static void translate_first(struct qemu_plugin_tb *tb, uint64_t start)
{
	struct insn before;
	uint32_t word;

	if (guest__read_virtual(start - sizeof(word), &word, sizeof(word)) < 0)
		return;
	insn__classify(word, &before);
	if (reads_counter(&before))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, emulate__counter_was_read, QEMU_PLUGIN_CB_R_REGS,
						     site__pack(&before, 0));
}

bool vcpu__translate(struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	uint64_t start = qemu_plugin_tb_vaddr(tb);
	bool needs_ip = false;

	if (guest__translates_32(&machine.vcpus[0].guest, start)) {
		qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, vcpu__on_32bit_block, QEMU_PLUGIN_CB_NO_REGS,
							  QEMU_PLUGIN_COND_NE, machine.active, 0,
							  (void *)(uintptr_t)start);
		return false;
	}
	translate_first(tb, start);
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t offset = qemu_plugin_insn_vaddr(insn) - start;
		struct insn decoded;
		uint32_t word = 0;

		qemu_plugin_insn_data(insn, &word, sizeof(word));
		if (offset > SITE_MAX_OFFSET)
			g_error("trace unit: a translated block is longer than expected");
		insn__classify(word, &decoded);
		needs_ip |= translate_insn(insn, &decoded, site__pack(&decoded, (uint32_t)offset));
	}
	return needs_ip;
}
