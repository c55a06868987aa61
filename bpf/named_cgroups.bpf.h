/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cgroups that conditions name by their paths. A condition has the id of its cgroup from when the session
 * began; one that is made again at that path (cgroups.bpf.h) has an id of its own, and is the same for conditions.
 * What is told of an event has the true id.
 */
#ifndef AUXBPF_NAMED_CGROUPS_BPF_H
#define AUXBPF_NAMED_CGROUPS_BPF_H

#include "gate.bpf.h"

/* By the id of a cgroup that was made again: the id that conditions have. */
OF_GATE struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u64);
} named_cgroups SEC(".maps");

/* The cgroup @id, as conditions have it. */
static __always_inline __u64 named_cgroup(__u64 id)
{
	const __u64 *named = config.named_cgroups ? bpf_map_lookup_elem(&named_cgroups, &id) : NULL;

	return named ? *named : id;
}

#endif
