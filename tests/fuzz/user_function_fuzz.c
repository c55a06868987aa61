// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a user function is: what is asked for, what a process has mapped, the linker's cache in its root, and a
 * library there.
 */
#include "fuzz_root.h"
#include "symbols/user_function.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const files[] = {"/proc/10/maps", "/etc/ld.so.cache", "/lib/libx.so.1"};
	struct fuzz_input in = {data, size};
	_cleanup_free_ char *where = fuzz__text(&in);
	struct function_name spec;
	struct user_functions found;
	struct file_helper helper;
	char message[512], path[PATH_MAX];
	const int pid = 10;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		fuzz_root__put(files[i], &in);
	snprintf(path, sizeof(path), "%s/proc/10/root", fuzz_root__path());
	(void)!symlink(fuzz_root__path(), path);
	file_helper__init(&helper, FILE_HELPER_TIME);
	if (!function_name__parse(where, &spec, message, sizeof(message)) && spec.binary &&
	    !user_function__find(fuzz_root__path(), &spec, &pid, 1, false, &helper, &found)) {
		FUZZ_CHECK(found.nr);
		user_functions__release(&found);
	}
	file_helper__release(&helper);
	function_name__release(&spec);
	return 0;
}
