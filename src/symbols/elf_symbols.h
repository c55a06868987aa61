/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds a function of an ELF file and its offset in the file, at which a uprobe is put.
 */
#ifndef AUXBPF_SYMBOLS_ELF_SYMBOLS_H
#define AUXBPF_SYMBOLS_ELF_SYMBOLS_H

#include <stdint.h>

#include "base/cleanup.h"
#include "files/elf_file.h"

/*
 * Finds the offset in the file of the function that @symbol names in .symtab or .dynsym of the file or of its
 * debug symbols. The name may carry a version, NAME@VERSION; without one, the version that a program gets
 * today is meant (NAME@@VERSION).
 *
 * Errors, with a @message about @name:
 * -ENOENT	no such function; the message has near names, and says if the file is stripped or calls it
 * -ENOTUNIQ	functions at several addresses have that name
 * -EOPNOTSUPP	it is an indirect function (STT_GNU_IFUNC): the code at its address is not what runs
 */
int elf_symbols__find(const struct elf_file *file, const char *name, const char *symbol, uint64_t *offset,
		      char *message, size_t size) _must_check_ _nonnull_(1, 2, 3, 4, 5);

/*
 * Finds the offset in the file of the function at the address @addr, as nm prints it. It has to be the first
 * instruction of a function as far as symbols or unwinding tables tell: a return probe takes the top of the
 * stack for the return address and overwrites it (arch_uretprobe_hijack_return_addr()).
 *
 * -ENOENT	no code is at @addr
 * -EINVAL	it is inside a function
 */
int elf_symbols__find_addr(const struct elf_file *file, const char *name, uint64_t addr, uint64_t *offset,
			   char *message, size_t size) _must_check_ _nonnull_(1, 2, 4, 5);

#endif
