/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many samples there were in each path of calls. The paths of each event begin with its name, in the place of a function.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_SAMPLE_PATHS_H
#define AUXBPF_CALLS_SAMPLE_PATHS_H

#include "calls/call_paths.h"
#include "calls/sample.h"

/*
 * Counts a sample in the tree of @root. The innermost of the frames is the first. Returns the path that ends where the sample is, or
 * NULL if there is no memory.
 */
struct call_path *sample_paths__add(struct call_path *root, const struct function_names *names,
				    const struct sample *sample,
				    const struct sample_frame *frames) _must_check_ _nonnull_(1, 2, 3, 4);

/* Sorts the paths below each path: those with most samples first; of one number the kernel's last, by their names. 0 or -ENOMEM. */
int sample_paths__sort(struct call_path *root, const struct function_names *names) _must_check_
	_nonnull_(1, 2);

#endif
