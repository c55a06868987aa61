/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The size of the gate's BPF programs.
 */
#ifndef BENCH_PROGRAMS_H
#define BENCH_PROGRAMS_H

#include "variant.h"

/*
 * Prints, for two sessions, for each of the gate's BPF programs: its instructions, those that the verifier
 * walked through, the bytes of its machine code, and the time of a run as the kernel measures it, which
 * includes reading a clock twice. Logs; 0 or a negative errno.
 */
int programs__print(const struct bench *bench) _must_check_ _nonnull_(1);

#endif
