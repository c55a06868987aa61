/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The system calls that are left to this process once it is armed. Any other fails with ENOSYS, by which the C library takes an
 * older way where it has one.
 */
#ifndef AUXBPF_BASE_SYSCALL_FILTER_H
#define AUXBPF_BASE_SYSCALL_FILTER_H

#include "base/cleanup.h"

/*
 * For all threads, and all that is forked from here on, without a way back. no_new_privs must be set. Logs that there is no
 * seccomp(2), which is no error. 0 or a negative errno.
 */
int syscall_filter__load(void) _must_check_;

#endif
