/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers what the start of a session asks of the kernel's types (/sys/kernel/btf/vmlinux), found in one
 * pass: libbpf goes through all of them for each program of a tracepoint, and for each structure that the
 * programs read.
 */
#ifndef AUXBPF_LOADER_KERNEL_TYPES_H
#define AUXBPF_LOADER_KERNEL_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"

/* Tells whether the kernel's types have a function @name: 1, 0, or a negative errno, -EINVAL if the file is
 * no BTF. @root is that of sysfs. */
int kernel_types__has_function(const char *root, const char *name) _must_check_ _nonnull_(1, 2);

/*
 * Finds the offsets that lead from a task's files to the object behind a descriptor in the running kernel. 0
 * or a negative errno.
 */
int kernel_types__file_table(struct auxbpf_file_table *ret) _must_check_ _nonnull_(1);

/*
 * Has libbpf ask here for the type that a program of SEC("tp_btf/NAME") is attached to: otherwise it goes
 * through all types for each of them (libbpf_find_vmlinux_btf_id()). Once is enough for all objects that are
 * opened from then on. 0 or a negative errno.
 */
int kernel_types__serve_libbpf(void) _must_check_;

/* Forgets what was read for kernel_types__file_table() and kernel_types__serve_libbpf(); it is read again
 * when it is needed. */
void kernel_types__forget(void);

#endif
