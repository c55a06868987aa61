// SPDX-License-Identifier: GPL-2.0-only
/* Lines of perf for switches, with names that tasks have given themselves. */
#include "decode/switch_line.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	_cleanup_free_ char *line = fuzz__text(&in);
	struct task_switch s;

	if (!switch_line__read(line, &s))
		FUZZ_CHECK(s.tid >= 0 && s.cpu >= 0);
	return 0;
}
