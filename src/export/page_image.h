/* SPDX-License-Identifier: GPL-2.0-only */
/* The page of `export --html` without its data, which the Makefile puts together from page/; a part of this program. */
#ifndef AUXBPF_EXPORT_PAGE_IMAGE_H
#define AUXBPF_EXPORT_PAGE_IMAGE_H

#include <stdio.h>

#include "base/cleanup.h"

/* Writes the page up to where its data come. Errors are those of the stream. */
void page_image__write(FILE *to) _nonnull_(1);

#endif
