/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Passes once over types in BTF format (Documentation/bpf/btf.rst in the kernel's source). libbpf goes
 * through all of the kernel's types, some 150,000, for each name that it is asked for; here one pass finds
 * all that is looked for, and nothing is copied.
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

/* Tells whether there may be a type of that name in @btf, @size bytes. False is certain, and this is much
 * faster than a pass. */
bool btf_pass__may_have(const void *btf, size_t size, const char *name) _nonnull_(3);

struct btf_pass_type {
	uint32_t id;
	const struct btf_type *type;
	const char *name;
	const char *names; /* the names of all types and members */
	size_t names_size;
};

/* Called for each type with a name. A result other than 0 ends the pass. */
typedef int (*btf_pass_fn)(void *ctx, const struct btf_pass_type *type);

/* Finds the offset in bytes of the member @name of the structure @type. False if the structure itself has no
 * such member, or it is a bit field. */
bool btf_pass__offset(const struct btf_pass_type *type, const char *name, uint32_t *ret) _must_check_
	_nonnull_(1, 2, 3);

/*
 * Calls @fn for the types with a name in @btf, @size bytes, which may be anything, in the order of their
 * numbers; they count from 1, as for BTF without a base. Returns what ended the pass, 0 if nothing did;
 * -EINVAL if it is not BTF, or has a kind of types that came later.
 */
int btf_pass__run(const void *btf, size_t size, btf_pass_fn fn, void *ctx) _must_check_ _nonnull_(3);

#endif
