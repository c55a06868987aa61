/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An entry of a file's list of BPF programs, FEATURE_BPF_PROG_INFO: a struct bpf_prog_info in which offsets
 * stand for pointers, and the arrays that it points to (process_bpf_prog_info(), tools/perf/util/header.c;
 * struct perf_bpil, tools/perf/util/bpf-utils.h). Here an entry has one function, see capture/kernel_code/bpf_programs.h.
 */
#ifndef AUXBPF_PERFDATA_BPF_INFO_H
#define AUXBPF_PERFDATA_BPF_INFO_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Records of BTF.ext as the kernel gives them: @nr of @size bytes, of which the first four are the offset of an
 * instruction in its program. */
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
	uint32_t btf_id;	      /* 0: it has no types, then there are none of these: */
	struct bpf_info_records func; /* one, the function's own */
	struct bpf_info_records lines;
	const uint64_t *line_addrs; /* of the code of each of the lines */
};

/* Appends the entry. An error is the buffer's. */
void bpf_info__add(struct buf *b, const struct bpf_info *info) _nonnull_(1, 2);

#endif
