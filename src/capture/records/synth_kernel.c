// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "capture/records/synth.h"
#include "perfdata/record.h"
#include "symbols/kallsyms.h"

/* perf finds the kernel by this prefix; the name of the symbol whose address is in pgoff follows it. */
#define KERNEL_NAME "[kernel.kallsyms]"

struct kernel_image {
	uint64_t text;	/* _text */
	uint64_t stext; /* _stext */
	uint64_t end;
};

static int synth__image(const struct synth *s, struct span kallsyms)
{
	const struct kernel_image image = {
		.text = kallsyms__find(kallsyms, "_text"),
		.stext = kallsyms__find(kallsyms, "_stext"),
		.end = kallsyms__find(kallsyms, "_etext"),
	};
	struct record_mmap m = {
		.misc = PERF_RECORD_MISC_KERNEL,
		.pid = (uint32_t)-1, /* perf's number of the host machine */
		.start = image.text ? image.text : image.stext,
		.name = image.text ? KERNEL_NAME "_text" : KERNEL_NAME "_stext",
	};
	struct build_id id;

	if (!m.start || image.end <= m.start) {
		log_err("/proc/kallsyms shows no addresses: set kernel.kptr_restrict to 0 or 1 and run as "
			"root");
		return -EACCES;
	}
	m.len = image.end - m.start;
	m.pgoff = m.start; /* the address of the symbol named, not an offset */
	record__add_mmap(s->out, &m, s->trailer);
	if (build_id__read_kernel(s->root, &id))
		return 0;
	return build_id_set__add(s->ids, KERNEL_NAME, PERF_RECORD_MISC_KERNEL, &id);
}

static int synth__module(const struct synth *s, const struct kallsyms_module *module)
{
	char name[MODULE_NAME_MAX + 2];
	const struct record_mmap m = {
		.misc = PERF_RECORD_MISC_KERNEL,
		.pid = (uint32_t)-1,
		.start = module->addr,
		.len = module->size,
		.name = name,
	};
	struct build_id id;

	snprintf(name, sizeof(name), "[%s]", module->name);
	record__add_mmap(s->out, &m, s->trailer);
	if (build_id__read_module(s->root, module->name, &id))
		return 0;
	return build_id_set__add(s->ids, name, PERF_RECORD_MISC_KERNEL, &id);
}

int synth__kernel(const struct synth *s, struct span kallsyms, struct span modules)
{
	struct kallsyms_module module;
	size_t pos = 0;
	int err = synth__image(s, kallsyms);

	while (!err && kallsyms__next_module(modules, &pos, &module))
		err = synth__module(s, &module);
	return err ? err : buf__error(s->out);
}
