/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which bytes of the trace of each CPU snapshots say they have, and how many the trace unit has written.
 *
 * The text has a line "CPU BEGIN END" for each CPU of each snapshot, in the order in which they were taken:
 * the bytes from BEGIN to before END of all that this CPU traced.
 */
#ifndef ORACLE_TRACE_BYTES_H
#define ORACLE_TRACE_BYTES_H

#include <stdio.h>

#include "log_reader.h"

/*
 * Checks that no byte is in two of them, and that of no CPU there are more than its unit has written, as the
 * UNIT records of the log count them. A line for each CPU, and for each fault what it is, go to @out. 0 if it
 * is right, 1 if not, or a negative errno, of which stderr tells.
 */
int trace_bytes__check(const struct oracle_log *log, const char *path, FILE *out) _must_check_
	_nonnull_(1, 2, 3);

#endif
