/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the parts of /proc/kcore that a decoder needs, and lays out the ELF core file that holds only these.
 *
 * perf's own kcore_copy() takes the kernel's text and everything between the first and the last module. Here
 * every module, BPF program and trampoline is a segment of its own. The reason is in the reader: a BPF
 * program that is loaded while the trace runs must not lie inside a segment, or perf takes the kernel's whole
 * image for that program (machine__process_bpf_event_load(), tools/perf/util/bpf-event.c).
 *
 * On all but x86_64 a reader takes what is below "the kernel's map" for user space
 * (machine__get_kernel_start(), tools/perf/util/machine.c), and on arm64 modules and BPF programs are below
 * the kernel's text. That map is the segment with the function _stext, or, if kallsyms has no function of
 * that name, the one of the last header (dso__load_kcore(), tools/perf/util/symbol.c). So there the last
 * segment is one at the very begin of the upper half of the address space, with nothing in it, and in
 * kallsyms _stext is no function.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CAPTURE_KERNEL_CODE_KCORE_LAYOUT_H
#define AUXBPF_CAPTURE_KERNEL_CODE_KCORE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct code_range {
	uint64_t start;
	uint64_t end;
};

struct kcore_segment {
	uint64_t addr;
	uint64_t len;
	/*
	 * The copy has this many bytes from @addr on: also those between it and the next segment, if that is
	 * near. OpenCSD reads 2 KiB at a time, beyond the end of a segment, and takes that for what is at
	 * these addresses (trc_mem_acc_cache.h).
	 */
	uint64_t copied;
	uint64_t from; /* offset in /proc/kcore */
	uint64_t to;   /* offset in the copy */
};

struct kcore_layout {
	struct kcore_segment *segments; /* by address */
	size_t nr;
	uint16_t machine; /* of the ELF header */
};

struct kcore_input {
	struct span kallsyms;
	struct span modules;
	struct span elf;	      /* the begin of /proc/kcore, with all program headers */
	const struct code_range *bpf; /* BPF programs, whose sizes kallsyms does not tell */
	size_t nr_bpf;
	uint64_t page_size;
	/*
	 * Reads from kcore, to find the ends of trampolines of BPF programs, which nothing tells. 0 or a
	 * negative errno.
	 */
	int (*read)(void *ctx, uint64_t from, void *data, size_t len);
	void *ctx;
};

/*
 * Finds how many bytes of kcore hold the ELF header and all program headers, from its first 64 bytes.
 * -ENOEXEC if it is no 64-bit ELF core file.
 */
int kcore_layout__elf_len(struct span head, size_t *len) _must_check_ _nonnull_(2);

/*
 * Lays out the copy; release it with kcore_layout__release(). -EACCES if kallsyms shows no addresses,
 * -ENODATA if the kernel's text is in no segment of kcore, -ENOEXEC, -ENOMEM.
 */
int kcore_layout__make(const struct kcore_input *in, struct kcore_layout *ret) _must_check_ _nonnull_(1, 2);
void kcore_layout__release(struct kcore_layout *layout);

/* Finds where the @len bytes from @addr on are in the copy; false if they are not all in one segment. */
bool kcore_layout__find(const struct kcore_layout *layout, uint64_t addr, uint64_t len, uint64_t *at)
	_nonnull_(1, 4);

/* Whether a segment has a part of @range. */
bool kcore_layout__overlaps(const struct kcore_layout *layout, const struct code_range *range)
	_nonnull_(1, 2);
uint64_t kcore_layout__bytes(const struct kcore_layout *layout) _nonnull_(1);

/* Appends the ELF header and program headers of the copy. */
void kcore_layout__add_headers(const struct kcore_layout *layout, struct buf *b) _nonnull_(1, 2);

/* Whether the copy of @kallsyms must have a 'D' in place of one byte; @at gets the byte's offset. */
bool kcore_layout__hides(const struct kcore_layout *layout, struct span kallsyms, size_t *at) _nonnull_(1, 3);

#endif
