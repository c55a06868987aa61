// SPDX-License-Identifier: GPL-2.0-only
/* What of the kernel's memory is copied, from texts as /proc prints them. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "capture/kernel_code/kcore_layout.h"
#include "check.h"
#include "symbols/kallsyms.h"

#define SPAN(s) ((struct span){s, sizeof(s) - 1})

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81a00123 T _etext\n"
			       "ffffffff82000000 D some_data\n"
			       "ffffffffc0201010 t virtio_init\t[virtio]\n"
			       "ffffffffc0202ff0 t virtio_last\t[virtio]\n"
			       "ffffffffc0209000 r __param_x\t[virtio]\n"
			       "ffffffffc0400040 t bpf_prog_6deef7357e7b4530\t[bpf]\n"
			       "ffffffffc0400100 t bpf_trampoline_6442536467\t[bpf]\n"
			       "ffffffffc0400200 t bpf_prog_1234567812345678_x\t[bpf]\n"
			       "ffffffffc0500000 t ftrace_trampoline\t[__builtin__ftrace]\n";

static const char modules[] = "virtio 40960 2 virtio_blk,virtio_net, Live 0xffffffffc0201000\n"
			      "empty 4096 0 - Live 0xffffffffc0300000\n";

struct core {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr[3];
};

static struct core core_file(void)
{
	return (struct core){
		.ehdr =
			{
				.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
				.e_type = ET_CORE,
				.e_machine = EM_X86_64,
				.e_phoff = sizeof(Elf64_Ehdr),
				.e_phentsize = sizeof(Elf64_Phdr),
				.e_phnum = 3,
			},
		.phdr =
			{
				{.p_type = PT_NOTE},
				{.p_type = PT_LOAD,
				 .p_offset = 0x10000,
				 .p_vaddr = 0xffffffff81000000,
				 .p_memsz = 0x2000000},
				{.p_type = PT_LOAD,
				 .p_offset = 0x80000000,
				 .p_vaddr = 0xffffffffc0000000,
				 .p_memsz = 0x3f000000},
			},
	};
}

static const struct code_range programs[] = {
	{0xffffffffc0400040, 0xffffffffc04000c7},
	{0xffffffffc0400200, 0xffffffffc0400280},
};

/* The trampoline uses 64 bytes; *ctx is returned. */
static int read_kcore(void *ctx, uint64_t from, void *data, size_t len)
{
	uint8_t *bytes = data;

	for (size_t i = 0; i < len; i++)
		bytes[i] = from + i < 0x80400140 ? 0x90 : 0xcc;
	return *(int *)ctx;
}

static int failed; /* reading from kcore */

static struct kcore_input input(struct span symbols, const struct core *core)
{
	failed = 0;
	return (struct kcore_input){
		.kallsyms = symbols,
		.elf = {core, sizeof(*core)},
		.page_size = 4096,
		.read = read_kcore,
		.ctx = &failed,
	};
}

static void check_segment(const struct kcore_segment *seg, uint64_t start, uint64_t end, uint64_t from)
{
	CHECK_EQ(seg->addr, start);
	CHECK_EQ(seg->addr + seg->len, end);
	CHECK_EQ(seg->from, from);
	CHECK_EQ(seg->to % 4096, start % 4096);
}

static void check_headers(const struct kcore_layout *layout)
{
	_cleanup_buf_ struct buf b = {0};
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;

	kcore_layout__add_headers(layout, &b);
	if (!CHECK_EQ(b.len, sizeof(ehdr) + layout->nr * sizeof(phdr)))
		return;
	memcpy(&ehdr, b.data, sizeof(ehdr));
	memcpy(&phdr, b.data + sizeof(ehdr), sizeof(phdr));
	CHECK_EQ(ehdr.e_type, ET_CORE);
	CHECK_EQ(ehdr.e_machine, EM_X86_64);
	CHECK_EQ(ehdr.e_phnum, layout->nr);
	CHECK_EQ(phdr.p_vaddr, layout->segments[0].addr);
	CHECK_EQ(phdr.p_offset, layout->segments[0].to);
	CHECK(b.len <= layout->segments[0].to);
}

static void test_layout(void)
{
	const struct core core = core_file();
	struct kcore_input in = input(SPAN(kallsyms), &core);
	struct kcore_layout layout;

	in.modules = SPAN(modules);
	in.bpf = programs;
	in.nr_bpf = ARRAY_SIZE(programs);
	if (!CHECK_EQ(kcore_layout__make(&in, &layout), 0))
		return;
	if (CHECK_EQ(layout.nr, 6)) {
		check_segment(&layout.segments[3], 0xffffffffc0400100, 0xffffffffc0400140, 0x80400100);
		check_segment(&layout.segments[4], 0xffffffffc0400200, 0xffffffffc0400280, 0x80400200);
		/* What is between them is in the copy too, where it is in memory. */
		CHECK_EQ(layout.segments[3].copied, 0x100);
		CHECK_EQ(layout.segments[4].to, layout.segments[3].to + 0x100);
		CHECK_EQ(layout.segments[4].copied, 0x80);
	}
	kcore_layout__release(&layout);
	failed = -EIO;
	if (!CHECK_EQ(kcore_layout__make(&in, &layout), 0))
		return;
	if (CHECK_EQ(layout.nr, 5)) {
		check_segment(&layout.segments[0], 0xffffffff81000000, 0xffffffff81a01000, 0x10000);
		check_segment(&layout.segments[1], 0xffffffffc0201000, 0xffffffffc0204000, 0x80201000);
		check_segment(&layout.segments[2], 0xffffffffc0400040, 0xffffffffc04000c7, 0x80400040);
		/* The trampoline may reach to the next program, with which it is one. */
		check_segment(&layout.segments[3], 0xffffffffc0400100, 0xffffffffc0400280, 0x80400100);
		check_segment(&layout.segments[4], 0xffffffffc0500000, 0xffffffffc0501000, 0x80500000);
	}
	check_headers(&layout);
	kcore_layout__release(&layout);
	CHECK(!layout.segments);
}

