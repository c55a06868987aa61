/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the source lines of addresses, and the functions that the compiler inlined around them, in the debug information of an ELF
 * file (DWARF 5, 3.3.8.2 "Concrete Inlined Instances"). libdw believes much of what a file says: this is for a process without
 * privileges that may end by it, and may open no more files (source_lines.h).
 */
#ifndef AUXBPF_SYMBOLS_DWARF_LINES_H
#define AUXBPF_SYMBOLS_DWARF_LINES_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* A place in the source. Strings are libdw's. */
struct dwarf_place {
	const char *file; /* NULL: no line is known */
	const char *dir;  /* where a relative name begins; NULL: not known */
	uint32_t line;	  /* 0: of no line */
};

/* An address, and the place in the source that it is of. */
struct dwarf_line {
	uint64_t address;
	struct dwarf_place place;
	uint32_t instance; /* the number of the innermost function that was inlined around it; 0: none */
	uint32_t index;	   /* for the caller */
};

/* A function that was inlined at one place. */
struct dwarf_instance {
	uint32_t outer; /* the number of the one that it is inside of; 0: none */
	struct dwarf_place place;
	const char *name;
};

/* Numbers of instances begin with 1. Zero-initialised is empty and valid. */
struct dwarf_instances {
	struct dwarf_instance *list;
	size_t nr, cap;
};

/*
 * Fills in @lines, which are in the order of their addresses, and adds to @instances what they need, outer ones first. Returns 0,
 * -ENODATA if there is no debug information, or -ENOMEM.
 */
int dwarf_lines__find(Dwarf *dwarf, struct dwarf_line *lines, size_t nr,
		      struct dwarf_instances *instances) _must_check_ _nonnull_(1, 4);
void dwarf_instances__release(struct dwarf_instances *instances) _nonnull_(1);

#endif
