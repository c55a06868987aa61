// SPDX-License-Identifier: GPL-2.0-only
/* Types in BTF format, and of structures where their members are. */
#include "fuzz.h"
#include "loader/btf_pass.h"

static int look(void *ctx, const struct btf_pass_type *type)
{
	uint32_t *last = ctx, offset;

	FUZZ_CHECK(type->id > *last && *type->name);
	*last = type->id;
	(void)!btf_pass__offset(type, "member", &offset);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	uint32_t last = 0;
	size_t len;
	_cleanup_free_ void *btf = fuzz__bytes(&in, &len);

	(void)!btf_pass__may_have(btf, len, "member");
	(void)!btf_pass__run(btf, len, look, &last);
	return 0;
}
