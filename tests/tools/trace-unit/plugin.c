// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU's TCG that gives the guest a trace unit and keeps the oracle log: pt.so Intel PT to an
 * x86-64 guest, ete.so an ETE with its trace buffer (TRBE) to an Arm one.
 *
 * Use:	qemu-system-x86_64 -accel tcg -cpu max,vendor=GenuineIntel,-svm,-x2apic,-rdtscp,-rdpid \
 *		-plugin pt.so[,oracle=FILE][,oracle-all=on] ...
 *	qemu-system-aarch64 -accel tcg -machine virt,gic-version=3 -cpu max \
 *		-plugin ete.so[,oracle=FILE][,oracle-all=on] ...
 *
 *	oracle=FILE	keep the oracle log (oracle_log.h) in FILE, between the guest's marks
 *	oracle-all=on	log from the first instruction on, without marks
 *	overflow=BYTES	x86: so many bytes of packets, then the unit's own buffer overflows
 *	etr=ADDRESS	Arm: the page at this physical address has the registers of an ETR (ete/etr.h)
 *	sync=N		Arm: synchronize each 1 << N bytes, whatever software asks for
 *	time=TICKS	Arm: so many ticks of the clock are between time stamps, 1000 if not given
 *
 * QEMU is unpatched, 11.1 or later. TCG has no SVM worth tracing, the plugin reaches the local APIC by its
 * memory, and RDTSCP and RDPID would show QEMU's own clock beside the plugin's: hence the minus signs. Linux
 * wants tsc=reliable, because QEMU's other clocks stutter. What is shown of the CPU is in pt/cpu_model.c.
 *
 * On Arm the device tree has to tell of the unit: a node arm,embedded-trace-extension per CPU, and one
 * arm,trace-buffer-extension with PPI 5. The kernel has to run at EL1.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "translated.h"
#include "vcpu.h"

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static void die(const char *what, const char *detail)
{
	fprintf(stderr, "trace unit: %s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
	exit(EXIT_FAILURE);
}

static void on_translate(struct qemu_plugin_tb *tb, void *userdata)
{
	translated__note(tb);
	if (vcpu__translate(tb))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, vcpu__on_block_ip, QEMU_PLUGIN_CB_R_REGS, NULL);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, vcpu__on_block, QEMU_PLUGIN_CB_R_REGS,
						  QEMU_PLUGIN_COND_NE, machine.active, 0, NULL);
	/* Behind the former, which reports the branch that led here. */
	if (qemu_plugin_tb_vaddr(tb) == oracle__symbol(machine.oracle, ORACLE_SYM_SWITCH_TO))
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

static void on_discontinuity(unsigned int index, enum qemu_plugin_discon_type type, uint64_t from,
			     uint64_t to, void *userdata)
{
	if (machine.vcpus[index].ready)
		translated__check(&machine.vcpus[index].guest);
	vcpu__on_discontinuity(index, type, from, to, userdata);
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
		return !strcmp(argument, "oracle-all=off") || vcpu__set_option(argument);
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

	if (!info->system_emulation || strcmp(info->target_name, vcpu__target)) {
		fprintf(stderr, "trace unit: works with qemu-system-%s only\n", vcpu__target);
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
	qemu_plugin_register_vcpu_discon_cb(id, vcpu__discontinuities, on_discontinuity, NULL);
	qemu_plugin_register_atexit_cb(id, on_end, NULL);
	return 0;
}
