/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate: the BPF programs of bpf/ and what ties them to the AUX event of every CPU.
 *
 * Order of use: gate__new() loads the programs; gate__add_cpu() for every AUX event, before it is enabled;
 * gate__watch_cgroups() and gate__add_cgroups() if there are target cgroups; gate__attach() attaches the
 * programs, gate__arm() finds the targets and starts; gate__disarm() closes all gates for good, before the
 * AUX events are disabled; gate__detach(). What the kernel holds for a gate goes with the loader, whatever
 * ends it: nothing is pinned.
 */
#ifndef AUXBPF_GATE_GATE_H
#define AUXBPF_GATE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "gate/gate_opts.h"
#include "trace/sample_ring.h"
#include "trace/sample_set.h"

struct gate;

/*
 * Opens and loads; @opts is copied, what it points to is not. Users' functions are found by the eyes of the
 * processes @pids; none: by ours. Logs what is wrong; 0 or a negative errno.
 */
int gate__new(const struct gate_opts *opts, const int *pids, size_t nr_pids, struct gate **ret) _must_check_
	_nonnull_(1, 4);

/* Puts the AUX event @fd of @cpu under the gate's control. Logs; 0 or a negative errno. */
int gate__add_cpu(struct gate *gate, int cpu, int fd) _must_check_ _nonnull_(1);

/*
 * Has the regular events of @cpu, @set in @ring and not enabled yet, sample only while their task is a target with an
 * open window. Not tracepoints: a program at one of their events decides for everybody's. Logs; 0 or a negative errno.
 */
int gate__limit_samples(const struct gate *gate, int cpu, const struct sample_ring *ring,
			const struct sample_set *set) _must_check_ _nonnull_(1, 3, 4);

/* Copies, to AUXBPF_GATE_MOVES entries, the last moves of the gate of @cpu: gate/gate_moves.h. */
void gate__copy_moves(const struct gate *gate, int cpu, uint64_t *to) _nonnull_(1, 3);

/*
 * From here on, cgroups that are made below a target cgroup, or again at the path of one, are targets. To be
 * called before the tree is walked for gate__add_cgroups(). Logs; 0 or a negative errno.
 */
int gate__watch_cgroups(struct gate *gate) _must_check_ _nonnull_(1);

/*
 * Makes these cgroups targets; @ids are all of them, descendants included, @paths (relative to the v2 root,
 * "/a/b") those that count again when they are removed and made again. The number of ids that were not known
 * before, or a negative errno, which is logged.
 */
int gate__add_cgroups(struct gate *gate, const uint64_t *ids, size_t nr_ids, char *const *paths,
		      size_t nr_paths) _must_check_ _nonnull_(1);

/* A cgroup that is removed no longer counts again when it is made again. */
void gate__forget_cgroup(struct gate *gate, const char *path) _nonnull_(1, 2);

/*
 * Users' functions are looked for by the eyes of these processes too: those of a container that has come.
 * Logs; 0 or a negative errno.
 */
int gate__add_processes(struct gate *gate, const int *pids, size_t nr) _must_check_ _nonnull_(1);

/* Takes the path of a cgroup that was made; of one that is too long for that, its begin. */
typedef void (*gate_notice_fn)(void *ctx, const char *path);

/*
 * A descriptor that polls readable when a cgroup was made that is not below a target; gate__take_notices() then
 * hands over their paths. Those for which there was no room are counted as auxbpf_cpu.dropped.
 */
int gate__notices_fd(const struct gate *gate) _nonnull_(1);
void gate__take_notices(struct gate *gate, gate_notice_fn fn, void *ctx) _nonnull_(1, 2);

/* Attaches the programs, which patches the kernel's text; no gate opens yet. Logs; 0 or a negative errno. */
int gate__attach(struct gate *gate) _must_check_ _nonnull_(1);

/* Finds the targets, arms. Logs; 0, -ESRCH if none of the tasks lives, or another negative errno. */
int gate__arm(struct gate *gate) _must_check_ _nonnull_(1);

/* The triggers; NULL if there are none. */
struct gate_triggers *gate__triggers(const struct gate *gate) _nonnull_(1);

/* Whether there is room for another snapshot: if not, what fires is only counted; before there was, not even
 * that. */
void gate__accept(struct gate *gate, bool accept) _nonnull_(1);

/*
 * Freezing: the gate of a CPU stays closed until gate__thaw(). The programs freeze with the ticket of the
 * trigger that fired, user space with one of gate__new_ticket(). gate__freeze() is true if the CPU is frozen
 * with @ticket now, false if it was with another one.
 */
uint32_t gate__new_ticket(struct gate *gate) _nonnull_(1);
bool gate__freeze(struct gate *gate, int cpu, uint32_t ticket) _must_check_ _nonnull_(1);

/*
 * Closes the gate of a CPU that is frozen, unless that was done where the trigger fired: before its event is
 * stopped, for then nothing moves the gate. Logs; 0 or a negative errno.
 */
int gate__close(struct gate *gate, int cpu) _must_check_ _nonnull_(1);

/*
 * The AUX event of a CPU is the caller's, who stops it and may start it again, until gate__let_go(): where user
 * space moves the gate (ioctl), nothing does in between.
 */
void gate__hold(struct gate *gate, int cpu) _nonnull_(1);
void gate__let_go(struct gate *gate, int cpu) _nonnull_(1);

/* The gate moves again, at once if the task that runs there wants it open. Logs; 0 or a negative errno. */
int gate__thaw(struct gate *gate, int cpu) _must_check_ _nonnull_(1);

/*
 * Closes all gates; none opens any more. To be called before the AUX events are disabled for good: a gate
 * whose event does not run cannot be moved, and each try would count as a loss.
 */
void gate__disarm(struct gate *gate) _nonnull_(1);

/* Detaches the programs, which takes a while, after gate__disarm(); the AUX events stay as they are. */
void gate__detach(struct gate *gate) _nonnull_(1);

/* Says which of the listed functions of the kernel nobody called, and what events triggers were not shown. */
void gate__log_losses(const struct gate *gate) _nonnull_(1);

/* How its gates are moved. */
enum auxbpf_control gate__control(const struct gate *gate) _nonnull_(1);

/* How many tasks that were picked have yet to run, those that were followed included. */
uint64_t gate__live_targets(const struct gate *gate) _nonnull_(1);

/* The same of the command's own threads: it has ended, for its parent, a little before its last switch. */
uint64_t gate__live_command(const struct gate *gate) _nonnull_(1);

/* CPUs that may come, traced or not: those that programs can count on. */
int gate__nr_cpus(const struct gate *gate) _nonnull_(1);

/* How often nothing could be kept of a task or of a target cgroup, so far: windows and triggers of it are lost.
 */
uint64_t gate__no_memory(const struct gate *gate) _nonnull_(1);

/* The counters of @cpu. */
const struct auxbpf_cpu *gate__cpu(const struct gate *gate, int cpu) _nonnull_(1);

void gate__free(struct gate *gate);

DEFINE_CLEANUP(gate, struct gate *, gate__free)

#endif
