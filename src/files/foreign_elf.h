/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ELF files of others (foreign_file.h), as libelf reads them: it takes memory for as much as a file says that it has,
 * and files say what they like. They are not mapped: whoever cuts a file that is mapped ends its readers by SIGBUS.
 */
#ifndef AUXBPF_FILES_FOREIGN_ELF_H
#define AUXBPF_FILES_FOREIGN_ELF_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/cleanup.h"

/*
 * Opens it for reading, the caller ends it by elf_end(). NULL if it is no ELF file, or has so many headers that they
 * are not counted in its first one.
 */
Elf *foreign_elf__begin(int fd);

/*
 * Whether its tables of symbols and names may be read: they take no more memory than is reasonable. They have been
 * read once then, step by step (foreign_file__again()), from the file, @fd: libelf reads a table at once.
 */
bool foreign_elf__fits(Elf *elf, int fd) _nonnull_(1);

/* The contents of @scn (may be NULL) unless it has more than @max bytes; the file's. NULL without. */
Elf_Data *foreign_elf__data(Elf_Scn *scn, size_t max);

/* The longest string, with its NUL, that is looked at. Names of C++ are a few thousand bytes at most. */
#define FOREIGN_ELF_STRING_MAX 4096

/*
 * The strings of the section with this number; empty if it has none. And that which begins at @at: NULL if it is
 * not all there or longer than that. elf_strptr() looks for the end of each from the end of them all, which may be
 * far.
 */
struct span foreign_elf__strings(Elf *elf, size_t number) _nonnull_(1);
const char *foreign_elf__string(struct span strings, size_t at);

/* The bytes of a segment likewise, as data of @type. */
Elf_Data *foreign_elf__segment(Elf *elf, const GElf_Phdr *phdr, Elf_Type type, size_t max) _nonnull_(1, 2);

#endif
