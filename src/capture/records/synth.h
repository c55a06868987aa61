/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes records of what was there before the first record of the kernel: its own image, modules, tasks and
 * their maps. Their order and contents are those of perf record (tools/perf/util/synthetic-events.c), so that
 * readers find what they expect.
 */
#ifndef AUXBPF_CAPTURE_RECORDS_SYNTH_H
#define AUXBPF_CAPTURE_RECORDS_SYNTH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "files/build_ids.h"
#include "files/file_helper.h"

struct synth {
	const char *root;	    /* that of /proc and /sys */
	size_t trailer;		    /* record__trailer_len() of the events' sample_type */
	struct buf *out;	    /* where the records go */
	struct build_id_set *ids;   /* gets the build ids of all that is named */
	struct file_helper *helper; /* opens what is mapped */
	bool data;		    /* files that are mapped only to be read have records, too */
	bool namespaces;	    /* the namespaces of tasks have records */

	/*
	 * The processes @first come first, with all that they have mapped. What others have mapped gets
	 * records until there are @max_maps bytes of them, half of which they share fairly, and until
	 * CLOCK_MONOTONIC is @until, in ns; 0: without a limit. @cut counts processes that are incomplete.
	 */
	const int *first;
	size_t nr_first;
	size_t max_maps;
	uint64_t until;
	unsigned int *cut;
};

/*
 * Adds the maps of the kernel and its modules, from the texts of /proc/kallsyms and /proc/modules. -EACCES
 * (logged) if kallsyms hides the addresses, or -ENOMEM.
 */
int synth__kernel(const struct synth *s, struct span kallsyms, struct span modules) _must_check_ _nonnull_(1);

/*
 * Adds FORK, NAMESPACES if asked for, and COMM of every thread, and MMAP2 of the maps of every process. A
 * task that has ended, or ends meanwhile, is left out. -ENOMEM, or the error of opening /proc.
 */
int synth__tasks(const struct synth *s) _must_check_ _nonnull_(1);

#endif
