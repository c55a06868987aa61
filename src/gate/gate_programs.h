/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs of the main object: which of them a session needs, and in which order they are attached.
 * Their links are the skeleton's, and go with auxbpf_bpf__detach().
 */
#ifndef AUXBPF_GATE_GATE_PROGRAMS_H
#define AUXBPF_GATE_GATE_PROGRAMS_H

#include <stdbool.h>

#include "gate/gate_opts.h"

struct auxbpf_bpf;
struct skip_watch;

/*
 * Before they are loaded: those that cannot be of use are not. The configuration of @skel has been filled;
 * @probes: there are functions of users' programs; @watch: sees what the kernel skips, NULL: nothing does, so
 * that programs of system calls may need their spares.
 */
void gate_programs__choose(struct auxbpf_bpf *skel, const struct gate_opts *opts, bool probes,
			   const struct skip_watch *watch) _nonnull_(1, 2);

/*
 * Attaches all but those of cgroups and of single functions; the spares of system calls only with @spares.
 * Logs; 0 or a negative errno.
 */
int gate_programs__attach(struct auxbpf_bpf *skel, const struct gate_opts *opts, bool spares) _must_check_
	_nonnull_(1, 2);

/* Attaches those that follow the tree of cgroups. Logs; 0 or a negative errno. */
int gate_programs__attach_cgroups(struct auxbpf_bpf *skel, const struct gate_opts *opts) _must_check_
	_nonnull_(1, 2);

#endif
