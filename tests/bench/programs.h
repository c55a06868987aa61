/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The size of the gate's programs.
 */
#ifndef BENCH_PROGRAMS_H
#define BENCH_PROGRAMS_H

#include "variant.h"

/*
 * Prints, for two sessions, the instructions of each of the gate's programs: as the kernel has it, as the
 * verifier walked through it; its machine code, and the time of a run as the kernel takes it, which is too
 * much by that of reading a clock twice. Says what is wrong; 0 or a negative errno.
 */
int programs__print(const struct bench *bench) _must_check_ _nonnull_(1);

#endif
