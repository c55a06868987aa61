// SPDX-License-Identifier: GPL-2.0-only
/* The path of a cgroup, which any user names who has some: the container that it tells of. */
#include "containers/container_name.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	_cleanup_free_ char *path = fuzz__text(&in);
	struct container_name name;
	char uid[64];

	container_name__read(path, &name);
	FUZZ_CHECK(name.outer <= strlen(path) && strlen(name.id) < sizeof(name.id));
	FUZZ_CHECK(name.kind <= CONTAINER_UNIT && (name.kind == CONTAINER_NONE || name.runtime));
	container_name__format_uid(container_name__last(path), uid, sizeof(uid));
	container_name__is_hex(path, 4);
	return 0;
}
