/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The types of BPF programs (BTF), which perf asks for the names and the source lines of their code.
 */
#ifndef AUXBPF_CAPTURE_KERNEL_CODE_BPF_TYPES_H
#define AUXBPF_CAPTURE_KERNEL_CODE_BPF_TYPES_H

#include <bpf/btf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* The types of several programs, each once. Zero-initialised is empty. */
struct bpf_types {
	struct buf entries; /* as in a file: number and size, 32 bits each, and the data */
	uint32_t nr;
};

/* Adds @btf, whose number in the kernel is @id, unless it is there. bpf_types__error() tells of an error. */
void bpf_types__add(struct bpf_types *types, uint32_t id, const struct btf *btf) _nonnull_(1, 3);
int bpf_types__error(const struct bpf_types *types) _must_check_ _nonnull_(1);

/* Drops the types that are not @is_used. */
void bpf_types__keep(struct bpf_types *types, bool (*is_used)(void *ctx, uint32_t id), void *ctx)
	_nonnull_(1, 2);

/* Appends the payload of FEATURE_BPF_BTF (write_bpf_btf(), tools/perf/util/header.c), if there are types. */
void bpf_types__add_feature(const struct bpf_types *types, struct buf *b) _nonnull_(1, 2);

void bpf_types__release(struct bpf_types *types) _nonnull_(1);

#endif
