/* SPDX-License-Identifier: GPL-2.0-only */
/* The filter for perf script (branch_filter.c) as a shared object, which is a part of this program. */
#ifndef AUXBPF_DECODE_FILTER_IMAGE_H
#define AUXBPF_DECODE_FILTER_IMAGE_H

#include "base/cleanup.h"

/*
 * Returns a descriptor of a file in memory (memfd_create(2)) that has the shared object, without close-on-exec,
 * so that perf can load it from /proc/self/fd; or a negative errno. The caller closes it.
 */
int filter_image__open(void) _must_check_;

#endif
