/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks whether a kernel function can be a window: BPF must be able to run at its entry and at its return
 * (fentry and fexit).
 */
#ifndef AUXBPF_GATE_KERNEL_FUNCTION_H
#define AUXBPF_GATE_KERNEL_FUNCTION_H

#include "base/cleanup.h"

/*
 * Looks for the function @name in the BTF of the kernel and of its modules (fentry programs are checked
 * against it), in kallsyms (its address comes from there) and among the functions that ftrace can patch.
 * @root is that of /proc and /sys.
 *
 * 0 or a negative errno, logged:
 * -ENOENT	there is no such function, or none with code of its own: the message has near names, or the
 *		name that the compiler has given to what is left of it
 * -ENOTUNIQ	several functions have that name, and nobody can say which one BPF would get
 * -EOPNOTSUPP	BPF cannot be attached to the function, or it does not return
 */
int kernel_function__check(const char *root, const char *name) _must_check_ _nonnull_(1, 2);

#endif
