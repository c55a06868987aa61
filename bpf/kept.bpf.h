/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps notes on a task: in its storage, or in a reserve if that cannot be made.
 *
 * The kernel makes the storage of a task without waiting for memory, wherever a program asks for it: Linux
 * 6.12 takes it from a cache that is refilled without reclaim (kernel/bpf/memalloc.c, alloc_bulk()), 7.3 from
 * kmalloc_nolock() (kernel/bpf/bpf_local_storage.c). Storage is charged to the memory cgroup of the loader,
 * which made the map. At the limit of that cgroup there is no storage, even if the limit was reached with
 * page cache that could be given up. A reserve is a preallocated hash: its elements are made with the map,
 * where the kernel does reclaim. They are given back when the task is freed, before another task can be at
 * the same address.
 *
 * An empty reserve costs a look at session.reserved. If the reserve is full, too, that is counted.
 *
 * If storage took all that is left below the limit, the kernel would kill the loader at its next page fault.
 * So storage may take a part only (session.storage_left), and what goes beyond that is in the reserve, too.
 */
#ifndef AUXBPF_KEPT_BPF_H
#define AUXBPF_KEPT_BPF_H

#include "gate.bpf.h"

/*
 * Bytes that the kernel takes for an element beside its value, and for the struct bpf_local_storage of a
 * task, each rounded up to a size that it allocates.
 */
#define STORAGE_OVERHEAD 512

static __always_inline bool storage_claim(__u64 size)
{
	struct auxbpf_session *s = this_session();
	__s64 cost = size + STORAGE_OVERHEAD;

	if (s->storage_left == AUXBPF_STORAGE_UNLIMITED ||
	    __sync_fetch_and_add(&s->storage_left, -cost) >= cost)
		return true;
	__sync_fetch_and_add(&s->storage_left, cost);
	return false;
}

static __always_inline void storage_return(__u64 size)
{
	struct auxbpf_session *s = this_session();

	if (s->storage_left != AUXBPF_STORAGE_UNLIMITED)
		__sync_fetch_and_add(&s->storage_left, size + STORAGE_OVERHEAD);
}

static __always_inline void *reserve_find(void *reserve, struct task_struct *task)
{
	__u64 key = (__u64)task;

	return this_session()->reserved ? bpf_map_lookup_elem(reserve, &key) : NULL;
}

/*
 * Takes an element of the reserve for the task, with the value @none. Another CPU may have done so for the
 * same task.
 */
static __always_inline void *reserve_take(void *reserve, struct task_struct *task, const void *none)
{
	struct auxbpf_session *s = this_session();
	__u64 key = (__u64)task;
	void *value;

	/* It is counted before there is an element, so that nobody overlooks the element. */
	__sync_fetch_and_add(&s->reserved, 1);
	if (bpf_map_update_elem(reserve, &key, none, BPF_NOEXIST))
		__sync_fetch_and_add(&s->reserved, -1);
	value = bpf_map_lookup_elem(reserve, &key);
	if (!value)
		this_cpu()->no_memory++;
	return value;
}

static __always_inline void reserve_give_back(void *reserve, struct task_struct *task)
{
	struct auxbpf_session *s = this_session();
	__u64 key = (__u64)task;

	if (s->reserved && !bpf_map_delete_elem(reserve, &key))
		__sync_fetch_and_add(&s->reserved, -1);
}

static __always_inline void *kept(void *storage, void *reserve, struct task_struct *task)
{
	return bpf_task_storage_get(storage, task, NULL, 0) ?: reserve_find(reserve, task);
}

/*
 * The notes on a task, which are made with the value @none of @size bytes if there are none. NULL: no room.
 */
static __always_inline void *kept_new(void *storage, void *reserve, struct task_struct *task,
				      const void *none, __u64 size)
{
	void *value = kept(storage, reserve, task);

	if (value)
		return value;
	if (storage_claim(size)) {
		value = bpf_task_storage_get(storage, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (!value)
			storage_return(size);
	}
	return value ?: reserve_take(reserve, task, none);
}

/*
 * Does what kept_new() does for programs that may run where a lock of the scheduler is held. Linux before 6.4
 * takes storage from kmalloc(), which may wake kswapd and so take that lock, too
 * (kernel/bpf/bpf_local_storage.c, bpf_selem_alloc()). There the notes are made in the reserve.
 */
static __always_inline void *kept_new_anywhere(void *storage, void *reserve, struct task_struct *task,
					       const void *none, __u64 size)
{
	const struct bpf_local_storage_map *map = NULL;
	bool by_kmalloc = !bpf_local_irq_save && !bpf_core_field_exists(map->bpf_ma);

	if (!by_kmalloc)
		return kept_new(storage, reserve, task, none, size);
	return kept(storage, reserve, task) ?: reserve_take(reserve, task, none);
}

/* Gives back what the notes took: the task is about to be freed, and its storage with it. */
static __always_inline void kept_end(void *storage, void *reserve, struct task_struct *task, __u64 size)
{
	struct auxbpf_session *s = this_session();

	if (s->storage_left != AUXBPF_STORAGE_UNLIMITED && bpf_task_storage_get(storage, task, NULL, 0))
		storage_return(size);
	reserve_give_back(reserve, task);
}

#endif
