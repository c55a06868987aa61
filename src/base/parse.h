/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parsers of single values: numbers, sizes, lists. Each takes the whole string; anything left over is an
 * error. All return 0, or -EINVAL (not of the form) or -ERANGE (too large or small).
 */
#ifndef AUXBPF_BASE_PARSE_H
#define AUXBPF_BASE_PARSE_H

#include <stdint.h>

#include "base/cleanup.h"

/* Parses a number: decimal, 0x hexadecimal or 0 octal, without a sign. */
int parse__u64(const char *s, uint64_t *ret) _must_check_ _nonnull_(1, 2);

/* Parses a process or thread id: decimal, 1 to INT_MAX. */
int parse__pid(const char *s, int *ret) _must_check_ _nonnull_(1, 2);

/*
 * Parses a number of bytes as perf and tcpdump write it: a number and an optional unit B, K, M, G (powers of
 * 1024, either case, also KiB and KB).
 */
int parse__size(const char *s, uint64_t *ret) _must_check_ _nonnull_(1, 2);

/*
 * Parses a time: a number and its unit ns, us, ms, s, m or h. A number without a unit is -EINVAL, since its
 * meaning is unclear.
 */
int parse__time(const char *s, uint64_t *ns) _must_check_ _nonnull_(1, 2);

/*
 * Parses a range of time stamps as perf takes it: "BEGIN,END" in seconds, with up to nine decimals. Without a
 * number the range begins at 0, or ends at UINT64_MAX. A begin behind the end is -ERANGE.
 */
int parse__time_range(const char *s, uint64_t *begin, uint64_t *end) _must_check_ _nonnull_(1, 2, 3);

/*
 * Parses a list of CPUs as the kernel prints it ("0-3,8"). Writes at most @max numbers in the order given and
 * returns how many there are (also if more than @max), or a negative errno.
 */
int parse__cpu_list(const char *s, int *cpus, int max) _must_check_ _nonnull_(1);

#endif
