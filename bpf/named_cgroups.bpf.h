/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cgroups that conditions name by their paths. A condition has the id that its cgroup had when the
 * session began. A cgroup that is made again at that path (cgroups.bpf.h) has another id, but for conditions
 * it is the same. User space is told the true id of an event's cgroup.
 */
#ifndef AUXBPF_NAMED_CGROUPS_BPF_H
#define AUXBPF_NAMED_CGROUPS_BPF_H

#include "gate.bpf.h"

/* Gives for the id of a cgroup that was made again the id that conditions have. */
OF_GATE struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u64);
} named_cgroups SEC(".maps");

/* The id that conditions have for the cgroup @id. */
static __always_inline __u64 named_cgroup(__u64 id)
{
	const __u64 *named = config.named_cgroups ? bpf_map_lookup_elem(&named_cgroups, &id) : NULL;

	return named ? *named : id;
}

#endif
