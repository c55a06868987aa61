/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scope cleanup and the attributes of internal prototypes.
 *
 * A variable marked _cleanup_xxx_ is released as it leaves its scope; ownership is handed on with
 * steal_ptr() or steal_fd(), never by a goto in the same function.
 */
#ifndef AUXBPF_BASE_CLEANUP_H
#define AUXBPF_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))
#define _must_check_ __attribute__((warn_unused_result))
#define _nonnull_(...) __attribute__((nonnull(__VA_ARGS__)))
#define _printf_format_(fmt, first) __attribute__((format(printf, fmt, first)))

static inline void cleanup__free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup__close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup__fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void cleanup__closedir(DIR **d)
{
	if (*d)
		closedir(*d);
}

#define _cleanup_free_ _cleanup_(cleanup__free)
#define _cleanup_close_ _cleanup_(cleanup__close)
#define _cleanup_fclose_ _cleanup_(cleanup__fclose)
#define _cleanup_closedir_ _cleanup_(cleanup__closedir)

/* Defines cleanup__NAME() for a pointer of TYPE that FN, a function like x__free(), releases. */
#define DEFINE_CLEANUP(name, type, fn)              \
	static inline void cleanup__##name(type *p) \
	{                                           \
		if (*p)                             \
			fn(*p);                     \
	}

/* Returns the pointer and sets the variable to NULL: the caller is the new owner. */
#define steal_ptr(p)                               \
	({                                         \
		__typeof__(p) steal_ptr_val = (p); \
		(p) = NULL;                        \
		steal_ptr_val;                     \
	})

static inline int steal_fd(int *fd)
{
	int val = *fd;

	*fd = -1;
	return val;
}

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
