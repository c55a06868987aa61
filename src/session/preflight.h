/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks before anything is opened: for missing capabilities, and for a kernel without BTF.
 */
#ifndef AUXBPF_SESSION_PREFLIGHT_H
#define AUXBPF_SESSION_PREFLIGHT_H

#include "base/cleanup.h"

/*
 * Checks that this process may do what a capture needs. Logs which capabilities it lacks and what each is
 * for. 0 or -EPERM. @root is that of /proc.
 */
int preflight__capabilities(const char *root) _must_check_ _nonnull_(1);

/*
 * Checks that the kernel has BTF, by which BPF programs find its types. Logs; 0 or -ENOENT. @root is that of
 * sysfs.
 */
int preflight__btf(const char *root) _must_check_ _nonnull_(1);

#endif
