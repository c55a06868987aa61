/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An entry of a file's list of BPF programs, FEATURE_BPF_PROG_INFO. It is a struct bpf_prog_info with offsets
 * in place of pointers, followed by the arrays to which they lead (process_bpf_prog_info(),
 * tools/perf/util/header.c; struct perf_bpil, tools/perf/util/bpf-utils.h). Here each entry has one function,
 * see capture/kernel_code/bpf_programs.h.
 */
#ifndef AUXBPF_PERFDATA_BPF_INFO_H
#define AUXBPF_PERFDATA_BPF_INFO_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Records of BTF.ext as the kernel gives them. @nr of them have @size bytes each, of which the first four are
 * the offset of an instruction in its program.
 */
struct bpf_info_records {
	const uint8_t *data;
	uint32_t nr;
	uint32_t size;
};

struct bpf_info {
	uint32_t id;
	const uint8_t *tag; /* BPF_TAG_SIZE bytes */
	const char *name;
	uint64_t addr;
	struct span code;
	uint32_t btf_id;	      /* 0: the program has no BTF, and none of the following: */
	struct bpf_info_records func; /* one record, of this function */
	struct bpf_info_records lines;
	const uint64_t *line_addrs; /* address of the code of each of the lines */
};

/* Appends an entry. An error is the buffer's. */
void bpf_info__add(struct buf *b, const struct bpf_info *info) _nonnull_(1, 2);

#endif
