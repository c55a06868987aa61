/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the text of /proc/kallsyms and /proc/modules, line by line.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_SYMBOLS_KALLSYMS_H
#define AUXBPF_SYMBOLS_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define MODULE_NAME_MAX 64

struct kallsyms_symbol {
	uint64_t addr;
	char type;	    /* as nm prints it */
	struct span name;   /* without a 0 byte */
	struct span module; /* without brackets; empty for the kernel itself, "bpf" for JIT code */
};

struct kallsyms_module {
	uint64_t addr; /* of its code */
	uint64_t size; /* of all its sections together */
	char name[MODULE_NAME_MAX];
};

/* Reads the next symbol of @text from *@pos on and moves *@pos behind it. False at the end; lines of another
 * form are skipped. */
bool kallsyms__next(struct span text, size_t *pos, struct kallsyms_symbol *ret) _must_check_ _nonnull_(2, 3);

/* Returns the address of the kernel's own symbol @name; 0 if there is none. */
uint64_t kallsyms__find(struct span text, const char *name) _nonnull_(2);

/*
 * Returns the position of the first line with a module. The kernel's own symbols, which are most, come before
 * (kernel/kallsyms.c, update_iter()).
 */
size_t kallsyms__modules_at(struct span text);

/* Reads the next module of /proc/modules, as kallsyms__next() reads a symbol. */
bool kallsyms__next_module(struct span text, size_t *pos, struct kallsyms_module *ret) _must_check_
	_nonnull_(2, 3);

/* Tells whether the symbol is code: T, t, W or w. */
bool kallsyms__is_code(const struct kallsyms_symbol *sym) _nonnull_(1);

bool kallsyms__name_is(struct span name, const char *s) _nonnull_(2);

/* Tells whether two texts of /proc/modules have the same modules at the same addresses; use counts may
 * differ. */
bool kallsyms__same_modules(struct span a, struct span b);

#endif
