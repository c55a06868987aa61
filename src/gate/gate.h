/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate: the BPF programs of bpf/, and what ties them to the AUX event of every CPU.
 *
 * Order of use: gate__new() loads the programs. gate__add_cpu() is called for every AUX event before it is
 * enabled, gate__watch_cgroups() and gate__add_cgroups() if there are target cgroups. gate__attach() attaches
 * the programs, gate__arm() finds the targets and starts. gate__disarm() closes all gates for good, before
 * the AUX events are disabled, and gate__detach() detaches the programs. Nothing is pinned: the kernel frees
 * all of it when the loader ends, whatever ends it.
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
struct gate_kept;

/*
 * Opens and loads the BPF objects. @opts is copied, what it points to is not. User functions are looked for
 * where the processes @pids see their files; without processes, where we do. Logs what is wrong; 0 or a
 * negative errno.
 */
int gate__new(const struct gate_opts *opts, const int *pids, size_t nr_pids, struct gate **ret) _must_check_
	_nonnull_(1, 4);

/* Puts the AUX event @fd of @cpu under the gate's control. Logs; 0 or a negative errno. */
int gate__add_cpu(struct gate *gate, int cpu, int fd) _must_check_ _nonnull_(1);

/*
 * Makes the regular events of @cpu sample only while their task is a target with an open window. They are
 * @set, in @ring, and not enabled yet. Tracepoints are left out: a program at one of their events decides for
 * everybody's. Logs; 0 or a negative errno.
 */
int gate__limit_samples(const struct gate *gate, int cpu, const struct sample_ring *ring,
			const struct sample_set *set) _must_check_ _nonnull_(1, 3, 4);

/* Returns what the programs keep: moves of the gates, and windows (gate/gate_kept.h). */
const struct gate_kept *gate__kept(const struct gate *gate) _nonnull_(1);

/*
 * From here on, cgroups that are made below a target cgroup, or again at the path of one, are targets. Call
 * it before the tree is walked for gate__add_cgroups(). Logs; 0 or a negative errno.
 */
int gate__watch_cgroups(struct gate *gate) _must_check_ _nonnull_(1);

/*
 * Makes cgroups targets. @ids are all of them, descendants included; @paths (relative to the v2 root, "/a/b")
 * those that count again when they are removed and made again. The number of ids that were not known before,
 * or a negative errno, which is logged.
 */
int gate__add_cgroups(struct gate *gate, const uint64_t *ids, size_t nr_ids, char *const *paths,
		      size_t nr_paths) _must_check_ _nonnull_(1);

/* Forgets a path of gate__add_cgroups(): a new cgroup that is made there is no target. */
void gate__forget_cgroup(struct gate *gate, const char *path) _nonnull_(1, 2);

/*
 * Looks for user functions where these processes see their files too, for example those of a new container.
 * Logs; 0 or a negative errno.
 */
int gate__add_processes(struct gate *gate, const int *pids, size_t nr) _must_check_ _nonnull_(1);

/* Takes the path of a cgroup that was made; if the path is too long for a notice, only its begin. */
typedef void (*gate_notice_fn)(void *ctx, const char *path);

/*
 * A descriptor that polls readable when a cgroup was made that is not below a target. gate__take_notices()
 * then passes the paths of such cgroups to @fn. Those for which there was no room are counted as
 * auxbpf_cpu.dropped.
 */
int gate__notices_fd(const struct gate *gate) _nonnull_(1);
void gate__take_notices(struct gate *gate, gate_notice_fn fn, void *ctx) _nonnull_(1, 2);

/* Attaches the programs, which patches the kernel's text; no gate opens yet. Logs; 0 or a negative errno. */
int gate__attach(struct gate *gate) _must_check_ _nonnull_(1);

/* Finds the targets and arms. Logs; 0, -ESRCH if none of the tasks lives, or another negative errno. */
int gate__arm(struct gate *gate) _must_check_ _nonnull_(1);

/* The triggers; NULL if there are none. */
struct gate_triggers *gate__triggers(const struct gate *gate) _nonnull_(1);

/*
 * Says whether there is room for another snapshot. While false, triggers are only counted; before the first
 * true, they are ignored.
 */
void gate__accept(struct gate *gate, bool accept) _nonnull_(1);

/*
 * Freezing a CPU keeps its gate closed until gate__thaw(). The programs freeze with the ticket of the trigger
 * that fired, user space with one of gate__new_ticket(). gate__freeze() is true if the CPU is frozen with
 * @ticket now, false if it was frozen with another one.
 */
uint32_t gate__new_ticket(struct gate *gate) _nonnull_(1);
bool gate__freeze(struct gate *gate, int cpu, uint32_t ticket) _must_check_ _nonnull_(1);

/*
 * Closes the gate of a frozen CPU, unless the trigger that fired there did. Call it before the CPU's event is
 * stopped, because nothing moves the gate after that. Logs; 0 or a negative errno.
 */
int gate__close(struct gate *gate, int cpu) _must_check_ _nonnull_(1);

/*
 * From gate__hold() to gate__let_go() the AUX event of a CPU is the caller's to stop and start. This matters
 * in the ioctl way, where a thread of user space moves the gate: it leaves the event alone meanwhile.
 */
void gate__hold(struct gate *gate, int cpu) _nonnull_(1);
void gate__let_go(struct gate *gate, int cpu) _nonnull_(1);

/*
 * Lets the gate move again, and opens it if the task that runs there wants it open. Logs; 0 or a negative
 * errno.
 */
int gate__thaw(struct gate *gate, int cpu) _must_check_ _nonnull_(1);

/*
 * Closes all gates; none opens any more. Call it before the AUX events are disabled for good: a gate whose
 * event does not run cannot be moved, and each try would count as a loss.
 */
void gate__disarm(struct gate *gate) _nonnull_(1);

/* Detaches the programs, which takes a while, after gate__disarm(). The AUX events stay as they are. */
void gate__detach(struct gate *gate) _nonnull_(1);

/* Says which of the listed kernel functions nobody called, and which events the triggers did not see. */
void gate__log_losses(const struct gate *gate) _nonnull_(1);

/* The way in which the gates are moved. */
enum auxbpf_control gate__control(const struct gate *gate) _nonnull_(1);

/* The number of picked tasks, and of tasks that follow them, that are alive. */
uint64_t gate__live_targets(const struct gate *gate) _nonnull_(1);

/*
 * The number of those live tasks that are threads of the command. To its parent it has ended a little before
 * its last switch.
 */
uint64_t gate__live_command(const struct gate *gate) _nonnull_(1);

/* The number of possible CPUs, traced or not. */
int gate__nr_cpus(const struct gate *gate) _nonnull_(1);

/*
 * Counts how often there was no memory for notes on a task or for a target cgroup: its windows and triggers
 * are lost.
 */
uint64_t gate__no_memory(const struct gate *gate) _nonnull_(1);

/* The counters of @cpu. */
const struct auxbpf_cpu *gate__cpu(const struct gate *gate, int cpu) _nonnull_(1);

void gate__free(struct gate *gate);

DEFINE_CLEANUP(gate, struct gate *, gate__free)

#endif
