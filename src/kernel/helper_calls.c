// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/helper_calls.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* A call by number; those of kfuncs and of other functions have a source register (linux/bpf.h,
 * BPF_PSEUDO_*). */
static bool is_call(const struct bpf_insn *insn, enum bpf_func_id helper)
{
	return insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg && insn->imm == (int)helper;
}

static int remove_from(struct bpf_program *prog, enum bpf_func_id helper)
{
	static const struct bpf_insn nothing = {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0};
	size_t nr = bpf_program__insn_cnt(prog);
	_cleanup_free_ struct bpf_insn *insns = calloc(nr, sizeof(*insns));

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(prog), nr * sizeof(*insns));
	for (size_t i = 0; i < nr; i++)
		if (is_call(&insns[i], helper))
			insns[i] = nothing;
	return bpf_program__set_insns(prog, insns, nr);
}

int helper_calls__remove(struct bpf_object *object, enum bpf_func_id helper)
{
	struct bpf_program *prog;
	int err = 0;

	bpf_object__for_each_program(prog, object)
	{
		if (!err)
			err = remove_from(prog, helper);
	}
	return err;
}
