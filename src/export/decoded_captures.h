/* SPDX-License-Identifier: GPL-2.0-only */
/* Decodes what is exported: a capture, one of its windows, or the snapshots in a directory, one behind the other. */
#ifndef AUXBPF_EXPORT_DECODED_CAPTURES_H
#define AUXBPF_EXPORT_DECODED_CAPTURES_H

#include "export/call_walk.h"
#include "export/capture_list.h"
#include "report/decoding.h"

struct decode_captures_opts {
	struct decode_opts decode; /* its file may be a directory of snapshots */
	const char *rule;	   /* of the directory: the snapshots of this rule alone; NULL: all */
	uint64_t window;	   /* of a capture: its number, and nothing else is decoded; 0: all */
	struct call_limits limits;
	bool of_paths;	   /* tasks have paths of calls in place of trees */
	bool is_apart;	   /* each snapshot has tasks of its own, else a task is one in all of them... */
	bool one_clock;	   /* ...and snapshots of other boots are left out */
	bool has_switches; /* which tasks were on the CPUs */
	bool has_samples;  /* each sample, by time */
};

/* Zero-initialised is empty and valid. It must not be moved in memory once it is read. */
struct decoded_captures {
	struct capture_list captures;
	struct decoding decoding;
	struct call_paths_opts paths;
	struct windows windows; /* of all captures */
	struct buf
		tasks; /* struct traced_task *, by capture and number, with trees, whose is_gate marks hold, or paths */
	struct buf switches; /* struct task_switch, in no order */
};

/* Returns 0 or a negative errno, which is logged but for -ENOMEM. */
int decoded_captures__read(struct decoded_captures *d, const struct decode_captures_opts *opts) _must_check_
	_nonnull_(1, 2);
void decoded_captures__release(struct decoded_captures *d) _nonnull_(1);

static inline size_t decoded_captures__nr_tasks(const struct decoded_captures *d)
{
	return d->tasks.len / sizeof(struct traced_task *);
}

static inline struct traced_task **decoded_captures__tasks(const struct decoded_captures *d)
{
	return (struct traced_task **)(void *)d->tasks.data;
}

#endif
