// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU's TCG that counts the instructions of every CPU and tells the guest, which asks with a NOP
 * (count.h). An emulated CPU has no time of its own, but it runs the same instructions as a real one.
 */
#include <stdio.h>
#include <string.h>

#include "count.h"
#include "qemu_plugin_api.h"

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static qemu_plugin_u64 counter;
static struct qemu_plugin_register *rax;

static void on_vcpu_init(unsigned int vcpu, void *userdata)
{
	GArray *all = qemu_plugin_get_registers();

	for (guint i = 0; i < all->len; i++) {
		const qemu_plugin_reg_descriptor *found = &g_array_index(all, qemu_plugin_reg_descriptor, i);

		if (!strcmp(found->name, "rax"))
			rax = found->handle;
	}
	g_array_free(all, TRUE);
}

static void tell(unsigned int vcpu, void *userdata)
{
	const uint64_t count = qemu_plugin_u64_get(counter, vcpu);
	GByteArray *array = g_byte_array_sized_new(sizeof(count));

	g_byte_array_append(array, (const guint8 *)&count, sizeof(count));
	qemu_plugin_write_register(rax, array);
	g_byte_array_free(array, TRUE);
}

static void on_translate(struct qemu_plugin_tb *tb, void *userdata)
{
	static const uint8_t nop[] = {COUNT_NOP};

	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint8_t code[sizeof(nop)];

		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_ADD_U64, counter,
								    1);
		if (qemu_plugin_insn_data(insn, code, sizeof(code)) == sizeof(code) &&
		    !memcmp(code, nop, sizeof(nop)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, tell, QEMU_PLUGIN_CB_RW_REGS, NULL);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	counter.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate, NULL);
	return 0;
}
