// SPDX-License-Identifier: GPL-2.0-only
#include "capture/kernel_code/kcore_layout.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/kallsyms.h"

/* An address where nothing is, below all of the kernel's code. */
#define FLOOR (1ull << 63)

struct ranges {
	struct buf buf; /* of struct code_range */
};

static void ranges__add(struct ranges *r, uint64_t start, uint64_t end)
{
	const struct code_range range = {start, end};

	if (end > start)
		buf__add(&r->buf, &range, sizeof(range));
}

static struct code_range *ranges__all(const struct ranges *r, size_t *nr)
{
	*nr = r->buf.len / sizeof(struct code_range);
	return (struct code_range *)(void *)r->buf.data;
}

static int by_start(const void *a, const void *b)
{
	const struct code_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Sorts the ranges, and joins those that touch. */
static void ranges__normalize(struct ranges *r)
{
	size_t nr, i, out = 0;
	struct code_range *all = ranges__all(r, &nr);

	if (!nr)
		return;
	qsort(all, nr, sizeof(*all), by_start);
	for (i = 1; i < nr; i++) {
		if (all[i].start > all[out].end)
			all[++out] = all[i];
		else if (all[i].end > all[out].end)
			all[out].end = all[i].end;
	}
	buf__truncate(&r->buf, (out + 1) * sizeof(*all));
}

/* A module of /proc/modules, and where its code was found. */
struct module_code {
	struct kallsyms_module module;
	struct code_range code;
};

struct module_table {
	struct buf buf;		  /* of struct module_code */
	struct module_code *last; /* kallsyms lists a module's symbols together */
};

static void module_table__read(struct module_table *t, struct span modules)
{
	struct module_code m = {.code = {.start = UINT64_MAX}};
	size_t pos = 0;

	while (kallsyms__next_module(modules, &pos, &m.module))
		buf__add(&t->buf, &m, sizeof(m));
}

static struct module_code *module_table__find(struct module_table *t, struct span name)
{
	struct module_code *m = (struct module_code *)(void *)t->buf.data;
	struct module_code *end = m + t->buf.len / sizeof(*m);

	if (t->last && kallsyms__name_is(name, t->last->module.name))
		return t->last;
	for (; m < end; m++)
		if (kallsyms__name_is(name, m->module.name))
			return t->last = m;
	return NULL;
}

/*
 * Adds the code of each module: from its first function to the page after the start of its last one, but not
 * beyond its memory.
 */
static void module_table__add_ranges(const struct module_table *t, struct ranges *r, uint64_t page)
{
	const struct module_code *m = (const struct module_code *)(const void *)t->buf.data;
	const struct module_code *stop = m + t->buf.len / sizeof(*m);

	for (; m < stop; m++) {
		uint64_t start = m->code.start & ~(page - 1);
		uint64_t limit = m->module.addr + ((m->module.size + page - 1) & ~(page - 1));
		uint64_t end = (m->code.end & ~(page - 1)) + 2 * page;

		if (m->code.start == UINT64_MAX)
			continue;
		ranges__add(r, start, limit > m->code.end && limit < end ? limit : end);
	}
}

/* Returns how many bytes kcore has from @addr on, and their offset in it in @from; 0 if it has none. */
static uint64_t find_in_kcore(struct span elf, uint64_t addr, uint64_t *from)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	unsigned int i;

	memcpy(&ehdr, elf.data, sizeof(ehdr));
	for (i = 0; i < ehdr.e_phnum; i++) {
		memcpy(&phdr, (const char *)elf.data + ehdr.e_phoff + i * sizeof(phdr), sizeof(phdr));
		if (phdr.p_type != PT_LOAD || addr < phdr.p_vaddr || addr - phdr.p_vaddr >= phdr.p_memsz)
			continue;
		*from = phdr.p_offset + (addr - phdr.p_vaddr);
		return phdr.p_memsz - (addr - phdr.p_vaddr);
	}
	return 0;
}

