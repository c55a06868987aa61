/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of what was there before the first record of the kernel: its own image, modules, tasks and their
 * maps. The order and the contents are those of perf record (tools/perf/util/synthetic-events.c), so that
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
	const char *root;	    /* of /proc and /sys */
	size_t trailer;		    /* record__trailer_len() of the events' sample_type */
	struct buf *out;	    /* where the records go */
	struct build_id_set *ids;   /* gets the build ids of all that is named */
	struct file_helper *helper; /* opens what is mapped */
	bool data;		    /* files that are only read are told of, too */
	bool namespaces;	    /* so are the namespaces of tasks */

	/*
	 * These processes come first, with all that they have mapped. What others have mapped is told as far as there
	 * are @max_maps bytes of records, half of which they share fairly, and until it is @until, by CLOCK_MONOTONIC
	 * in ns; 0: without a limit. @cut counts those of which not all is told.
	 */
	const int *first;
	size_t nr_first;
	size_t max_maps;
	uint64_t until;
	unsigned int *cut;
};

/*
 * The maps of the kernel and its modules, from the texts of /proc/kallsyms and /proc/modules. -EACCES
 * (logged) if kallsyms hides the addresses, or -ENOMEM.
 */
int synth__kernel(const struct synth *s, struct span kallsyms, struct span modules) _must_check_ _nonnull_(1);

/*
 * FORK, NAMESPACES if asked for, and COMM of every thread, MMAP2 of the maps of every process. A task that has
 * ended, or ends meanwhile, is left out. -ENOMEM, or the error of opening /proc.
 */
int synth__tasks(const struct synth *s) _must_check_ _nonnull_(1);

#endif
