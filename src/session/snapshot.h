/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The snapshot at the end of a capture: what the CPUs' buffers hold, made into a file that decodes on its
 * own.
 */
#ifndef AUXBPF_SESSION_SNAPSHOT_H
#define AUXBPF_SESSION_SNAPSHOT_H

#include "kernel/capture_file.h"
#include "kernel/cpu_trace.h"
#include "kernel/gate.h"
#include "session/capture.h"

/*
 * Notes the state of the machine for the file: to be called after the sideband runs and the gate's programs
 * are loaded, before they are armed. Logs; 0 or a negative errno.
 */
int snapshot__prepare(const struct capture_opts *opts, struct capture_file **ret) _must_check_
	_nonnull_(1, 2);

/* Writes the file and says in one line what is in it. The trace is stopped. Logs; 0 or a negative errno. */
int snapshot__write(const struct capture_opts *opts, struct capture_file *file, const struct cpu_trace *cpus,
		    size_t nr_cpus, const struct gate *gate) _must_check_ _nonnull_(1, 2, 3, 5);

#endif
