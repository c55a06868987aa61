/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef AUXBPF_BASE_CLOCK_H
#define AUXBPF_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns the time of @clock (clock_gettime(2)) in nanoseconds. */
uint64_t clock__ns(clockid_t clock);

#endif
