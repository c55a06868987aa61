// SPDX-License-Identifier: GPL-2.0-only
/* The first instructions of a function of a target's. */
#include "fuzz.h"
#include "symbols/uprobe_insn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	size_t len;
	_cleanup_free_ uint8_t *code = fuzz__bytes(&in, &len);

	FUZZ_CHECK(len || !uprobe_insn__is_branch(code, len));
	uprobe_insn__is_branch(code, len);
	return 0;
}
