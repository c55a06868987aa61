/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds source lines in the files of a capture. They are those of strangers, so a process of its own looks into them: one that
 * has no privileges, cannot open anything more, and has limits of memory and time (file_helper.h).
 */
#ifndef AUXBPF_SYMBOLS_SOURCE_LINES_H
#define AUXBPF_SYMBOLS_SOURCE_LINES_H

#include "base/buf.h"
#include "files/file_helper.h"

/* An address whose line is wanted, and where its symbol begins. */
struct source_address {
	uint64_t address, start;
	const char *symbol;
};

struct source_query {
	const char *root;	   /* the root directory; "": our own */
	const struct build_id *id; /* of the file */
	const char *path;	   /* that it had when it ran */
	const char *cache; /* an absolute directory that may have it by its build id; NULL: there is none */
	bool is_kernel;	   /* addresses are those of the running kernel; else they are offsets in the file */
	const struct source_address *addresses;
	size_t nr;
};

/* The source line of an address. */
struct source_line {
	const char *file;  /* "": no line is known */
	uint32_t line;	   /* 0: of no line */
	uint32_t instance; /* the number of the innermost function that was inlined around it; 0: none */
};

/* A function that was inlined at one place. */
struct source_instance {
	struct source_line where; /* its instance is one before this one */
	const char *name;
};

/* Numbers of instances begin with 1. Strings are any bytes. Zero-initialised is empty and valid. */
struct source_lines {
	struct source_line *lines; /* one for each address, in their order */
	size_t nr;
	struct source_instance *instances;
	size_t nr_instances;
	struct buf text; /* that has the strings */
};

/*
 * Looks for the file, by its build id, in @query->cache and at its path (the kernel's below /usr/lib/debug), with its debug
 * information in itself or where elf_file.h finds it. Returns 0; -ENOENT if there is no such file, -ENODATA if it has no debug
 * information, or another negative errno: nothing is logged.
 */
int source_lines__find(const struct source_query *query, struct file_helper *helper,
		       struct source_lines *ret) _must_check_ _nonnull_(1, 2, 3);
void source_lines__release(struct source_lines *lines) _nonnull_(1);

/*
 * Makes @ret of what that process has sent, which it takes over, for @nr addresses. Returns 0, -EBADMSG if it is nothing that such a
 * process sends, or -ENOMEM.
 */
int source_lines__unpack(struct buf *text, size_t nr, struct source_lines *ret) _must_check_ _nonnull_(1, 3);

#endif
