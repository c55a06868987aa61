/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits this process to the system calls that it needs once it is armed. Any other fails with ENOSYS, and
 * then the C library uses an older one where it can.
 */
#ifndef AUXBPF_BASE_SYSCALL_FILTER_H
#define AUXBPF_BASE_SYSCALL_FILTER_H

#include "base/cleanup.h"

/*
 * Limits all threads, and all processes that are forked from here on, without a way back. no_new_privs must
 * be set. A kernel without seccomp(2) is logged and is no error. Returns 0 or a negative errno.
 */
int syscall_filter__load(void) _must_check_;

#endif
