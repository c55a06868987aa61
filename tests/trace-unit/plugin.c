// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU's TCG that gives an x86-64 guest an Intel PT unit and keeps the oracle log.
 *
 * Use:	qemu-system-x86_64 -accel tcg -cpu max,vendor=GenuineIntel,-svm,-x2apic,-rdtscp,-rdpid \
 *		-plugin pt.so[,oracle=FILE][,oracle-all=on] ...
 *
 *	oracle=FILE	keep the oracle log (oracle_log.h) in FILE, between the guest's marks
 *	oracle-all=on	log from the first instruction on, without marks
 *
 * QEMU is unpatched, 11.1 or later. TCG has no SVM worth tracing, the plugin reaches the local APIC by its
 * memory, and RDTSCP and RDPID would show QEMU's own clock beside the plugin's: hence the minus signs. Linux
 * wants tsc=reliable, because QEMU's other clocks stutter. What is shown of the CPU is in cpu_model.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "site.h"
#include "vcpu.h"

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static void die(const char *what, const char *detail)
{
	fprintf(stderr, "trace unit: %s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
	exit(EXIT_FAILURE);
}

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

static void hook_branch(struct qemu_plugin_insn *insn, const struct x86_insn *decoded, void *site)
{
	if (decoded->class == X86_SYSCALL || decoded->class == X86_SWINT)
		hook_active(insn, vcpu__on_numbered_branch, QEMU_PLUGIN_CB_R_REGS, site);
	else
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_STORE_U64,
								    machine.branch, (uintptr_t)site);
}

/* Instruments one instruction. Returns true if its callback needs the block's IP. */
static bool translate_insn(struct qemu_plugin_insn *insn, const struct x86_insn *decoded, void *site)
{
	static qemu_plugin_vcpu_udata_cb_t const emulated[X86_LIDT + 1] = {
		[X86_CPUID] = emulate__cpuid, [X86_RDTSC] = emulate__rdtsc, [X86_RDPMC] = emulate__rdpmc,
		[X86_RDMSR] = emulate__rdmsr, [X86_WRMSR] = emulate__wrmsr,
	};

	if (x86_insn__is_branch(decoded)) {
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
static enum x86_mode translation_mode(void)
{
	return guest__mode(&machine.vcpus[0].guest);
}

static void on_translate(struct qemu_plugin_tb *tb, void *userdata)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	uint64_t start = qemu_plugin_tb_vaddr(tb);
	enum x86_mode mode = translation_mode();
	bool needs_ip = false, after_cpuid = false;

	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t offset = qemu_plugin_insn_vaddr(insn) - start;
		uint8_t code[16];
		struct x86_insn decoded;
		size_t length = qemu_plugin_insn_data(insn, code, sizeof(code));

		if (after_cpuid)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, emulate__cpuid_amend,
							       QEMU_PLUGIN_CB_RW_REGS, NULL);
		if (length > 15 || offset > SITE_MAX_OFFSET)
			die("a translated block is longer than expected", NULL);
		x86_insn__classify(code, length, mode, &decoded);
		after_cpuid = decoded.class == X86_CPUID;
		needs_ip |= translate_insn(insn, &decoded, site__pack(&decoded, (uint32_t)offset));
	}
	if (needs_ip)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, vcpu__on_block_ip, QEMU_PLUGIN_CB_R_REGS, NULL);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, vcpu__on_block, QEMU_PLUGIN_CB_R_REGS,
						  QEMU_PLUGIN_COND_NE, machine.active, 0, NULL);
	/* Behind the former, which reports the branch that led here. */
	if (start == oracle__symbol(machine.oracle, ORACLE_SYM_SWITCH_TO))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, vcpu__on_switch, QEMU_PLUGIN_CB_R_REGS, NULL);
}

static void on_vcpu_init(unsigned int index, void *userdata)
{
	int err;

	if (index >= machine.nr_vcpus)
		die("more vCPUs than the machine said", NULL);
	err = vcpu__init(&machine.vcpus[index], index);
	if (err < 0)
		die("cannot set up a vCPU", strerror(-err));
}

static void on_end(void *userdata)
{
	oracle__close(machine.oracle);
}

struct options {
	const char *oracle; /* NULL: no log */
	bool oracle_all;
};

static bool parse_option(const char *argument, struct options *options)
{
	if (!strncmp(argument, "oracle=", 7))
		options->oracle = argument + 7;
	else if (!strcmp(argument, "oracle-all=on"))
		options->oracle_all = true;
	else
		return !strcmp(argument, "oracle-all=off");
	return true;
}

static int set_up_machine(const qemu_info_t *info, const struct options *options)
{
	machine.nr_vcpus = (unsigned int)info->system.max_vcpus;
	machine.vcpus = calloc(machine.nr_vcpus, sizeof(*machine.vcpus));
	if (!machine.vcpus)
		return -ENOMEM;
	machine.active.score = machine.branch.score = qemu_plugin_scoreboard_new(2 * sizeof(uint64_t));
	machine.branch.offset = sizeof(uint64_t);
	if (!options->oracle)
		return 0;
	return oracle__open(options->oracle, machine.nr_vcpus, options->oracle_all, &machine.oracle);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	struct options options = {0};
	int err;

	if (!info->system_emulation || strcmp(info->target_name, "x86_64")) {
		fprintf(stderr, "trace unit: works with qemu-system-x86_64 only\n");
		return -1;
	}
	for (int i = 0; i < argc; i++) {
		if (!parse_option(argv[i], &options)) {
			fprintf(stderr, "trace unit: unknown option %s\n", argv[i]);
			return -1;
		}
	}
	err = set_up_machine(info, &options);
	if (err < 0) {
		fprintf(stderr, "trace unit: %s: %s\n", options.oracle ? options.oracle : "memory",
			strerror(-err));
		return -1;
	}
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate, NULL);
	/*
	 * The INTERRUPT event alone: on x86 it is raised for faults and INT n too, when
	 * the CPU has been sent to the handler; the EXCEPTION event has stale addresses.
	 */
	qemu_plugin_register_vcpu_discon_cb(id, QEMU_PLUGIN_DISCON_INTERRUPT, vcpu__on_discontinuity, NULL);
	qemu_plugin_register_atexit_cb(id, on_end, NULL);
	return 0;
}
