/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF objects of a session beside the main one (bpf/auxbpf.bpf.c): they use its maps and get the same
 * configuration.
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
 * Does what NAME__open() does, without the calls of helpers that a session which moves its gates by @control
 * never makes. NULL with errno.
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
 * Does what NAME__open() does, for an object that needs nothing of a session. Without memory for the object's
 * types libbpf would go on without them, and follow a NULL later. NULL with errno.
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

/* Opens the object for SESSION_OBJECT_OPEN() once the skeleton is made. 0 or a negative errno. */
int session_object__open(struct bpf_object_skeleton *skeleton, enum auxbpf_control control) _must_check_
	_nonnull_(1);

/* Logs that a session's programs could not be loaded. */
void session_object__log_load_error(int err);

/*
 * To be called between opening and loading @object: gives it the maps that the loaded @main has under the
 * same names, and the same .bss. @to is the object's own read-only copy of @config. 0 or a negative errno.
 */
int session_object__join(struct bpf_object *object, struct bpf_object *main, const void *to,
			 const struct auxbpf_config *config) _must_check_ _nonnull_(1, 2, 3, 4);

/*
 * To be called before the object of @map is loaded: sizes a reserve (bpf/kept.bpf.h) for as many tasks as is
 * sensible if auxbpf may use @limit bytes (memory_limit__read()).
 */
void session_object__size_reserve(struct bpf_map *map, uint64_t limit) _nonnull_(1);

/* Maps the memory of an mmapable map, @size bytes; the caller unmaps it with munmap(). NULL with errno;
 * logs. */
void *session_object__map_memory(const struct bpf_map *map, size_t size) _must_check_ _nonnull_(1);

/*
 * Runs the iterator behind @link to its end. Its output is appended to @ret, or is lost if that is NULL. 0 or
 * a negative errno.
 */
int session_object__iterate(const struct bpf_link *link, struct buf *ret) _must_check_ _nonnull_(1);

/* Runs a loaded program once, on @cpu or, if that is -1, on this CPU. 0 or a negative errno. */
int session_object__run(const struct bpf_program *prog, int cpu) _nonnull_(1);

#endif
