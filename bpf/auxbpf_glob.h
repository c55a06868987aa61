/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Matches a task's name against the patterns of a struct auxbpf_glob. The BPF programs use this, and a unit
 * test, which compares it with fnmatch(3).
 */
#ifndef AUXBPF_GLOB_H
#define AUXBPF_GLOB_H

#include "auxbpf_shared.h"

#ifndef __bpf__
#include <stdbool.h>
#endif

/*
 * Whether any pattern matches the whole name, which ends at its first NUL or with the array. This takes at
 * most AUXBPF_COMM_LEN steps, whatever the patterns are. A glob of zeros matches nothing.
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
