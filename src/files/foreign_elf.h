/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads ELF files of others (foreign_file.h) with libelf. libelf takes as much memory as a file says that it
 * needs, and a file may say anything, so sizes are checked first. The files are not mapped: whoever truncates
 * a mapped file ends its readers by SIGBUS.
 */
#ifndef AUXBPF_FILES_FOREIGN_ELF_H
#define AUXBPF_FILES_FOREIGN_ELF_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/cleanup.h"

/*
 * Opens an ELF file for reading; the caller ends it by elf_end(). NULL if it is no ELF file, or has so many
 * headers that their number is not in the ELF header.
 */
Elf *foreign_elf__begin(int fd);

/*
 * Tells whether the tables of symbols and names may be read, that is, take no more than a reasonable amount
 * of memory. Reads them once from the file, @fd, step by step (foreign_file__again()): libelf reads a table
 * at once.
 */
bool foreign_elf__fits(Elf *elf, int fd) _nonnull_(1);

/* Returns the contents of @scn, which stay the file's. NULL if there are none or more than @max bytes, or
 * @scn is NULL. */
Elf_Data *foreign_elf__data(Elf_Scn *scn, size_t max);

/* The longest string, with its NUL, that is looked at. C++ names have a few thousand bytes at most. */
#define FOREIGN_ELF_STRING_MAX 4096

/*
 * foreign_elf__strings() returns the strings of the section with this number; empty if it has none.
 * foreign_elf__string() returns the one that begins at @at; NULL if its end is missing or it is longer than
 * FOREIGN_ELF_STRING_MAX. Instead of them elf_strptr() would search back from the end of all strings for each
 * one, which can be far.
 */
struct span foreign_elf__strings(Elf *elf, size_t number) _nonnull_(1);
const char *foreign_elf__string(struct span strings, size_t at);

/* Reads the bytes of a segment as data of @type, which stay the file's. NULL if there are more than @max
 * bytes. */
Elf_Data *foreign_elf__segment(Elf *elf, const GElf_Phdr *phdr, Elf_Type type, size_t max) _nonnull_(1, 2);

#endif
