/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the addresses of kernel objects that the programs compare with, or read. */
#ifndef AUXBPF_GATE_GATE_OBJECT_H
#define AUXBPF_GATE_GATE_OBJECT_H

#include <linux/types.h>

#include "base/cleanup.h"

struct auxbpf_bpf;

/*
 * Finds the address of the kernel object behind our descriptor @fd, a perf event or BPF program: private_data
 * of its struct file. Runs a program of the loaded @skel. 0 or a negative errno.
 */
int gate_object__find(struct auxbpf_bpf *skel, int fd, __u64 *ret) _must_check_ _nonnull_(1, 3);

#endif
