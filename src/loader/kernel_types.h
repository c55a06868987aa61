/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the start of a session asks of the kernel's types (/sys/kernel/btf/vmlinux), found in one pass: libbpf
 * goes through all of them for each program of a tracepoint, and for each structure that the programs read.
 */
#ifndef AUXBPF_LOADER_KERNEL_TYPES_H
#define AUXBPF_LOADER_KERNEL_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"

/* Whether the kernel has a function @name in its types; or a negative errno: -EINVAL if that is no BTF. @root is
 * that of sysfs. */
int kernel_types__has_function(const char *root, const char *name) _must_check_ _nonnull_(1, 2);

/*
 * Where the running kernel has what leads from a task's files to what is behind a descriptor. 0 or a negative
 * errno.
 */
int kernel_types__file_table(struct auxbpf_file_table *ret) _must_check_ _nonnull_(1);

/*
 * Has libbpf ask here which type a program of SEC("tp_btf/NAME") is attached to: it goes through all types
 * for each of them otherwise (libbpf_find_vmlinux_btf_id()). For all objects that are opened from here on;
 * once is enough. 0 or a negative errno.
 */
int kernel_types__serve_libbpf(void) _must_check_;

/* Forgets what was read for the last two; what is asked for later is read again. */
void kernel_types__forget(void);

#endif
