// SPDX-License-Identifier: GPL-2.0-only
/*
 * An ELF file of a target's and one with its debug symbols, which is found by the build id 0001...13 and by the
 * .gnu_debuglink "symbols".
 */
#include <sys/mman.h>

#include "fuzz_root.h"
#include "symbols/elf_symbols.h"

#define BY_ID "/usr/lib/debug/.build-id/00/0102030405060708090a0b0c0d0e0f10111213.debug"

static int to_memfd(const void *data, size_t len)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	return fd;
}

static void look(const struct elf_file *file)
{
	static const char *const names[] = {"wanted", "versioned", "versioned@ONE", "indirect", "none"};
	char message[512];
	uint64_t offset, addr, start;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		*message = '\0';
		if (!elf_symbols__find(file, "FILE", names[i], &offset, message, sizeof(message)))
			FUZZ_CHECK(elf_file__address(file, offset, &addr) ||
				   !elf_file__offset(file, addr, &offset));
		else
			FUZZ_CHECK(*message);
	}
	for (addr = 0x1000; addr < 0x1020; addr += 4) {
		(void)!elf_symbols__find_addr(file, "FILE", addr, &offset, message, sizeof(message));
		(void)!elf_file__inside_function(file, addr, &start);
	}
	elf_file__has_section(file, ".go.buildinfo");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	size_t len;
	_cleanup_free_ void *program = fuzz__bytes(&in, &len);
	_cleanup_close_ int root = -1;
	char message[512] = "";
	struct elf_file file;

	fuzz_root__put_bytes(BY_ID, in.data, in.len);
	fuzz_root__put_bytes("/symbols", in.data, in.len);
	root = open(fuzz_root__path(), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (!elf_file__open(to_memfd(program, len), &(struct elf_place){root, root, "/program"}, &file,
			    message, sizeof(message)))
		look(&file);
	else
		FUZZ_CHECK(*message);
	elf_file__close(&file);
	return 0;
}
