/* SPDX-License-Identifier: GPL-2.0-only */
/* When the records of a capture end, as its header tells: perf's HEADER_SAMPLE_TIME (tools/perf/util/header.c). */
#ifndef AUXBPF_DECODE_CAPTURE_TIMES_H
#define AUXBPF_DECODE_CAPTURE_TIMES_H

#include <stdint.h>

#include "base/cleanup.h"

/* Returns the time of the last record of the capture @path, a file or a directory, in ns; 0: it is not told. */
uint64_t capture_times__last(const char *path) _must_check_ _nonnull_(1);

#endif
