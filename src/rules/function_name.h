/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The argument of --on-function: it names a function of the kernel, or one of an executable or a library.
 *
 *	vfs_fsync		a function of the kernel or a module of it
 *	/usr/bin/app:main	a function of a file, by its symbol as nm prints it; the symbol can have its
 *				version, memcpy@GLIBC_2.2.5
 *	/usr/bin/app:0x401136	a function by its address as nm, objdump and gdb print it, which is not an
 *				offset in the file
 *	libc:malloc		without a slash: a library or an executable of that name; libc.so.6 is more
 *				exact
 */
#ifndef AUXBPF_RULES_FUNCTION_NAME_H
#define AUXBPF_RULES_FUNCTION_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct function_name {
	char *binary;  /* NULL: a function of the kernel */
	char *symbol;  /* NULL: the function is given by @addr */
	uint64_t addr; /* address of the function by the ELF file */
};

/*
 * Parses one WHERE. Returns 0, -ENOMEM, or -EINVAL with @message, which says what is wrong and what to write.
 * Release @ret with function_name__release(), after an error too.
 */
int function_name__parse(const char *where, struct function_name *ret, char *message,
			 size_t size) _must_check_ _nonnull_(1, 2, 3);
void function_name__release(struct function_name *spec) _nonnull_(1);

/*
 * Tells whether @name means the file name @file (without directories): both are the same, or @file is the
 * library of that name. libc.so.6 and libc-2.31.so are libc.
 */
bool function_name__is_file(const char *name, const char *file) _nonnull_(1, 2);

#endif
