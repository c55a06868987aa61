// SPDX-License-Identifier: GPL-2.0-only
/* Which x86 instructions the plugin watches or runs itself. */
#include "site.h"
#include "vcpu_x86.h"

static void hook(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t callback, void *site)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, callback, QEMU_PLUGIN_CB_RW_REGS_PC, site);
}

/* Called only while the vCPU is active. */
static void hook_active(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t callback,
			enum qemu_plugin_cb_flags flags, void *site)
{
	qemu_plugin_register_vcpu_insn_exec_cond_cb(insn, callback, flags, QEMU_PLUGIN_COND_NE,
						    machine.active, 0, site);
}

static void hook_branch(struct qemu_plugin_insn *insn, const struct insn *decoded, void *site)
{
	if (decoded->class == X86_SYSCALL || decoded->class == X86_SWINT)
		hook_active(insn, vcpu__on_numbered_branch, QEMU_PLUGIN_CB_R_REGS, site);
	else
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_STORE_U64,
								    machine.branch, (uintptr_t)site);
}

/* Instruments one instruction. Returns true if its callback needs the block's IP. */
static bool translate_insn(struct qemu_plugin_insn *insn, const struct insn *decoded, void *site)
{
	static qemu_plugin_vcpu_udata_cb_t const emulated[X86_LIDT + 1] = {
		[X86_CPUID] = emulate__cpuid, [X86_RDTSC] = emulate__rdtsc, [X86_RDPMC] = emulate__rdpmc,
		[X86_RDMSR] = emulate__rdmsr, [X86_WRMSR] = emulate__wrmsr,
	};

	if (insn__is_branch(decoded)) {
		hook_branch(insn, decoded, site);
	} else if (emulated[decoded->class]) {
		hook(insn, emulated[decoded->class], site);
		return true;
	} else if (decoded->class == X86_MOV_TO_CR3) {
		hook_active(insn, vcpu__on_cr3, QEMU_PLUGIN_CB_NO_REGS, NULL);
	} else if (decoded->class == X86_LIDT) {
		qemu_plugin_register_vcpu_mem_cb(insn, vcpu__on_lidt, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_R, NULL);
	}
	return false;
}

/* The vCPU that translates: the callback does not say, but its registers can be read,
 * and their handles are the same for all vCPUs. */
static enum insn_mode translation_mode(void)
{
	return guest__mode(&machine.vcpus[0].guest);
}

bool vcpu__translate(struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	uint64_t start = qemu_plugin_tb_vaddr(tb);
	enum insn_mode mode = translation_mode();
	bool needs_ip = false, after_cpuid = false;

	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t offset = qemu_plugin_insn_vaddr(insn) - start;
		uint8_t code[16];
		struct insn decoded;
		size_t length = qemu_plugin_insn_data(insn, code, sizeof(code));

		if (after_cpuid)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, emulate__cpuid_amend,
							       QEMU_PLUGIN_CB_RW_REGS, NULL);
		if (length > 15 || offset > SITE_MAX_OFFSET)
			g_error("trace unit: a translated block is longer than expected");
		insn__classify(code, length, mode, &decoded);
		after_cpuid = decoded.class == X86_CPUID;
		needs_ip |= translate_insn(insn, &decoded, site__pack(&decoded, (uint32_t)offset));
	}
	return needs_ip;
}
