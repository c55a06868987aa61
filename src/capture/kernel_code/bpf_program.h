/* SPDX-License-Identifier: GPL-2.0-only */
/* One loaded BPF program as the kernel shows it: the code of its functions, their names and lines. */
#ifndef AUXBPF_CAPTURE_KERNEL_CODE_BPF_PROGRAM_H
#define AUXBPF_CAPTURE_KERNEL_CODE_BPF_PROGRAM_H

#include <bpf/btf.h>
#include <linux/bpf.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "perfdata/bpf_info.h"

#define BPF_FUNCTION_NAME_MAX 128

struct bpf_program_copy {
	struct bpf_prog_info info; /* its pointers are the members below */
	uint64_t *addrs;	   /* info.nr_jited_ksyms functions */
	uint32_t *lens;
	uint8_t *tags;
	uint8_t *code;
	uint8_t *func_info;
	uint8_t *line_info;
	uint64_t *line_addrs;
	struct btf *btf; /* NULL: it has none */
};

/*
 * Reads the program with the kernel's number @id. 0, -ENOENT if it is gone, -ENODATA if its code cannot be
 * seen, or another negative errno. Logs nothing. Release @ret in any case.
 */
int bpf_program__read(uint32_t id, struct bpf_program_copy *ret) _must_check_ _nonnull_(2);
void bpf_program__release(struct bpf_program_copy *p) _nonnull_(1);

/*
 * Describes the function number @i. @name gets its name as in kallsyms, bpf_prog_TAG_NAME. @ret gets pointers
 * into the program and to the function's own part of @name; its id is the program's.
 */
void bpf_program__function(const struct bpf_program_copy *p, uint32_t i, char name[BPF_FUNCTION_NAME_MAX],
			   struct bpf_info *ret) _nonnull_(1, 3, 4);

#endif
