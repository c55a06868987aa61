/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints which snapshots a directory has, and by which rules they were taken. */
#ifndef AUXBPF_REPORT_SNAPSHOT_SCREEN_H
#define AUXBPF_REPORT_SNAPSHOT_SCREEN_H

#include <stdio.h>

#include "report/snapshots.h"

/* Prints the screen. Returns 0 or -ENOMEM. */
int snapshot_screen__print(FILE *to, const struct snapshots *snapshots) _must_check_ _nonnull_(1, 2);

/* Writes the snapshots as JSON: their lines of the index. */
void snapshot_screen__print_json(FILE *to, const struct snapshots *snapshots) _nonnull_(1, 2);

#endif
