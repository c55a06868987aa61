/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The windows that have BPF objects of their own beside the main one, as triggers do in gate_triggers.h:
 * those of single functions and those from one tracepoint to another.
 */
#ifndef AUXBPF_GATE_GATE_WINDOWS_H
#define AUXBPF_GATE_GATE_WINDOWS_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "gate/gate_opts.h"

struct auxbpf_bpf;
struct gate_windows;

/*
 * Finds what the windows of @opts, which must live as long, are about: functions also among those of the
 * processes @pids. Logs; 0 or a negative errno.
 */
int gate_windows__new(const struct gate_opts *opts, const int *pids, size_t nr_pids,
		      struct gate_windows **ret) _must_check_ _nonnull_(1, 4);

/* Whether there are functions of programs, for which the main object has the BPF programs. */
bool gate_windows__in_user(const struct gate_windows *windows) _nonnull_(1);

/* Loads the objects; they share the maps of the loaded @skel. Logs; 0 or a negative errno. */
int gate_windows__load(struct gate_windows *windows, struct auxbpf_bpf *skel) _must_check_ _nonnull_(1, 2);

/* Looks for functions among those of more processes. Logs; 0 or a negative errno. */
int gate_windows__add_processes(struct gate_windows *windows, const int *pids, size_t nr) _must_check_
	_nonnull_(1);

/* Attaches the programs, behind those of the main object. Logs; 0 or a negative errno. */
int gate_windows__attach(struct gate_windows *windows) _must_check_ _nonnull_(1);
void gate_windows__detach(struct gate_windows *windows) _nonnull_(1);

/* Says what nobody came to while the programs were attached, and what they may have missed. */
void gate_windows__log_losses(const struct gate_windows *windows) _nonnull_(1);

void gate_windows__free(struct gate_windows *windows);

DEFINE_CLEANUP(gate_windows, struct gate_windows *, gate_windows__free)

#endif
