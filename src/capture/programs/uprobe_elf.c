// SPDX-License-Identifier: GPL-2.0-only
#include "capture/programs/uprobe_elf.h"

#include <elf.h>
#include <string.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
static const uint8_t no_operation[] = {0x90}, breakpoint[] = {0xcc};
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
static const uint8_t no_operation[] = {0x1f, 0x20, 0x03, 0xd5}, breakpoint[] = {0xa0, 0x00, 0x20, 0xd4};
#else
#error "add this architecture"
#endif

enum { SECTION_NONE, SECTION_NOTE, SECTION_TEXT, SECTION_SYMBOLS, SECTION_STRINGS, NR_SECTIONS };

struct note {
	Elf64_Nhdr header;
	char name[4];
	uint8_t id[BUILD_ID_MAX];
};

struct head {
	Elf64_Ehdr ehdr;
	Elf64_Phdr load;
	Elf64_Phdr notes;
	struct note note;
};

/* The names of sections and symbols, and the offset of each. */
static const char strings[] =
	"\0.note.gnu.build-id\0.text\0.symtab\0.strtab\0uretprobe_trampoline\0uprobe_slots";
#define NAME_NOTE 1
#define NAME_TEXT 20
#define NAME_SYMTAB 26
#define NAME_STRTAB 34
#define NAME_TRAMPOLINE 42
#define NAME_SLOTS 63

/* Addresses in the file are offsets. */
static const Elf64_Sym symbols[] = {
	{.st_name = 0},
	{.st_name = NAME_TRAMPOLINE,
	 .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
	 .st_shndx = SECTION_TEXT,
	 .st_value = UPROBE_PAGE_OFFSET,
	 .st_size = UPROBE_SLOT_SIZE},
	{.st_name = NAME_SLOTS,
	 .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
	 .st_shndx = SECTION_TEXT,
	 .st_value = UPROBE_PAGE_OFFSET + UPROBE_SLOT_SIZE,
	 .st_size = UPROBE_PAGE_SIZE - UPROBE_SLOT_SIZE},
};

#define SYMBOLS_OFFSET (UPROBE_PAGE_OFFSET + UPROBE_PAGE_SIZE)
#define STRINGS_OFFSET (SYMBOLS_OFFSET + sizeof(symbols))
#define SECTIONS_OFFSET (STRINGS_OFFSET + (sizeof(strings) + 7) / 8 * 8)

bool uprobe_elf__is_breakpoint(const uint8_t *trampoline)
{
	return !memcmp(trampoline, breakpoint, sizeof(breakpoint));
}

void uprobe_elf__fill_breakpoint(uint8_t *trampoline)
{
	for (size_t at = 0; at < UPROBE_SLOT_SIZE; at += sizeof(breakpoint))
		memcpy(trampoline + at, breakpoint, sizeof(breakpoint));
}

/* FNV-1a, from @seed on. */
static uint32_t hash(uint32_t seed, const uint8_t *data, size_t len)
{
	uint32_t sum = 0x811c9dc5 ^ seed;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ data[i]) * 0x01000193;
	return sum;
}

/* Makes a build id as long as others are, because perf reads no shorter ones from files. */
static void make_id(const uint8_t *page, struct build_id *id)
{
	uint32_t sum = 0;

	*id = (struct build_id){.size = BUILD_ID_MAX};
	for (size_t at = 0; at < BUILD_ID_MAX; at += sizeof(sum)) {
		sum = hash(sum + (uint32_t)at, page, UPROBE_PAGE_SIZE);
		memcpy(id->data + at, &sum, sizeof(sum));
	}
}

static void fill_page(uint8_t *page, const uint8_t *trampoline)
{
	memcpy(page, trampoline, UPROBE_SLOT_SIZE);
	for (size_t at = UPROBE_SLOT_SIZE; at < UPROBE_PAGE_SIZE; at += sizeof(no_operation))
		memcpy(page + at, no_operation, sizeof(no_operation));
}

static void add_head(struct buf *elf, const struct build_id *id)
{
	struct head head = {
		.ehdr = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			 .e_type = ET_DYN,
			 .e_machine = MACHINE,
			 .e_version = EV_CURRENT,
			 .e_phoff = offsetof(struct head, load),
			 .e_shoff = SECTIONS_OFFSET,
			 .e_ehsize = sizeof(Elf64_Ehdr),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 2,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = NR_SECTIONS,
			 .e_shstrndx = SECTION_STRINGS},
		.load = {.p_type = PT_LOAD,
			 .p_flags = PF_R | PF_X,
			 .p_offset = UPROBE_PAGE_OFFSET,
			 .p_vaddr = UPROBE_PAGE_OFFSET,
			 .p_filesz = UPROBE_PAGE_SIZE,
			 .p_memsz = UPROBE_PAGE_SIZE,
			 .p_align = UPROBE_PAGE_SIZE},
		.notes = {.p_type = PT_NOTE,
			  .p_offset = offsetof(struct head, note),
			  .p_filesz = sizeof(struct note),
			  .p_memsz = sizeof(struct note),
			  .p_align = 4},
		.note = {{sizeof("GNU"), BUILD_ID_MAX, NT_GNU_BUILD_ID}, "GNU", {0}},
	};

	memcpy(head.note.id, id->data, BUILD_ID_MAX);
	buf__add(elf, &head, sizeof(head));
	buf__align(elf, UPROBE_PAGE_OFFSET);
}

static void add_sections(struct buf *elf)
{
	static const Elf64_Shdr sections[NR_SECTIONS] = {
		[SECTION_NOTE] = {.sh_name = NAME_NOTE,
				  .sh_type = SHT_NOTE,
				  .sh_flags = SHF_ALLOC,
				  .sh_offset = offsetof(struct head, note),
				  .sh_size = sizeof(struct note),
				  .sh_addralign = 4},
		[SECTION_TEXT] = {.sh_name = NAME_TEXT,
				  .sh_type = SHT_PROGBITS,
				  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				  .sh_addr = UPROBE_PAGE_OFFSET,
				  .sh_offset = UPROBE_PAGE_OFFSET,
				  .sh_size = UPROBE_PAGE_SIZE,
				  .sh_addralign = 16},
		[SECTION_SYMBOLS] = {.sh_name = NAME_SYMTAB,
				     .sh_type = SHT_SYMTAB,
				     .sh_offset = SYMBOLS_OFFSET,
				     .sh_size = sizeof(symbols),
				     .sh_link = SECTION_STRINGS,
				     .sh_info = ARRAY_SIZE(symbols),
				     .sh_addralign = 8,
				     .sh_entsize = sizeof(Elf64_Sym)},
		[SECTION_STRINGS] = {.sh_name = NAME_STRTAB,
				     .sh_type = SHT_STRTAB,
				     .sh_offset = STRINGS_OFFSET,
				     .sh_size = sizeof(strings),
				     .sh_addralign = 1},
	};

	buf__add(elf, symbols, sizeof(symbols));
	buf__add(elf, strings, sizeof(strings));
	buf__align(elf, 8);
	buf__add(elf, sections, sizeof(sections));
}

void uprobe_elf__build(const uint8_t *trampoline, struct buf *elf, struct build_id *id)
{
	uint8_t page[UPROBE_PAGE_SIZE];

	fill_page(page, trampoline);
	make_id(page, id);
	add_head(elf, id);
	buf__add(elf, page, sizeof(page));
	add_sections(elf);
}
