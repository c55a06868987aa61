/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line of auxbpf's main command.
 */
#ifndef AUXBPF_COMMANDS_RECORD_OPTIONS_H
#define AUXBPF_COMMANDS_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "commands/event_options.h"
#include "commands/option_table.h"
#include "commands/snapshot_options.h"
#include "rules/named_cgroups.h"
#include "rules/target_set.h"
#include "rules/window_set.h"
#include "session/command_user.h"
#include "trace/sample_set.h"

/* The strings belong to argv. */
struct record_options {
	struct target_set targets; /* without the command */
	struct window_set windows;
	struct named_cgroups named_cgroups; /* cgroups that conditions of windows and triggers name */
	struct condition_names names;	    /* how names in conditions are resolved, with @named_cgroups */
	struct snapshot_options snapshots;
	const char **cgroups;
	size_t nr_cgroups;
	const char **containers;
	size_t nr_containers;
	bool all;	   /* -a */
	bool stream;	   /* all of the trace, not the newest */
	bool has_max_size; /* --max-size is given */
	uint64_t max_time; /* ns; 0: any */
	bool namespaces;
	bool archive;
	bool no_sync;
	char *cache;		     /* directory; NULL: none */
	bool wait;		     /* wait for containers that are not there yet */
	enum auxbpf_control control; /* AUXBPF_CONTROL_NR: the best that works */
	struct event_options events;
	bool trace; /* there is a trace event: that of @events, or the machine's */
	struct sample_opts in_samples;
	const char *given[OPTION_NEEDS_NR]; /* the last option that needs this; NULL: none */
	const char *output;
	uint64_t aux_size;
	uint64_t sample_size;
	int compression;	  /* the level, 0: none */
	char **argv;		  /* the command, or NULL */
	struct command_user user; /* that the command runs as; without a name: the caller */
	bool help;
	bool help_all; /* ... with all options */
	bool version;
};

/* Reads the command line. Logs what is wrong; 0 or -EINVAL. Call record_options__release() in any case. */
int record_options__parse(struct record_options *o, int argc, char **argv) _must_check_ _nonnull_(1, 3);
void record_options__release(struct record_options *o) _nonnull_(1);

#endif
