/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the calls that `auxbpf report --graph --json --show-gate` shows. */
#ifndef ORACLE_CALL_REPORT_H
#define ORACLE_CALL_REPORT_H

#include "call_list.h"

/*
 * Reads the file at @path, and adds the calls of each task to @lists. 0 or a negative errno, of which stderr tells;
 * -EINVAL for a line that is none of such a report.
 */
int call_report__read(const char *path, struct call_lists *lists) _must_check_ _nonnull_(1, 2);

#endif
