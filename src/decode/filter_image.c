// SPDX-License-Identifier: GPL-2.0-only
#include "decode/filter_image.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

/* The Makefile names the file. */
__asm__(".section .rodata\n"
	".balign 16\n"
	".globl filter_image_begin, filter_image_end\n"
	".hidden filter_image_begin, filter_image_end\n"
	"filter_image_begin: .incbin \"" BRANCH_FILTER "\"\n"
	"filter_image_end:\n"
	".previous\n");
extern const uint8_t filter_image_begin[], filter_image_end[];

int filter_image__open(void)
{
	_cleanup_close_ int fd = memfd_create("auxbpf-filter", 0);
	const uint8_t *at = filter_image_begin;

	if (fd < 0)
		return -errno;
	while (at < filter_image_end) {
		ssize_t n = write(fd, at, (size_t)(filter_image_end - at));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			at += n;
	}
	return steal_fd(&fd);
}
