/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of the flight recorder: what triggers a snapshot, and what is done with it.
 */
#ifndef AUXBPF_COMMANDS_SNAPSHOT_OPTIONS_H
#define AUXBPF_COMMANDS_SNAPSHOT_OPTIONS_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "rules/trigger_set.h"
#include "snapshot/recorder.h"

/* The numbers of the options, none of which is a letter; those of record_options.c begin at 256. */
enum {
	OPT_SNAPSHOT_ON = 512,
	OPT_RULES,
	OPT_SCOPE,
	OPT_LOOKBACK,
	OPT_AFTER,
	OPT_SPARE,
	OPT_EXEC,
	OPT_SNAPSHOT_END,
};

struct snapshot_options {
	struct trigger_set triggers;
	struct recorder_opts recorder;
	bool on_request;	/* a rule is SIGUSR2 */
	const char *given;	/* the last given option that only makes sense with a rule; NULL: none */
	const char *given_room; /* the last given of --max-size and --min-free, which --stream has too */
	bool has_max_size;
	const struct condition_names *names; /* how names in rules are resolved */
};

/* Sets the defaults; @names must live as long as @o. */
void snapshot_options__init(struct snapshot_options *o, const struct condition_names *names) _nonnull_(1, 2);

/* Tells whether @opt is one of these options, those of limit_options.h included. */
bool snapshot_options__has(int opt);

/* Reads option @opt with its argument @arg. Logs what is wrong; 0 or -EINVAL. */
int snapshot_options__parse(struct snapshot_options *o, int opt, const char *arg) _must_check_
	_nonnull_(1, 3);

/*
 * Checks the options. To be called after the last one was read; @stream: the whole trace is wanted. Logs what
 * is wrong or probably not meant; 0 or -EINVAL.
 */
int snapshot_options__check(struct snapshot_options *o, const struct window_set *windows,
			    bool stream) _must_check_ _nonnull_(1, 2);

/* Takes snapshots on SIGUSR2 as if that was named: for a recording that has nothing but snapshots. */
void snapshot_options__take_on_request(struct snapshot_options *o) _nonnull_(1);

/* Tells whether snapshots are to be taken, rather than one capture. */
bool snapshot_options__wanted(const struct snapshot_options *o) _nonnull_(1);

void snapshot_options__release(struct snapshot_options *o) _nonnull_(1);

#endif
