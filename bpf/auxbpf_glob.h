/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Matches a task's name against the patterns of a struct auxbpf_glob. Used by the BPF programs and, so that
 * it can be compared with fnmatch(3), by a unit test.
 */
#ifndef AUXBPF_GLOB_H
#define AUXBPF_GLOB_H

#include "auxbpf_shared.h"

#ifndef __bpf__
#include <stdbool.h>
#endif

/*
 * Whether any pattern matches the whole name, which ends at its first NUL or with the array. At most
 * AUXBPF_COMM_LEN steps, whatever the patterns are; a glob of zeros matches nothing.
 */
static __always_inline bool auxbpf_glob__match(const volatile struct auxbpf_glob *glob,
					       const char comm[AUXBPF_COMM_LEN])
{
	__u64 places = glob->begins;
	unsigned int i;

	for (i = 0; i < AUXBPF_COMM_LEN; i++) {
		__u8 c = (__u8)comm[i];

		if (!c)
			break;
		places = (places & glob->accepts[c]) << 1 | (places & glob->stays);
	}
	return places & glob->ends;
}

#endif
