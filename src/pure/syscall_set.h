/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets of system calls, by number, for this machine's own ABI and for that of its 32-bit programs. Names
 * and numbers are libseccomp's.
 */
#ifndef AUXBPF_PURE_SYSCALL_SET_H
#define AUXBPF_PURE_SYSCALL_SET_H

#include <stddef.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"

struct syscall_set {
	uint64_t native[AUXBPF_SYSCALL_WORDS];
	uint64_t compat[AUXBPF_SYSCALL_WORDS];
};

/*
 * Reads a list like "uname,openat,63" into @ret. A name stands for the calls of that name in both ABIs, a
 * number for that of this machine's own ABI. On -EINVAL @message says what is wrong with which name, and what
 * was perhaps meant.
 */
int syscall_set__parse(const char *list, struct syscall_set *ret, char *message, size_t size) _must_check_
	_nonnull_(1, 2, 3);

/* Numbers of restart_syscall, which continues what a signal interrupted; -1 where there is none. */
int syscall__restart_nr(void);
int syscall__compat_restart_nr(void);

#endif
