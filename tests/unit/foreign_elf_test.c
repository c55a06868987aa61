// SPDX-License-Identifier: GPL-2.0-only
/* Symbols of ELF files that no linker makes. */
#include "files/foreign_elf.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "check.h"
#include "symbols/elf_symbols.h"

#define LONG_NAME 5000
#define SECTIONS 6
#define CODE 0x1000

/* Two tables of dynamic symbols, each with names of its own; the last name has no end. */
static void add_strings(struct buf *b, const char *const names[2])
{
	buf__add(b, "", 1);
	buf__add(b, names[0], strlen(names[0]) + 1);
	buf__add(b, names[1], strlen(names[1]));
}

static void add_symbols(struct buf *b, const char *const names[2], uint64_t addr)
{
	Elf64_Sym sym = {.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1, .st_value = addr};

	buf__add(b, NULL, sizeof(sym));
	sym.st_name = 1;
	buf__add(b, &sym, sizeof(sym));
	sym.st_name = (uint32_t)strlen(names[0]) + 2;
	buf__add(b, &sym, sizeof(sym));
}

static Elf64_Shdr section(uint32_t type, size_t begin, const struct buf *b, uint32_t link)
{
	return (Elf64_Shdr){
		.sh_type = type,
		.sh_offset = begin,
		.sh_size = b->len - begin,
		.sh_link = link,
		.sh_entsize = type == SHT_DYNSYM ? sizeof(Elf64_Sym) : 0,
		.sh_addralign = 1,
	};
}

static void add_headers(struct buf *b, const Elf64_Shdr sections[SECTIONS])
{
	Elf64_Ehdr ehdr = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
#if defined(__x86_64__)
		.e_machine = EM_X86_64,
#else
		.e_machine = EM_AARCH64,
#endif
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(ehdr),
		.e_ehsize = sizeof(ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
	};
	const Elf64_Phdr phdr = {PT_LOAD, PF_R | PF_X, 0, CODE, CODE, CODE, CODE, CODE};

	buf__align(b, 8);
	ehdr.e_shoff = b->len;
	buf__add(b, sections, SECTIONS * sizeof(*sections));
	buf__put_at(b, 0, &ehdr, sizeof(ehdr));
	buf__put_at(b, sizeof(ehdr), &phdr, sizeof(phdr));
}

static struct buf make_file(const char *const names[2][2])
{
	Elf64_Shdr sections[SECTIONS] = {{0}};
	struct buf b = {0};
	size_t at;

	buf__add(&b, NULL, sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr));
	for (uint32_t i = 0; i < 2; i++) {
		at = b.len;
		add_strings(&b, names[i]);
		sections[1 + 2 * i] = section(SHT_STRTAB, at, &b, 0);
		buf__align(&b, 8);
		at = b.len;
		add_symbols(&b, names[i], CODE + 16 * i);
		sections[2 + 2 * i] = section(SHT_DYNSYM, at, &b, 1 + 2 * i);
	}
	at = b.len;
	sections[SECTIONS - 1] = section(SHT_PROGBITS, at, &b, 0);
	add_headers(&b, sections);
	return b;
}

static int find(const struct buf *b, const char *symbol, uint64_t *offset)
{
	int err, fd = memfd_create("elf", MFD_CLOEXEC);
	char message[8192] = "";
	struct elf_file file;

	CHECK_EQ(write(fd, b->data, b->len), b->len);
	err = elf_file__open(fd, &(struct elf_place){-1, -1, "/file"}, &file, message, sizeof(message));
	if (!err)
		err = elf_symbols__find(&file, "FILE", symbol, offset, message, sizeof(message));
	elf_file__close(&file);
	return err;
}

/*
 * A file has one table of dynamic symbols, and one for linking. Were all of 60,000 looked into, each with all
 * versions, that would take days.
 */
static void test_tables(void)
{
	static const char *const names[2][2] = {{"first", "without_end"}, {"second", "third"}};
	struct buf b = make_file(names);
	uint64_t offset = 0;

	CHECK_EQ(find(&b, "first", &offset), 0);
	CHECK_EQ(offset, 0);
	CHECK_EQ(find(&b, "without_end", &offset), -ENOENT);
	CHECK_EQ(find(&b, "second", &offset), -ENOENT);
	buf__release(&b);
}

/* A million symbols may share a name of a hundred megabytes. */
static void test_long_names(void)
{
	static char name[LONG_NAME + 1];
	const char *const names[2][2] = {{name, "x"}, {"second", "third"}};
	uint64_t offset;
	struct buf b;

	memset(name, 'n', FOREIGN_ELF_STRING_MAX - 1);
	b = make_file(names);
	CHECK_EQ(find(&b, name, &offset), 0);
	buf__release(&b);
	memset(name, 'n', LONG_NAME);
	b = make_file(names);
	CHECK_EQ(find(&b, name, &offset), -ENOENT);
	buf__release(&b);
}

int main(void)
{
	test_tables();
	test_long_names();
	return check__done();
}
