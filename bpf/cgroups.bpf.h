/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the set of target cgroups up to date as cgroups come and go. A cgroup that is made below a target
 * cgroup belongs to it. One that is removed and made again at a path that was asked for counts again. A
 * session that waits for a container is told of all other new cgroups. The ids of the cgroups that conditions
 * name are kept up to date, too.
 */
#ifndef AUXBPF_CGROUPS_BPF_H
#define AUXBPF_CGROUPS_BPF_H

#include "gate.bpf.h"
#include "named_cgroups.bpf.h"
#include "targets.bpf.h"

/* Paths of the target cgroups, NUL-padded. One that is removed and made again counts again. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, char[AUXBPF_CGROUP_PATH]);
	__type(value, __u8);
} cgroup_paths SEC(".maps");

/* Paths of the cgroups that conditions name, likewise, with the ids that conditions have for them. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, char[AUXBPF_CGROUP_PATH]);
	__type(value, __u64);
} named_paths SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, char[AUXBPF_CGROUP_PATH]);
} path_buffer SEC(".maps");

/*
 * Tells a session that waits for a container the paths of cgroups that were made, NUL-padded, but not of
 * those below a target cgroup. There is room for some hundred until it looks.
 */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 << 10);
} new_cgroups SEC(".maps");

/* The path as a key of the maps above; it is NULL for the verifier only. */
static __always_inline char *path_key(const char *path)
{
	__u32 zero = 0;
	char *buffer = bpf_map_lookup_elem(&path_buffer, &zero);

	if (!buffer)
		return NULL;
	__builtin_memset(buffer, 0, AUXBPF_CGROUP_PATH);
	bpf_probe_read_kernel_str(buffer, AUXBPF_CGROUP_PATH, path);
	return buffer;
}

/* Whether the cgroup is one of the v2 hierarchy: the others have ids of their own. */
static __always_inline bool cgroup_is_v2(struct cgroup *cgrp)
{
	return !BPF_CORE_READ(cgrp, root, hierarchy_id);
}

/* Runs under a spinlock (kernel/cgroup/cgroup-internal.h, TRACE_CGROUP_PATH()), so it is not preempted. */
SEC("tp_btf/cgroup_mkdir")
int BPF_PROG(on_cgroup_mkdir, struct cgroup *cgrp, const char *path)
{
	__u64 parent = BPF_CORE_READ(cgrp, self.parent, cgroup, kn, id);
	__u64 id = BPF_CORE_READ(cgrp, kn, id);
	struct auxbpf_cpu *cpu = this_cpu();
	char *key = path_key(path);
	__u8 one = 1;
	__u64 *named;
	bool below;

	if (!cgroup_is_v2(cgrp) || !key)
		return 0;
	named = bpf_map_lookup_elem(&named_paths, key);
	if (named && *named != id)
		cpu->no_memory += !!bpf_map_update_elem(&named_cgroups, &id, named, BPF_ANY);
	below = bpf_map_lookup_elem(&cgroups, &parent);
	if (below || bpf_map_lookup_elem(&cgroup_paths, key))
		cpu->no_memory += !!bpf_map_update_elem(&cgroups, &id, &one, BPF_ANY);
	if (config.wait && !below && bpf_ringbuf_output(&new_cgroups, key, AUXBPF_CGROUP_PATH, 0))
		cpu->dropped++;
	return 0;
}

/* Comes after a move, under the same lock. The task, or its whole process, may be running. */
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(on_cgroup_attach, struct cgroup *to, const char *path, struct task_struct *task, bool process)
{
	forget_strangers();
	return 0;
}

static long unsettle(__u32 nr, void *ctx)
{
	cpu_of(nr)->settled_for = AUXBPF_UNSETTLED;
	return 0;
}

/*
 * Forgets a cgroup that is removed: no task enters it any more, and another one may come to be where it was
 * in the kernel's memory.
 */
SEC("tp_btf/cgroup_rmdir")
int BPF_PROG(on_cgroup_rmdir, struct cgroup *cgrp, const char *path)
{
	__u64 id = BPF_CORE_READ(cgrp, kn, id);

	if (!cgroup_is_v2(cgrp))
		return 0;
	bpf_map_delete_elem(&named_cgroups, &id);
	bpf_map_delete_elem(&cgroups, &id);
	bpf_loop(config.nr_cpus, unsettle, NULL, 0);
	return 0;
}

#endif
