// SPDX-License-Identifier: GPL-2.0-only
/* The source lines of a file, as a helper sends them, and the call sites that they are for. */
#include <errno.h>

#include "calls/call_sites.h"
#include "fuzz.h"
#include "symbols/source_lines.h"

#define NR_ADDRESSES 2

static void check(const struct source_lines *lines)
{
	struct call_sites sites = {0};
	inlined_id id;

	FUZZ_CHECK(lines->nr == NR_ADDRESSES);
	for (size_t i = 0; i < lines->nr; i++)
		FUZZ_CHECK(lines->lines[i].file && lines->lines[i].instance <= lines->nr_instances);
	for (size_t i = 0; i < lines->nr_instances; i++) {
		const struct source_instance *in = &lines->instances[i];
		int err = call_sites__add_inlined(&sites, 1, in->where.file, in->where.line,
						  in->where.instance, &id);

		FUZZ_CHECK(in->name && in->where.instance <= i);
		if (err)
			break;
		FUZZ_CHECK(id == i + 1);
	}
	call_sites__release(&sites);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source_lines lines;
	struct buf text = {0};
	int err;

	buf__add(&text, data, size);
	err = source_lines__unpack(&text, NR_ADDRESSES, &lines);
	FUZZ_CHECK(!err || err == -EBADMSG);
	if (!err)
		check(&lines);
	source_lines__release(&lines);
	return 0;
}
