/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What --on-function names: a function of the kernel, or one of a program or a library.
 *
 *	vfs_fsync		of the kernel or a module of it
 *	/usr/bin/app:main	of a file, by its symbol as nm prints it; also with its version,
 *				memcpy@GLIBC_2.2.5
 *	/usr/bin/app:0x401136	by its address as nm, objdump and gdb print it, which is not an offset in the
 *				file
 *	libc:malloc		without a slash: a library or a program of that name; libc.so.6 is more exact
 */
#ifndef AUXBPF_RULES_FUNCTION_NAME_H
#define AUXBPF_RULES_FUNCTION_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct function_name {
	char *binary;  /* NULL: the kernel */
	char *symbol;  /* NULL: by @addr */
	uint64_t addr; /* where the ELF file says that the function is */
};

/*
 * Reads one WHERE. 0, -ENOMEM, or -EINVAL with @message, which says what is wrong and what to write. Release
 * with function_name__release(), after an error too.
 */
int function_name__parse(const char *where, struct function_name *ret, char *message,
			 size_t size) _must_check_ _nonnull_(1, 2, 3);
void function_name__release(struct function_name *spec) _nonnull_(1);

/*
 * Whether the file name @file (no directories) is what @name means: itself, or the library of that name, as
 * libc.so.6 and libc-2.31.so are libc.
 */
bool function_name__is_file(const char *name, const char *file) _nonnull_(1, 2);

#endif