/* Code that is in no module, and whose size is not known. */
struct image {
	struct code_range range; /* its end is not set */
	bool is_trampoline;	 /* a trampoline of BPF programs */
};

/*
 * Trampolines share memory with BPF programs in units of this size. Unused units are filled with instructions
 * that trap (kernel/bpf/core.c, bpf_prog_pack_alloc()): x86's INT3, arm64's BRK.
 */
#define UNIT 64

static bool is_unused(const uint8_t *unit, uint16_t machine)
{
	static const uint8_t int3[] = {0xcc, 0xcc, 0xcc, 0xcc}, brk[] = {0x00, 0x20, 0x20, 0xd4};
	const uint8_t *fill = machine == EM_X86_64 ? int3 : brk;

	for (size_t i = 0; i < UNIT; i += sizeof(int3))
		if (memcmp(unit + i, fill, sizeof(int3)) != 0)
			return false;
	return true;
}

/* Finds the end of a trampoline, because programs that are loaded behind it later must be in no segment. */
static uint64_t end_of_trampoline(const struct kcore_input *in, uint64_t start, uint64_t limit)
{
	uint64_t at = (start + UNIT - 1) & ~(uint64_t)(UNIT - 1), from;
	uint64_t len = limit > at ? find_in_kcore(in->elf, at, &from) : 0;
	_cleanup_free_ uint8_t *bytes = NULL;
	Elf64_Ehdr ehdr;

	if (len > limit - at)
		len = limit - at;
	bytes = malloc(len + 1);
	if (!bytes || !len || in->read(in->ctx, from, bytes, len))
		return limit;
	memcpy(&ehdr, in->elf.data, sizeof(ehdr));
	for (uint64_t i = 0; i + UNIT <= len; i += UNIT)
		if (is_unused(bytes + i, ehdr.e_machine))
			return at + i;
	return limit;
}

/* Adds the images. Each fills at most a page. */
static void add_images(struct ranges *r, struct buf *images, const struct kcore_input *in)
{
	struct image *all = (struct image *)(void *)images->data;
	size_t nr = images->len / sizeof(*all), i, j;

	qsort(all, nr, sizeof(*all), by_start);
	for (i = 0; i < nr; i++) {
		const uint64_t start = all[i].range.start;
		uint64_t end = start + in->page_size;

		if (i + 1 < nr && all[i + 1].range.start < end)
			end = all[i + 1].range.start;
		for (j = 0; j < in->nr_bpf; j++) {
			if (in->bpf[j].start == start)
				end = start; /* a program, its size is known */
			else if (in->bpf[j].start > start && in->bpf[j].start < end)
				end = in->bpf[j].start;
		}
		if (all[i].is_trampoline)
			end = end_of_trampoline(in, start, end);
		ranges__add(r, start, end);
	}
}

static void widen(struct code_range *range, uint64_t addr)
{
	if (addr < range->start)
		range->start = addr;
	if (addr > range->end)
		range->end = addr;
}

static void add_image(struct buf *images, const struct kallsyms_symbol *sym)
{
	static const char prefix[] = "bpf_trampoline_";
	const struct image image = {
		.range.start = sym->addr,
		.is_trampoline = sym->name.len >= sizeof(prefix) - 1 &&
				 !memcmp(sym->name.data, prefix, sizeof(prefix) - 1),
	};

	buf__add(images, &image, sizeof(image));
}

struct symbols {
	struct code_range text;
	struct module_table modules;
	struct buf images;
};

static void symbols__read(struct symbols *s, const struct kcore_input *in)
{
	struct kallsyms_symbol sym;
	struct module_code *m;
	size_t pos = kallsyms__modules_at(in->kallsyms);

	module_table__read(&s->modules, in->modules);
	s->text.start = kallsyms__find(in->kallsyms, "_stext");
	s->text.end = kallsyms__find(in->kallsyms, "_etext");
	while (kallsyms__next(in->kallsyms, &pos, &sym)) {
		if (!sym.module.len || !kallsyms__is_code(&sym) || !sym.addr)
			continue;
		m = module_table__find(&s->modules, sym.module);
		if (m)
			widen(&m->code, sym.addr);
		else
			add_image(&s->images, &sym);
	}
}

