/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One capture from start to file: opens the trace of every CPU, loads and arms the gate, runs until the
 * command or the processes end or a signal comes, and writes the file, or the last snapshots.
 */
#ifndef AUXBPF_SESSION_SESSION_H
#define AUXBPF_SESSION_SESSION_H

#include "base/cleanup.h"
#include "capture/capture_opts.h"

/*
 * Runs the capture. Returns the exit status of auxbpf: the command's own, 127 or 126 if the command is not
 * there or cannot be executed, 1 if something else went wrong. Logs.
 */
int session__run(const struct capture_opts *opts) _must_check_ _nonnull_(1);

#endif
