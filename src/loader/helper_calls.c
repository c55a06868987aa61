// SPDX-License-Identifier: GPL-2.0-only
#include "loader/helper_calls.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Tells whether an instruction calls the helper. Calls of kfuncs and of other functions have a source
 * register (linux/bpf.h, BPF_PSEUDO_*). */
static bool is_call(const struct bpf_insn *insn, enum bpf_func_id helper)
{
	return insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg && insn->imm == (int)helper;
}

static void remove_from(struct bpf_insn *insns, size_t nr, enum bpf_func_id helper)
{
	static const struct bpf_insn nothing = {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0};

	for (size_t i = 0; i < nr; i++)
		if (is_call(&insns[i], helper))
			insns[i] = nothing;
}

static bool is_inside(uint64_t offset, uint64_t length, size_t size)
{
	return offset <= size && length <= size - offset;
}

/* Removes the calls from a section of code: these are those of programs, and .text with the functions that
 * they call. */
static int remove_from_section(uint8_t *elf, size_t size, const Elf64_Shdr *section, enum bpf_func_id helper)
{
	if (section->sh_type != SHT_PROGBITS || !(section->sh_flags & SHF_EXECINSTR))
		return 0;
	if (!is_inside(section->sh_offset, section->sh_size, size) ||
	    section->sh_offset % sizeof(struct bpf_insn))
		return -ENOEXEC;
	remove_from((void *)(elf + section->sh_offset), section->sh_size / sizeof(struct bpf_insn), helper);
	return 0;
}

int helper_calls__remove(void *elf, size_t size, enum bpf_func_id helper)
{
	const Elf64_Ehdr *header = elf;
	const Elf64_Shdr *sections;
	int err = 0;

	if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_machine != EM_BPF || header->e_shoff % _Alignof(Elf64_Shdr) ||
	    !is_inside(header->e_shoff, header->e_shnum * sizeof(*sections), size))
		return -ENOEXEC;
	sections = (const void *)((const uint8_t *)elf + header->e_shoff);
	for (size_t i = 0; !err && i < header->e_shnum; i++)
		err = remove_from_section(elf, size, &sections[i], helper);
	return err;
}
