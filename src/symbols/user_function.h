/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds a user function: the files that have it, seen from here, and its offset in each, at which uprobes are
 * put. A name can mean several files: each container has a C library of its own.
 */
#ifndef AUXBPF_SYMBOLS_USER_FUNCTION_H
#define AUXBPF_SYMBOLS_USER_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "files/file_helper.h"
#include "rules/function_name.h"

struct user_function {
	int fd;			 /* the file, O_PATH; /proc/self/fd/N is its path in every mount namespace */
	bool begins_with_branch; /* uprobe_insn.h */
	uint64_t offset;	 /* of the function's first instruction in the file */
	dev_t dev;
	ino_t ino;
	char *name; /* the name of the file in messages */
};

/* A list with each inode once. */
struct user_functions {
	struct user_function *items;
	size_t nr;
};

/*
 * Finds the function that @spec names (a user function). A file is looked for where the processes @pids see
 * it: among the files that they have mapped, which may be deleted or replaced since, then in their root
 * directories; if none of them has such a file, or if there are none, in our own. A name without a slash
 * means every library of that name that the dynamic linker would find (ld.so.cache) and programs of that name
 * where shells look. Processes that are gone are passed over.
 *
 * 0 or a negative errno, logged unless @optional: -ENOENT (no such file, no such function), and those of
 * elf_file__open() and elf_symbols__find(). That a file lacks the function is an error only if all do.
 * @helper looks into the files; those of a file system that does not answer are left out, and that is logged.
 * After success release @ret with user_functions__release(). @root goes before all paths: "" but in tests.
 */
int user_function__find(const char *root, const struct function_name *spec, const int *pids, size_t nr_pids,
			bool optional, struct file_helper *helper, struct user_functions *ret) _must_check_
	_nonnull_(1, 2, 6, 7);
void user_functions__release(struct user_functions *functions) _nonnull_(1);

#endif