/* Where readers take what is below the kernel's text for user space. */
static void test_floor(void)
{
	struct core core = core_file();
	struct kcore_input in = input(SPAN(kallsyms), &core);
	struct kcore_layout layout;
	_cleanup_buf_ struct buf b = {0};
	Elf64_Phdr last;
	size_t at = 0;

	if (!CHECK_EQ(kcore_layout__make(&in, &layout), 0))
		return;
	CHECK(!kcore_layout__hides(&layout, in.kallsyms, &at));
	kcore_layout__release(&layout);
	core.ehdr.e_machine = EM_AARCH64;
	if (!CHECK_EQ(kcore_layout__make(&in, &layout), 0))
		return;
	CHECK(kcore_layout__hides(&layout, in.kallsyms, &at));
	CHECK_EQ(at, strlen("ffffffff81000000 "));
	CHECK(!kcore_layout__hides(&layout, SPAN("ffffffff81000000 T _text\n"), &at));
	kcore_layout__add_headers(&layout, &b);
	if (CHECK_EQ(b.len, sizeof(Elf64_Ehdr) + (layout.nr + 1) * sizeof(last))) {
		memcpy(&last, b.data + b.len - sizeof(last), sizeof(last));
		CHECK_EQ(((const Elf64_Ehdr *)(const void *)b.data)->e_phnum, layout.nr + 1);
		CHECK_EQ(last.p_vaddr, 1ull << 63);
		CHECK(last.p_flags & PF_X);
		CHECK(last.p_memsz && last.p_memsz == last.p_filesz);
		CHECK(b.len <= layout.segments[0].to);
	}
	kcore_layout__release(&layout);
}

static void test_errors(void)
{
	static const char zeros[] = "0000000000000000 T _stext\n0000000000000000 T _etext\n";
	struct core core = core_file();
	struct kcore_input in = input(SPAN(zeros), &core);
	struct kcore_layout layout;

	CHECK_EQ(kcore_layout__make(&in, &layout), -EACCES);
	in.kallsyms = SPAN(kallsyms);
	core.phdr[1].p_vaddr = 0xffff800000000000;
	CHECK_EQ(kcore_layout__make(&in, &layout), -ENODATA);
	in.elf.len = sizeof(core.ehdr);
	CHECK_EQ(kcore_layout__make(&in, &layout), -ENOEXEC);
	core.ehdr.e_ident[EI_CLASS] = ELFCLASS32;
	CHECK_EQ(kcore_layout__make(&in, &layout), -ENOEXEC);
}

static void test_kallsyms_lines(void)
{
	static const char text[] =
		"nonsense\nffffffff81000000 T\n ffffffff81000010 t a.b \t[m]\nffffffff81000020 D last";
	struct kallsyms_symbol sym;
	size_t pos = 0;

	CHECK(kallsyms__next(SPAN(text), &pos, &sym));
	CHECK_EQ(sym.addr, 0xffffffff81000010);
	CHECK(kallsyms__name_is(sym.name, "a.b"));
	CHECK(kallsyms__name_is(sym.module, "m"));
	CHECK(kallsyms__is_code(&sym));
	CHECK(kallsyms__next(SPAN(text), &pos, &sym));
	CHECK(kallsyms__name_is(sym.name, "last"));
	CHECK(!kallsyms__is_code(&sym));
	CHECK(!kallsyms__next(SPAN(text), &pos, &sym));
}

static void test_same_modules(void)
{
	static const char used[] = "virtio 40960 3 virtio_blk,virtio_net,x, Live 0xffffffffc0201000\n"
				   "empty 4096 0 - Live 0xffffffffc0300000\n";
	static const char moved[] = "virtio 40960 2 - Live 0xffffffffc0201000\n"
				    "empty 4096 0 - Live 0xffffffffc0310000\n";

	CHECK(kallsyms__same_modules(SPAN(modules), SPAN(used)));
	CHECK(!kallsyms__same_modules(SPAN(modules), SPAN(moved)));
	CHECK(!kallsyms__same_modules(SPAN(modules), (struct span){modules, 66}));
	CHECK(kallsyms__same_modules((struct span){NULL, 0}, (struct span){NULL, 0}));
}

int main(void)
{
	test_layout();
	test_floor();
	test_errors();
	test_kallsyms_lines();
	test_same_modules();
	return check__done();
}
