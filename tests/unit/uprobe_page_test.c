// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's page for probes: what a decoder cannot be told of it, the ELF file with its code, the
 * trampoline of this machine's kernel, and the records that name the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/programs/uprobe_elf.h"
#include "capture/programs/uprobe_page.h"
#include "capture/programs/uprobe_trampoline.h"
#include "check.h"
#include "files/build_ids.h"
#include "files/elf_file.h"
#include "root_dir.h"
#include "symbols/elf_symbols.h"
#include "symbols/uprobe_insn.h"

#define TRAILER 24

#if defined(__x86_64__)
#define BREAKPOINT 0xcc /* the last byte of one */
#else
#define BREAKPOINT 0xd4
#endif

static void build(uint8_t byte, struct buf *elf, struct build_id *id)
{
	uint8_t trampoline[UPROBE_SLOT_SIZE];

	memset(trampoline, byte, sizeof(trampoline));
	uprobe_elf__build(trampoline, elf, id);
	CHECK_EQ(buf__error(elf), 0);
}

static int file_of(const struct buf *elf)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	CHECK_EQ(write(fd, elf->data, elf->len), elf->len);
	return fd;
}

static void check_symbol(const struct elf_file *file, const char *symbol, uint64_t expected)
{
	char message[256] = "";
	uint64_t offset = 0;

	CHECK_EQ(elf_symbols__find(file, "page", symbol, &offset, message, sizeof(message)), 0);
	CHECK_STREQ(message, "");
	CHECK_EQ(offset, expected);
}

static void test_elf(void)
{
	const struct elf_place place = {.root = AT_FDCWD, .host_root = AT_FDCWD, .path = "/page"};
	_cleanup_buf_ struct buf elf = {0}, other = {0};
	struct build_id id, other_id, read;
	struct elf_file file;
	char message[256];

	build(0x50, &elf, &id);
	build(0x51, &other, &other_id);
	CHECK(memcmp(&id, &other_id, sizeof(id)));
	CHECK_EQ(elf.data[UPROBE_PAGE_OFFSET], 0x50);
	CHECK_EQ(elf.data[UPROBE_PAGE_OFFSET + UPROBE_SLOT_SIZE - 1], 0x50);
	CHECK(elf.data[UPROBE_PAGE_OFFSET + UPROBE_SLOT_SIZE] != 0x50);
	if (!CHECK_EQ(elf_file__open(file_of(&elf), &place, &file, message, sizeof(message)), 0))
		return;
	CHECK_EQ(build_id__read_elf(file.fd, &read), 0);
	CHECK_EQ(read.size, id.size);
	CHECK(!memcmp(read.data, id.data, id.size));
	check_symbol(&file, "uretprobe_trampoline", UPROBE_PAGE_OFFSET);
	check_symbol(&file, "uprobe_slots", UPROBE_PAGE_OFFSET + UPROBE_SLOT_SIZE);
	CHECK(elf_file__has_section(&file, ".note.gnu.build-id"));
	elf_file__close(&file);
}

/* A breakpoint, or from Linux 6.11 on code that begins with "push %rax" and makes a system call. */
static void test_trampoline(void)
{
	static const uint8_t call[] = {0x0f, 0x05};
	uint8_t trampoline[UPROBE_SLOT_SIZE] = {0};

	CHECK_EQ(uprobe_trampoline__read("", trampoline), 0);
	CHECK(uprobe_elf__is_breakpoint(trampoline) ||
	      (*trampoline == 0x50 && memmem(trampoline, sizeof(trampoline), call, sizeof(call))));
	CHECK_EQ(uprobe_trampoline__read("/nonexistent", trampoline), -ENOENT);
}

/* A record as the kernel makes it, with a trailer that is not empty. */
static struct buf map_record(const char *name)
{
	const struct record_mmap map = {
		.misc = PERF_RECORD_MISC_USER,
		.pid = 7,
		.tid = 8,
		.start = 0x7fffffffe000,
		.len = UPROBE_PAGE_SIZE,
		.prot = PROT_EXEC,
		.flags = MAP_PRIVATE,
		.name = name,
	};
	struct buf b = {0};

	record__add_mmap2(&b, &map, TRAILER);
	memset(b.data + b.len - TRAILER, 0xa5, TRAILER);
	return b;
}

static int replace(struct uprobe_page *page, const char *name, struct buf *out)
{
	_cleanup_buf_ struct buf b = map_record(name);

	return uprobe_page__replace(page, (const struct perf_event_header *)(const void *)b.data, TRAILER,
				    out);
}

