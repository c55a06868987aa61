// SPDX-License-Identifier: GPL-2.0-only
/* A mapped file may be larger than the memory, and what is changed in memory stays out of it. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "mapped_file.h"

/* A hole to its last byte, and larger than the memory of machines and what they swap to. */
#define HUGE_SIZE ((off_t)1 << 40)

static void test_larger_than_memory(void)
{
	_cleanup_mapped_file_ struct mapped_file file = {0};
	char path[] = "/tmp/oracle-test-XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);
	char *data, last;

	if (fd < 0)
		abort();
	if (pwrite(fd, "x", 1, HUGE_SIZE - 1) != 1) {
		perror("skipped: no file of 1 TiB");
	} else if (CHECK_EQ(mapped_file__open(&file, path), 0)) {
		data = (char *)(uintptr_t)file.data;
		CHECK_EQ(file.size, HUGE_SIZE);
		CHECK_EQ(data[HUGE_SIZE - 1], 'x');
		data[HUGE_SIZE - 1] = 'y';
		CHECK(pread(fd, &last, 1, HUGE_SIZE - 1) == 1 && last == 'x');
	}
	unlink(path);
}

int main(void)
{
	test_larger_than_memory();
	return check__done();
}
