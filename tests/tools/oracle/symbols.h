/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel functions by address, from a copy of /proc/kallsyms (that in a perf.data directory's kcore_dir is
 * best: it was taken while the BPF programs were loaded).
 *
 * kallsyms has no sizes: an address belongs to the nearest function below it. Functions with several names
 * are one symbol here with several aliases.
 */
#ifndef ORACLE_SYMBOLS_H
#define ORACLE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cleanup.h"

struct symbols;

#define SYMBOLS_NONE UINT32_MAX

/* -EINVAL if the file has no function with an address that is not 0 (kallsyms read without privilege). */
int symbols__load(const char *path, struct symbols **ret) _must_check_ _nonnull_(1, 2);
void symbols__free(struct symbols *syms);

/* The number of symbols; their indices go from 0 to one less. */
uint32_t symbols__nr(const struct symbols *syms) _nonnull_(1);

/* The index of the function that has @addr, or SYMBOLS_NONE (user space, or below the first one). */
uint32_t symbols__find(const struct symbols *syms, uint64_t addr) _nonnull_(1);

/* The first name of a symbol. */
const char *symbols__name(const struct symbols *syms, uint32_t index) _nonnull_(1);

/* Whether @match is true for one of the names of a symbol. */
bool symbols__any_alias(const struct symbols *syms, uint32_t index,
			bool (*match)(const char *name, void *ctx), void *ctx) _nonnull_(1, 3);

/* The address of the first function called @name. */
bool symbols__address(const struct symbols *syms, const char *name, uint64_t *addr) _must_check_
	_nonnull_(1, 2, 3);

/* Prints "address name+0xoffset", or only the address; @syms may be NULL. */
void symbols__print(const struct symbols *syms, uint64_t addr, FILE *out) _nonnull_(3);

DEFINE_CLEANUP(symbols, struct symbols *, symbols__free)
#define _cleanup_symbols_ _cleanup_(cleanup__symbols)

#endif