static int collect_ranges(const struct kcore_input *in, struct ranges *r, struct code_range *text)
{
	struct symbols s = {0};
	size_t i;
	int err;

	symbols__read(&s, in);
	err = buf__error(&s.images);
	if (!err)
		err = buf__error(&s.modules.buf);
	if (!err && (!s.text.start || s.text.end <= s.text.start))
		err = -EACCES;
	if (!err) {
		text->start = s.text.start & ~(in->page_size - 1);
		text->end = (s.text.end + in->page_size - 1) & ~(in->page_size - 1);
		ranges__add(r, text->start, text->end);
		module_table__add_ranges(&s.modules, r, in->page_size);
		for (i = 0; i < in->nr_bpf; i++)
			ranges__add(r, in->bpf[i].start, in->bpf[i].end);
		if (s.images.len)
			add_images(r, &s.images, in);
		err = buf__error(&r->buf);
	}
	buf__release(&s.images);
	buf__release(&s.modules.buf);
	return err;
}

int kcore_layout__elf_len(struct span head, size_t *len)
{
	Elf64_Ehdr ehdr;

	if (head.len < sizeof(ehdr))
		return -ENOEXEC;
	memcpy(&ehdr, head.data, sizeof(ehdr));
	if (memcmp(ehdr.e_ident, ELFMAG, SELFMAG) || ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr.e_type != ET_CORE || ehdr.e_phentsize != sizeof(Elf64_Phdr) || ehdr.e_phoff > 1 << 20)
		return -ENOEXEC;
	*len = ehdr.e_phoff + (size_t)ehdr.e_phnum * sizeof(Elf64_Phdr);
	return 0;
}

/*
 * Returns the offset of @seg in the copy: as far from the segment before as in memory if that is near, or
 * else on a page of its own.
 */
static uint64_t place(struct kcore_segment *before, const struct kcore_segment *seg, uint64_t page)
{
	const uint64_t in_page = seg->addr & (page - 1), end = before->to + before->copied;

	if (before->len && seg->addr - (before->addr + before->len) < page &&
	    seg->from - before->from == seg->addr - before->addr) {
		before->copied = seg->addr - before->addr;
		return before->to + before->copied;
	}
	return ((end + page - 1) & ~(page - 1)) + in_page;
}

static void layout__add_segments(struct kcore_layout *layout, const struct kcore_input *in,
				 const struct ranges *r)
{
	size_t nr, i;
	const struct code_range *all = ranges__all(r, &nr);
	struct kcore_segment headers = {.copied = sizeof(Elf64_Ehdr) + (nr + 1) * sizeof(Elf64_Phdr)};
	struct kcore_segment *before = &headers;

	for (i = 0; i < nr; i++) {
		struct kcore_segment *seg = &layout->segments[layout->nr];

		seg->addr = all[i].start;
		seg->len = find_in_kcore(in->elf, seg->addr, &seg->from);
		if (!seg->len)
			continue;
		if (seg->len > all[i].end - all[i].start)
			seg->len = all[i].end - all[i].start;
		seg->copied = seg->len;
		seg->to = place(before, seg, in->page_size);
		before = seg;
		layout->nr++;
	}
}

static bool layout__has(const struct kcore_layout *layout, const struct code_range *range)
{
	size_t i;

	for (i = 0; i < layout->nr; i++)
		if (layout->segments[i].addr <= range->start &&
		    layout->segments[i].addr + layout->segments[i].len >= range->end)
			return true;
	return false;
}

