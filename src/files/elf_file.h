/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An ELF file in which functions are looked for, and the file with its debug symbols if that is installed.
 */
#ifndef AUXBPF_FILES_ELF_FILE_H
#define AUXBPF_FILES_ELF_FILE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* The place of a file. Directories are O_PATH descriptors and stay their owner's. */
struct elf_place {
	int root;	  /* the root directory of the process that uses the file: a container's */
	int host_root;	  /* our own root directory: debug symbols are looked for there too */
	const char *path; /* absolute, in @root */
};

/* When closed: {.fd = -1, .debug_fd = -1, .shared_fd = -1}. */
struct elf_file {
	int fd;
	Elf *elf;
	int debug_fd;
	Elf *debug; /* NULL if there is none */
	int shared_fd;
	Elf *shared; /* NULL if there is none, or it was not asked for */
};

/*
 * Reads the open file @fd, which then belongs to @file, also after an error. Looks for its debug symbols as
 * gdb does: by its build id in /usr/lib/debug/.build-id, by its .gnu_debuglink beside it and below
 * /usr/lib/debug. -ENOEXEC if it is no ELF file or is for another machine, -EFBIG if its symbol tables are
 * too large; then @message says so.
 */
int elf_file__open(int fd, const struct elf_place *place, struct elf_file *file, char *message,
		   size_t size) _must_check_ _nonnull_(2, 3, 4);
/* Does the same with a program or library for any machine, of which no code is to run here. */
int elf_file__open_any(int fd, const struct elf_place *place, struct elf_file *file) _must_check_
	_nonnull_(2, 3);
void elf_file__close(struct elf_file *file) _nonnull_(1);

/*
 * Looks for the file with what the debug information of several files has in common, which dwz has made of it: by the name or the
 * build id in .gnu_debugaltlink, below /usr/lib/debug. Files that need none, or whose file is not installed, stay as they are.
 */
void elf_file__open_shared(struct elf_file *file, const struct elf_place *place) _nonnull_(1, 2);

/* Finds the offset in the file of the code at an address. -ENOENT if the address is in no segment with
 * code. */
int elf_file__offset(const struct elf_file *file, uint64_t addr, uint64_t *ret) _must_check_ _nonnull_(1, 3);

/* Finds the address of the code at an offset. -ENOENT if the offset is in no segment with code. */
int elf_file__address(const struct elf_file *file, uint64_t offset, uint64_t *ret) _must_check_
	_nonnull_(1, 3);

/*
 * Tells whether the tables for unwinding say that the address is inside of a function and not at its start.
 * If so, @start is the function's start.
 */
bool elf_file__inside_function(const struct elf_file *file, uint64_t addr, uint64_t *start) _nonnull_(1, 3);

/* Tells whether there is a section of that name. */
bool elf_file__has_section(const struct elf_file *file, const char *name) _nonnull_(1, 2);

#endif
