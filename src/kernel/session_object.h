/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF objects of a session beside the main one (bpf/auxbpf.bpf.c): they use its maps and are told the
 * same.
 */
#ifndef AUXBPF_KERNEL_SESSION_OBJECT_H
#define AUXBPF_KERNEL_SESSION_OBJECT_H

#include <bpf/libbpf.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"

/*
 * To be called between opening and loading @object: gives it the maps that the loaded @main has under the
 * same names, and takes the calls out that this session never makes. @to is the object's own read-only copy
 * of @config. 0 or a negative errno.
 */
int session_object__join(struct bpf_object *object, struct bpf_object *main, const void *to,
			 const struct auxbpf_config *config) _must_check_ _nonnull_(1, 2, 3, 4);

/*
 * The first part of it: the maps that the loaded object @from has under the same names. 0 or a negative
 * errno.
 */
int session_object__share_maps(struct bpf_object *object, struct bpf_object *from) _must_check_
	_nonnull_(1, 2);

/* The memory of the mmapable map, @size bytes, to be unmapped with munmap(). NULL with errno; logs. */
void *session_object__map_memory(const struct bpf_map *map, size_t size) _must_check_ _nonnull_(1);

/* Has the iterator behind @link go through all that it goes through. 0 or a negative errno. */
int session_object__iterate(const struct bpf_link *link) _must_check_ _nonnull_(1);

#endif
