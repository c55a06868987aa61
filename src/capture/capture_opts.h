/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of a session, as the command line gives them, and what follows from several of them together.
 */
#ifndef AUXBPF_CAPTURE_CAPTURE_OPTS_H
#define AUXBPF_CAPTURE_CAPTURE_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "rules/named_cgroups.h"
#include "rules/target_set.h"
#include "rules/window_set.h"
#include "trace/cpu_trace.h"
#include "trace/sample_set.h"
#include "trace/trace_pmu.h"

struct command_user;
struct recorder_opts;
struct stream_opts;

struct capture_opts {
	const char *root;		  /* of /proc and /sys, "" for the real one */
	const struct trace_event *event;  /* NULL: there is no trace */
	enum auxbpf_control control;	  /* AUXBPF_CONTROL_NR: the best that works */
	const struct target_set *targets; /* without the command and what the names below stand for */
	const struct window_set *windows;
	const struct named_cgroups *named_cgroups; /* in conditions of windows and triggers */
	bool command_is_target;			   /* if not, it only says how long to trace */
	const char *const *cgroups;		   /* as given with --cgroup */
	size_t nr_cgroups;
	const char *const *containers; /* as given with --container */
	size_t nr_containers;
	bool wait;			      /* for containers that are not there yet */
	const struct recorder_opts *recorder; /* snapshots at triggers; NULL: one capture at the end */
	const struct stream_opts *stream;     /* the full trace; NULL: the newest that the buffers hold */
	uint64_t max_time;		      /* ns; 0: any */
	bool archive;			      /* keep all that is needed to decode the capture elsewhere */
	const char *cache;		      /* keep the same in this perf cache; NULL: do not */
	bool no_sync;			      /* files may be lost if the machine stops */
	bool namespaces;		      /* records tell of the namespaces of tasks */
	bool cgroup_records;		      /* records tell of cgroups */
	const char *output;		      /* the file of the capture, or the directory of the snapshots */
	int compression;		      /* level of the compression of records, 0: none */
	size_t aux_size;		      /* bytes a CPU, a power of two */
	const struct sample_set *samples;     /* NULL: none; with samples @recorder is set */
	size_t sample_size;		      /* bytes a CPU, a power of two */
	char *const *argv;		      /* the command, NULL-terminated; NULL if there is none */
	const struct command_user *user;      /* that the command runs as; NULL: the caller */
	char *const *cmdline; /* auxbpf's own arguments, without argv[0], for the file's header */
	const char *version;  /* auxbpf's own, for the header too */
};

/* Whether the trace or the samples may have code of the kernel, and of user mode. */
bool capture_opts__has_kernel(const struct capture_opts *opts) _nonnull_(1);
bool capture_opts__has_user(const struct capture_opts *opts) _nonnull_(1);

/* Whether snapshots copy the trace from its buffers: not if samples contain it, or if there is none. */
bool capture_opts__copies_aux(const struct capture_opts *opts) _nonnull_(1);

/* Whether samples are limited to windows, and whether some of them can only be limited in snapshots. */
bool capture_opts__limits_samples(const struct capture_opts *opts) _nonnull_(1);
bool capture_opts__keeps_moves(const struct capture_opts *opts) _nonnull_(1);

/* Whether the reader of the sideband's rings asks when the gate moved. */
bool capture_opts__asks_for_moves(const struct capture_opts *opts) _nonnull_(1);

/*
 * The time between two looks at the records of mapped files, ns: so programs that go away soon after are
 * kept, too. 0 if that is not asked for.
 */
uint64_t capture_opts__look_every(const struct capture_opts *opts) _nonnull_(1);

/* Fills the options of what is opened on each CPU, but for how the gate is moved. */
void capture_opts__trace(const struct capture_opts *opts, struct cpu_trace_opts *ret) _nonnull_(1, 2);

/* Whether there is a status line. If a command is traced, the screen is the command's. */
bool capture_opts__shows_status(const struct capture_opts *opts) _nonnull_(1);

/* Whether files may get names in directories that this user does not own. */
bool capture_opts__writes_to_others(const struct capture_opts *opts) _nonnull_(1);

#endif
