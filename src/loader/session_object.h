/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF objects of a session beside the main one (bpf/auxbpf.bpf.c): they use its maps and are told the
 * same.
 */
#ifndef AUXBPF_LOADER_SESSION_OBJECT_H
#define AUXBPF_LOADER_SESSION_OBJECT_H

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "auxbpf_shared.h"
#include "base/buf.h"
#include "base/cleanup.h"

/*
 * NAME__open() without the calls that a session never makes which moves its gates in the way @control. NULL
 * with errno.
 */
#define SESSION_OBJECT_OPEN(NAME, control)                                     \
	({                                                                     \
		struct NAME *_skel = calloc(1, sizeof(*_skel));                \
		int _err = _skel ? NAME##__create_skeleton(_skel) : -ENOMEM;   \
                                                                               \
		if (!_err)                                                     \
			_err = session_object__open(_skel->skeleton, control); \
		if (_err) {                                                    \
			NAME##__destroy(_skel);                                \
			_skel = NULL;                                          \
			errno = -_err;                                         \
		}                                                              \
		_skel;                                                         \
	})

/*
 * NAME__open() for an object that needs nothing of a session. Without memory for the object's types libbpf would
 * go on without them, and follow a NULL later. NULL with errno.
 */
#define SESSION_OBJECT_OPEN_ALONE(NAME)                      \
	({                                                   \
		struct NAME *_skel = NAME##__open();         \
                                                             \
		if (_skel && !bpf_object__btf(_skel->obj)) { \
			NAME##__destroy(_skel);              \
			_skel = NULL;                        \
			errno = ENOMEM;                      \
		}                                            \
		_skel;                                       \
	})

/* What SESSION_OBJECT_OPEN() does once the skeleton is made. 0 or a negative errno. */
int session_object__open(struct bpf_object_skeleton *skeleton, enum auxbpf_control control) _must_check_
	_nonnull_(1);

/* Says that a session's programs could not be loaded. */
void session_object__log_load_error(int err);

/*
 * To be called between opening and loading @object: gives it the maps that the loaded @main has under the
 * same names, and the same .bss. @to is the object's own read-only copy of @config. 0 or a negative errno.
 */
int session_object__join(struct bpf_object *object, struct bpf_object *main, const void *to,
			 const struct auxbpf_config *config) _must_check_ _nonnull_(1, 2, 3, 4);

/*
 * To be called before the object of @map is loaded: a reserve (bpf/kept.bpf.h) for as many tasks as is sensible
 * where auxbpf may use @limit bytes (memory_limit__read()).
 */
void session_object__size_reserve(struct bpf_map *map, uint64_t limit) _nonnull_(1);

/* The memory of the mmapable map, @size bytes, to be unmapped with munmap(). NULL with errno; logs. */
void *session_object__map_memory(const struct bpf_map *map, size_t size) _must_check_ _nonnull_(1);

/*
 * Has the iterator behind @link go through all that it goes through. What it writes is appended to @ret, or, with NULL, lost.
 * 0 or a negative errno.
 */
int session_object__iterate(const struct bpf_link *link, struct buf *ret) _must_check_ _nonnull_(1);

/* Runs a loaded program once, on @cpu, or, with -1, on this one. 0 or a negative errno. */
int session_object__run(const struct bpf_program *prog, int cpu) _nonnull_(1);

#endif
