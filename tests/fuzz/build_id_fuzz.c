// SPDX-License-Identifier: GPL-2.0-only
/* The build ids of an ELF file, and of the notes of the kernel and of a module. */
#include <sys/mman.h>

#include "files/build_ids.h"
#include "fuzz_root.h"

static void check(const struct build_id *id)
{
	char digits[2 * BUILD_ID_MAX + 1], path[BUILD_ID_PATH_SIZE];

	FUZZ_CHECK(id->size <= BUILD_ID_MAX);
	build_id__digits(id, digits);
	build_id__path(id, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_close_ int fd = memfd_create("elf", MFD_CLOEXEC);
	struct fuzz_input in = {data, size};
	struct build_id id;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (!build_id__read_elf(fd, &id)) {
		check(&id);
		FUZZ_CHECK(build_id__is_of(&id, fd));
	}
	fuzz_root__put("/sys/kernel/notes", &in);
	fuzz_root__put("/sys/module/m/notes/.note.gnu.build-id", &in);
	if (!build_id__read_kernel(fuzz_root__path(), &id))
		check(&id);
	if (!build_id__read_module(fuzz_root__path(), "m", &id))
		check(&id);
	return 0;
}
