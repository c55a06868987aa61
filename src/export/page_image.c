// SPDX-License-Identifier: GPL-2.0-only
#include "export/page_image.h"

/* The Makefile names the file. */
__asm__(".section .rodata\n"
	".globl page_image_begin, page_image_end\n"
	".hidden page_image_begin, page_image_end\n"
	"page_image_begin: .incbin \"" EXPORT_PAGE "\"\n"
	"page_image_end:\n"
	".previous\n");
extern const char page_image_begin[], page_image_end[];

void page_image__write(FILE *to)
{
	fwrite(page_image_begin, 1, (size_t)(page_image_end - page_image_begin), to);
}
