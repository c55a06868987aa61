// SPDX-License-Identifier: GPL-2.0-only
/*
 * many_libraries DIR N FAULTS: maps the libraries DIR/1 to DIR/N, copies of touch_page.so; then takes FAULTS
 * page faults of its own; then one in each of the libraries, and exits with 3. So that it can be seen whether
 * what was mapped first is still known after all that.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

typedef void (*touch_fn)(volatile char *page);

/* Nothing in it has to be relocated, and what is mapped lies as in the file. */
static touch_fn map_library(const char *dir, long nr)
{
	char path[PATH_MAX];
	struct stat st;
	char *base;
	int fd;

	snprintf(path, sizeof(path), "%s/%ld", dir, nr);
	fd = open(path, O_RDONLY);
	REQUIRE(fd >= 0 && !fstat(fd, &st));
	base = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	REQUIRE(base != MAP_FAILED);
	close(fd);
	return (touch_fn)(void *)(base + ((const Elf64_Ehdr *)(const void *)base)->e_entry);
}

int main(int argc, char **argv)
{
	long nr = program__arg(argc, argv, 2, 10), faults = program__arg(argc, argv, 3, 10);
	touch_fn *touch = calloc((size_t)nr + 1, sizeof(*touch));
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	REQUIRE(argc > 1 && touch && page != MAP_FAILED);
	for (long i = 1; i <= nr; i++)
		touch[i] = map_library(argv[1], i);
	for (long i = 0; i < faults; i++) {
		*page = 1;
		REQUIRE(!madvise((char *)(uintptr_t)page, size, MADV_DONTNEED));
	}
	for (long i = 1; i <= nr; i++) {
		touch[i](page);
		REQUIRE(!madvise((char *)(uintptr_t)page, size, MADV_DONTNEED));
	}
	return 3;
}
