/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One pass over types in BTF format (Documentation/bpf/btf.rst in the kernel's source). libbpf goes through
 * all of the kernel's, some 150,000, for each name that it is asked for; here all that is looked for is found
 * in one pass, and nothing is copied.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_LOADER_BTF_PASS_H
#define AUXBPF_LOADER_BTF_PASS_H

#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* Whether there may be a type of that name in @btf, @size bytes; false is certain, and found much faster. */
bool btf_pass__may_have(const void *btf, size_t size, const char *name) _nonnull_(3);

struct btf_pass_type {
	uint32_t id;
	const struct btf_type *type;
	const char *name;
	const char *names; /* all of them */
	size_t names_size;
};

/* Of each type with a name. Anything but 0 ends the pass. */
typedef int (*btf_pass_fn)(void *ctx, const struct btf_pass_type *type);

/* Where the structure @type has its own member @name, in bytes. False if it has none there. */
bool btf_pass__offset(const struct btf_pass_type *type, const char *name, uint32_t *ret) _must_check_
	_nonnull_(1, 2, 3);

/*
 * Calls @fn for the types with a name in @btf, @size bytes, which may be anything; in the order of their
 * numbers, as they are without a base: from 1. What ended the pass, 0 if nothing did; -EINVAL where it is not
 * BTF, or of a kind of types that came later.
 */
int btf_pass__run(const void *btf, size_t size, btf_pass_fn fn, void *ctx) _must_check_ _nonnull_(3);

#endif