int kcore_layout__make(const struct kcore_input *in, struct kcore_layout *ret)
{
	struct ranges r = {0};
	struct code_range text = {0};
	Elf64_Ehdr ehdr;
	size_t nr, len;
	int err = kcore_layout__elf_len(in->elf, &len);

	*ret = (struct kcore_layout){0};
	if (err || in->elf.len < len)
		return err ? err : -ENOEXEC;
	err = collect_ranges(in, &r, &text);
	ranges__normalize(&r);
	ranges__all(&r, &nr);
	ret->segments = err ? NULL : calloc(nr, sizeof(*ret->segments));
	if (ret->segments) {
		memcpy(&ehdr, in->elf.data, sizeof(ehdr));
		ret->machine = ehdr.e_machine;
		layout__add_segments(ret, in, &r);
		err = layout__has(ret, &text) ? 0 : -ENODATA;
	} else if (!err) {
		err = -ENOMEM;
	}
	buf__release(&r.buf);
	if (err)
		kcore_layout__release(ret);
	return err;
}

void kcore_layout__release(struct kcore_layout *layout)
{
	free(layout->segments);
	*layout = (struct kcore_layout){0};
}

bool kcore_layout__overlaps(const struct kcore_layout *layout, const struct code_range *range)
{
	size_t i;

	for (i = 0; i < layout->nr; i++)
		if (layout->segments[i].addr < range->end &&
		    range->start < layout->segments[i].addr + layout->segments[i].len)
			return true;
	return false;
}

bool kcore_layout__find(const struct kcore_layout *layout, uint64_t addr, uint64_t len, uint64_t *at)
{
	for (size_t i = 0; i < layout->nr; i++) {
		const struct kcore_segment *seg = &layout->segments[i];

		if (addr < seg->addr || addr - seg->addr > seg->len || len > seg->len - (addr - seg->addr))
			continue;
		*at = seg->to + (addr - seg->addr);
		return true;
	}
	return false;
}

uint64_t kcore_layout__bytes(const struct kcore_layout *layout)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < layout->nr; i++)
		bytes += layout->segments[i].len;
	return bytes;
}

static bool needs_floor(const struct kcore_layout *layout)
{
	return layout->machine != EM_X86_64;
}

bool kcore_layout__hides(const struct kcore_layout *layout, struct span kallsyms, size_t *at)
{
	struct kallsyms_symbol sym;
	size_t pos = 0;

	while (needs_floor(layout) && kallsyms__next(kallsyms, &pos, &sym)) {
		if (!kallsyms__name_is(sym.name, "_stext"))
			continue;
		*at = (size_t)((const char *)sym.name.data - (const char *)kallsyms.data) - strlen("T ");
		return true;
	}
	return false;
}

/* Adds a program header with the flags of /proc/kcore: a reader takes only what has X. */
static void add_header(struct buf *b, uint64_t addr, uint64_t at, uint64_t len)
{
	const Elf64_Phdr phdr = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_W | PF_X,
		.p_offset = at,
		.p_vaddr = addr,
		.p_filesz = len,
		.p_memsz = len,
		.p_align = 1,
	};

	buf__add(b, &phdr, sizeof(phdr));
}

void kcore_layout__add_headers(const struct kcore_layout *layout, struct buf *b)
{
	const Elf64_Ehdr ehdr = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_CORE,
		.e_machine = layout->machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(ehdr),
		.e_ehsize = sizeof(ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (Elf64_Half)(layout->nr + needs_floor(layout)),
	};
	size_t i;

	if (layout->nr + 1 >= PN_XNUM)
		buf__fail(b, -E2BIG);
	buf__add(b, &ehdr, sizeof(ehdr));
	for (i = 0; i < layout->nr; i++)
		add_header(b, layout->segments[i].addr, layout->segments[i].to, layout->segments[i].len);
	if (needs_floor(layout))
		add_header(b, FLOOR, 0, sizeof(ehdr));
}
