/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs of the main object: which of them a session needs, and the order in which they are
 * attached. Their links belong to the skeleton, and auxbpf_bpf__detach() destroys them.
 */
#ifndef AUXBPF_GATE_GATE_PROGRAMS_H
#define AUXBPF_GATE_GATE_PROGRAMS_H

#include <stdbool.h>

#include "gate/gate_opts.h"

struct auxbpf_bpf;
struct skip_watch;

/*
 * Chooses the programs to load: those that are of no use to the session are left out. Call it before loading,
 * when the configuration of @skel is filled. @probes: there are user functions. @watch sees what the kernel
 * skips; with NULL nothing does, and programs of system calls may need their spares.
 */
void gate_programs__choose(struct auxbpf_bpf *skel, const struct gate_opts *opts, bool probes,
			   const struct skip_watch *watch) _nonnull_(1, 2);

/*
 * Attaches all but the programs of cgroups, of single functions and of switches; the spares of system calls
 * only with @spares. Logs; 0 or a negative errno.
 */
int gate_programs__attach(struct auxbpf_bpf *skel, const struct gate_opts *opts, bool spares) _must_check_
	_nonnull_(1, 2);

/*
 * Attaches the program at sched_switch, behind all others that open or close a window: it says last what the gate
 * is at the switch. Logs; 0 or a negative errno.
 */
int gate_programs__attach_switch(struct auxbpf_bpf *skel) _must_check_ _nonnull_(1);

/* Attaches the programs that follow the tree of cgroups. Logs; 0 or a negative errno. */
int gate_programs__attach_cgroups(struct auxbpf_bpf *skel, const struct gate_opts *opts) _must_check_
	_nonnull_(1, 2);

#endif
