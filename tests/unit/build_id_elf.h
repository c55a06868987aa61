/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ELF files with a build id and nothing else, for the modules that read it.
 */
#ifndef AUXBPF_TESTS_BUILD_ID_ELF_H
#define AUXBPF_TESTS_BUILD_ID_ELF_H

#include <elf.h>
#include <stdint.h>

#include "base/buf.h"

/* Notes with a build id of 20 bytes that begins with @first, behind a note of another kind. */
static inline struct buf notes(uint8_t first)
{
	const uint32_t other[] = {4, 4, 0x101, 'X' | 'e' << 8 | 'n' << 16, 7};
	const uint32_t id[] = {4, 20, NT_GNU_BUILD_ID, 'G' | 'N' << 8 | 'U' << 16};
	struct buf b = {0};

	buf__add(&b, other, sizeof(other));
	buf__add(&b, id, sizeof(id));
	buf__add(&b, &first, 1);
	buf__add(&b, NULL, 19);
	return b;
}

/* An ELF file of one PT_NOTE segment. */
static inline struct buf elf_file(uint8_t first)
{
	struct buf n = notes(first), b = {0};
	const Elf64_Ehdr ehdr = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(ehdr),
		.e_ehsize = sizeof(ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	};
	const Elf64_Phdr phdr = {
		.p_type = PT_NOTE,
		.p_offset = sizeof(ehdr) + sizeof(phdr),
		.p_filesz = n.len,
		.p_memsz = n.len,
		.p_align = 4,
	};

	buf__add(&b, &ehdr, sizeof(ehdr));
	buf__add(&b, &phdr, sizeof(phdr));
	buf__add_buf(&b, &n);
	buf__release(&n);
	return b;
}

#endif