static void check_replaced(const struct root_dir *dir, const struct uprobe_page *page, const struct buf *out)
{
	const struct perf_event_header *record = (const struct perf_event_header *)(const void *)out->data;
	_cleanup_buf_ struct buf before = map_record(UPROBE_PAGE_NAME);
	struct build_id id = {0};
	const char *name = NULL;
	char path[256];

	snprintf(path, sizeof(path), "%s/cap.data/debug/uprobes", dir->path);
	CHECK_EQ(record->size, out->len);
	if (!CHECK(record__mmap2_build_id(record, &id, &name)))
		return;
	CHECK_STREQ(name, path);
	CHECK_EQ(id.size, page->id.size);
	CHECK(!memcmp(id.data, page->id.data, sizeof(id.data)));
	/* pid, tid, address and length; where in the file; protection and flags; the trailer. */
	CHECK(!memcmp(out->data + 8, before.data + 8, 24));
	CHECK_EQ(*(const uint64_t *)(const void *)(out->data + 32), UPROBE_PAGE_OFFSET);
	CHECK(!memcmp(out->data + 64, before.data + 64, 8));
	CHECK_EQ(memcmp(out->data + out->len - TRAILER, before.data + before.len - TRAILER, TRAILER), 0);
}

static void test_records(const struct root_dir *dir)
{
	struct stage_target target = {.dirfd = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
				      .name = (char[]){"cap.data"}};
	_cleanup_buf_ struct buf out = {0};
	uint8_t code[2] = {0};
	struct uprobe_page page = {.fd = -1};
	int fd;

	/* Without probes, as here with no /sys, returns cannot be decoded where they are no breakpoints. */
	uprobe_page__begin(&page, "/nonexistent", &target);
	CHECK_EQ(replace(&page, "/bin/true", &out), 0);
	CHECK_EQ(replace(&page, "[uprobes-trampoline]", &out), 0);
	CHECK_EQ(out.len, 0);
	CHECK_EQ(replace(&page, UPROBE_PAGE_NAME, &out), 1);
	check_replaced(dir, &page, &out);
	page.used = true;
	fd = page.fd;
	uprobe_page__begin(&page, "/nonexistent", &target);
	CHECK(!page.used);
	buf__truncate(&out, 0);
	CHECK_EQ(replace(&page, UPROBE_PAGE_NAME, &out), 1);
	check_replaced(dir, &page, &out);
	CHECK_EQ(page.fd, fd);
	CHECK_EQ(pread(fd, code, sizeof(code), UPROBE_PAGE_OFFSET + UPROBE_SLOT_SIZE - 1), 2);
	CHECK_EQ(code[0], BREAKPOINT);
	CHECK(code[1] != BREAKPOINT);
	uprobe_page__release(&page);
	close(target.dirfd);
}

/* Machine code, of x86: on arm64 there are none that the kernel does not emulate. */
#if defined(__x86_64__)
static void test_branches(void)
{
	static const struct {
		uint8_t code[UPROBE_INSN_HEAD];
		bool branch;
	} cases[] = {
		{{0xc3}, true},				       /* ret */
		{{0xf3, 0xc3}, true},			       /* rep ret */
		{{0xc2, 8, 0}, true},			       /* ret $8 */
		{{0xff, 0x25, 1, 2, 3, 4}, true},	       /* jmp *x(%rip) */
		{{0x3e, 0xff, 0xe0}, true},		       /* notrack jmp *%rax */
		{{0x41, 0xff, 0xe3}, true},		       /* jmp *%r11 */
		{{0xf2, 0xff, 0xd0}, true},		       /* bnd call *%rax */
		{{0xff, 0xc0}, false},			       /* inc %eax */
		{{0xff, 0x35, 1, 2, 3, 4}, false},	       /* push x(%rip) */
		{{0xf3, 0x0f, 0x1e, 0xfa}, false},	       /* endbr64 */
		{{0x48, 0x83, 0xec, 8}, false},		       /* sub $8,%rsp */
		{{0x55, 0xc3}, false},			       /* push %rbp; ret */
		{{0xe9, 1, 2, 3, 4}, false},		       /* jmp: emulated */
		{{0x48, 0x48, 0x48, 0x48, 0x48, 0x48}, false}, /* nothing but prefixes */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (!CHECK_EQ(uprobe_insn__is_branch(cases[i].code, UPROBE_INSN_HEAD), cases[i].branch))
			fprintf(stderr, "case %zu\n", i);
	CHECK(!uprobe_insn__is_branch(cases[3].code, 1));
	CHECK(!uprobe_insn__is_branch(cases[3].code, 0));
}
#else
static void test_branches(void)
{
	static const uint8_t ret[] = {0xc0, 0x03, 0x5f, 0xd6};

	CHECK(!uprobe_insn__is_branch(ret, sizeof(ret)));
}
#endif

int main(void)
{
	struct root_dir dir;

	test_branches();
	test_elf();
	test_trampoline();
	if (root_dir__make(&dir)) {
		test_records(&dir);
		root_dir__remove(&dir);
	}
	return check__done();
}
