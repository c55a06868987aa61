// SPDX-License-Identifier: GPL-2.0-only
#include "files/foreign_elf.h"

#include <string.h>

#include "files/foreign_file.h"

/* Limits all symbols and their names together, bytes: the debug symbols of a browser have half as much. */
#define TABLES_MAX (256u << 20)
#define READ_STEP (1u << 20)

/*
 * Tells whether the ELF header has the counts of headers. A count that has no room there is in the first
 * section header. That one may be as large as a sparse file, and libelf would set up a structure for each.
 * PN_XNUM and 0 are the same in both byte orders.
 */
static bool counts_in_header(const char *head)
{
	Elf64_Ehdr elf64;
	Elf32_Ehdr elf32;

	if (head[EI_CLASS] == ELFCLASS32) {
		memcpy(&elf32, head, sizeof(elf32));
		return elf32.e_phnum != PN_XNUM && (elf32.e_shnum || !elf32.e_shoff);
	}
	memcpy(&elf64, head, sizeof(elf64));
	return elf64.e_phnum != PN_XNUM && (elf64.e_shnum || !elf64.e_shoff);
}

Elf *foreign_elf__begin(int fd)
{
	char head[sizeof(Elf64_Ehdr)] = {0};
	Elf *elf;

	if (pread(fd, head, sizeof(head), 0) < (ssize_t)sizeof(Elf32_Ehdr) || memcmp(head, ELFMAG, SELFMAG) ||
	    !counts_in_header(head))
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

static bool is_table(const GElf_Shdr *shdr)
{
	return shdr->sh_type == SHT_SYMTAB || shdr->sh_type == SHT_DYNSYM || shdr->sh_type == SHT_STRTAB ||
	       shdr->sh_type == SHT_GNU_versym || shdr->sh_type == SHT_GNU_verdef;
}

/* Reads a table step by step. Any disk reads a step in a moment. */
static bool read_ahead(int fd, uint64_t at, uint64_t len)
{
	_cleanup_free_ char *bytes = malloc(READ_STEP);
	ssize_t n = 1;

	for (; bytes && n > 0 && len && !foreign_file__again(); len -= (uint64_t)n, at += (uint64_t)n)
		n = pread(fd, bytes, len < READ_STEP ? (size_t)len : READ_STEP, (off_t)at);
	return bytes && (n <= 0 || !len);
}

/* A compressed table is refused: it may have any size once decompressed, and linkers compress none. */
bool foreign_elf__fits(Elf *elf, int fd)
{
	Elf_Scn *scn = NULL;
	uint64_t sum = 0;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || !is_table(&shdr))
			continue;
		if (shdr.sh_size > TABLES_MAX || shdr.sh_flags & SHF_COMPRESSED)
			return false;
		sum += shdr.sh_size;
		if (sum > TABLES_MAX || !read_ahead(fd, shdr.sh_offset, shdr.sh_size))
			return false;
	}
	return true;
}

Elf_Data *foreign_elf__data(Elf_Scn *scn, size_t max)
{
	GElf_Shdr shdr;

	return scn && gelf_getshdr(scn, &shdr) && shdr.sh_size <= max ? elf_getdata(scn, NULL) : NULL;
}

struct span foreign_elf__strings(Elf *elf, size_t number)
{
	Elf_Scn *scn = elf_getscn(elf, number);
	GElf_Shdr shdr;
	Elf_Data *data;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_STRTAB)
		return (struct span){NULL, 0};
	data = foreign_elf__data(scn, TABLES_MAX);
	return data && data->d_buf ? (struct span){data->d_buf, data->d_size} : (struct span){NULL, 0};
}

const char *foreign_elf__string(struct span strings, size_t at)
{
	size_t left = at < strings.len ? strings.len - at : 0;
	const char *string = left ? (const char *)strings.data + at : "";

	if (left > FOREIGN_ELF_STRING_MAX)
		left = FOREIGN_ELF_STRING_MAX;
	return memchr(string, '\0', left) ? string : NULL;
}

Elf_Data *foreign_elf__segment(Elf *elf, const GElf_Phdr *phdr, Elf_Type type, size_t max)
{
	return phdr->p_filesz <= max
		       ? elf_getdata_rawchunk(elf, (int64_t)phdr->p_offset, phdr->p_filesz, type)
		       : NULL;
}
