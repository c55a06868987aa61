// SPDX-License-Identifier: GPL-2.0-only
/* /etc/ld.so.cache of a target's. */
#include "fuzz.h"
#include "symbols/ld_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	size_t len, i = 0, sum = 0;
	_cleanup_free_ void *copy = fuzz__bytes(&in, &len);
	struct span cache = ld_cache__begin((struct span){copy, len});
	struct ld_cache_entry entry;

	while (ld_cache__next(cache, &i, &entry))
		sum += strlen(entry.soname) + strlen(entry.path);
	FUZZ_CHECK(i <= len && (!i || sum <= i * 2 * len));
	return 0;
}
