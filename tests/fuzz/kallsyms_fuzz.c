// SPDX-License-Identifier: GPL-2.0-only
/*
 * The texts of /proc/kallsyms and /proc/modules, and the headers of /proc/kcore, from which the copy is laid out. What is left
 * of the input is the code that /proc/kcore has, again and again, wherever it is read.
 */
#include <errno.h>

#include "capture/kernel_code/kcore_layout.h"
#include "capture/records/synth.h"
#include "fuzz.h"
#include "perfdata/record.h"
#include "symbols/kallsyms.h"

static void look(struct span kallsyms, struct span modules)
{
	struct kallsyms_module module;
	struct kallsyms_symbol sym;
	size_t pos = 0;

	while (kallsyms__next(kallsyms, &pos, &sym))
		FUZZ_CHECK(sym.name.len && pos <= kallsyms.len + 1);
	for (pos = 0; kallsyms__next_module(modules, &pos, &module);)
		FUZZ_CHECK(strlen(module.name) < sizeof(module.name) && pos <= modules.len + 1);
	FUZZ_CHECK(kallsyms__modules_at(kallsyms) <= kallsyms.len);
	FUZZ_CHECK(kallsyms__same_modules(modules, modules));
	kallsyms__find(kallsyms, "_stext");
}

static void tell(struct span kallsyms, struct span modules)
{
	_cleanup_buf_ struct buf out = {0};
	struct build_id_set *ids;
	size_t pos = 0;

	if (build_id_set__new(&ids))
		abort();
	if (!synth__kernel(&(struct synth){.root = "/nowhere", .trailer = 32, .out = &out, .ids = ids},
			   kallsyms, modules))
		while (record__next(buf__span(&out), &pos))
			;
	FUZZ_CHECK(!pos || pos == out.len);
	build_id_set__free(ids);
}

static int read_kcore(void *ctx, uint64_t from, void *data, size_t len)
{
	const struct fuzz_input *code = ctx;
	uint8_t *bytes = data;

	if (!code->len)
		return -EIO;
	for (size_t i = 0; i < len; i++)
		bytes[i] = code->data[(from + i) % code->len];
	return 0;
}

static void lay_out(const struct kcore_input *in)
{
	_cleanup_buf_ struct buf headers = {0};
	struct kcore_layout layout = {0};
	uint64_t at;

	if (kcore_layout__make(in, &layout))
		return;
	for (size_t i = 0; i < layout.nr; i++) {
		const struct kcore_segment *s = &layout.segments[i];

		FUZZ_CHECK(s->addr + s->len >= s->addr);
		FUZZ_CHECK(!i || s->addr >= s[-1].addr + s[-1].len);
		FUZZ_CHECK(!s->len || (kcore_layout__find(&layout, s->addr, s->len, &at) && at == s->to));
	}
	kcore_layout__bytes(&layout);
	if (kcore_layout__hides(&layout, in->kallsyms, &at))
		FUZZ_CHECK(at < in->kallsyms.len);
	kcore_layout__add_headers(&layout, &headers);
	kcore_layout__release(&layout);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct code_range bpf[] = {{0xffffffffc0800000, 0xffffffffc0800100}};
	struct fuzz_input in = {data, size};
	struct kcore_input parts = {
		.bpf = bpf,
		.nr_bpf = 1,
		.page_size = 4096,
		.read = read_kcore,
		.ctx = &in,
	};
	size_t elf_len, len;
	_cleanup_free_ void *kallsyms = fuzz__bytes(&in, &parts.kallsyms.len);
	_cleanup_free_ void *modules = fuzz__bytes(&in, &parts.modules.len);
	_cleanup_free_ void *elf = fuzz__bytes(&in, &elf_len);

	parts.kallsyms.data = kallsyms;
	parts.modules.data = modules;
	look(parts.kallsyms, parts.modules);
	tell(parts.kallsyms, parts.modules);
	parts.elf = (struct span){elf, elf_len};
	if (!kcore_layout__elf_len(parts.elf, &len) && len <= elf_len)
		lay_out(&parts);
	return 0;
}
