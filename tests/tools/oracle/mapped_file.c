// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "mapped_file.h"

static int mapped_file__map(struct mapped_file *file, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *data;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	*file = (struct mapped_file){.size = (size_t)st.st_size};
	if (!st.st_size)
		return 0;
	/* Without MAP_NORESERVE a file that is larger than the memory, all of which might be changed, is refused. */
	data = mmap(NULL, file->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	if (data == MAP_FAILED)
		return -errno;
	file->data = data;
	mapped_file__expect(file, MADV_SEQUENTIAL);
	return 0;
}

void mapped_file__expect(const struct mapped_file *file, int advice)
{
	if (file->data)
		(void)madvise((void *)(uintptr_t)file->data, file->size, advice);
}

int mapped_file__open(struct mapped_file *file, const char *path)
{
	int err = mapped_file__map(file, path);

	if (err)
		fprintf(stderr, "oracle-check: cannot read %s: %s\n", path, strerror(-err));
	return err;
}

void mapped_file__release(struct mapped_file *file)
{
	if (file->data)
		munmap((void *)(uintptr_t)file->data, file->size);
	*file = (struct mapped_file){0};
}
