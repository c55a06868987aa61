/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Build ids of ELF files, of the running kernel and of its modules, and the set of all that a capture names.
 */
#ifndef AUXBPF_FILES_BUILD_IDS_H
#define AUXBPF_FILES_BUILD_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "perfdata/record.h"

/* Reads the build id from the notes of an open ELF file, 32 or 64 bit. -ENOENT if the file has none, -ENOEXEC
 * if it is no ELF file. */
int build_id__read_elf(int fd, struct build_id *ret) _must_check_ _nonnull_(2);

/* Tells whether two build ids are equal. */
bool build_id__equals(const struct build_id *a, const struct build_id *b) _nonnull_(1, 2);

/* Tells whether an open file is an ELF file with this build id. */
bool build_id__is_of(const struct build_id *id, int fd) _must_check_ _nonnull_(1);

/* Room for the digits "XXYYYY..." and for the path ".build-id/XX/YYYY..." */
#define BUILD_ID_DIGITS_SIZE (2 * BUILD_ID_MAX + 1)
#define BUILD_ID_PATH_SIZE (sizeof(".build-id//") + BUILD_ID_DIGITS_SIZE)

/* Writes the id as hexadecimal digits into @digits, of BUILD_ID_DIGITS_SIZE bytes. */
void build_id__digits(const struct build_id *id, char *digits) _nonnull_(1, 2);

/* Writes the path ".build-id/XX/YYYY...", by which perf's cache and debug symbols have files, of
 * BUILD_ID_PATH_SIZE bytes. */
void build_id__path(const struct build_id *id, char *path) _nonnull_(1, 2);

/* Read the build id of the running kernel from /sys/kernel/notes, and that of a module from
 * /sys/module/NAME/notes. A negative errno if there is none. */
int build_id__read_kernel(const char *root, struct build_id *ret) _must_check_ _nonnull_(1, 2);
int build_id__read_module(const char *root, const char *module, struct build_id *ret) _must_check_
	_nonnull_(1, 2, 3);

/* A set of files by name, each with its build id, and of inodes that were looked at. */
struct build_id_set;

int build_id_set__new(struct build_id_set **ret) _must_check_ _nonnull_(1);
void build_id_set__free(struct build_id_set *set);

DEFINE_CLEANUP(build_id_set, struct build_id_set *, build_id_set__free)

/* Returns the build id that was noted for an inode: NULL if it is new, an id of size 0 if it is known to have
 * none. */
const struct build_id *build_id_set__find(const struct build_id_set *set, uint64_t dev,
					  uint64_t ino) _must_check_ _nonnull_(1);

/* Notes the build id of an inode. 0 or -ENOMEM. */
int build_id_set__note(struct build_id_set *set, uint64_t dev, uint64_t ino,
		       const struct build_id *id) _must_check_ _nonnull_(1, 4);

/* Adds a file to the table of the capture unless the table has this name already. */
int build_id_set__add(struct build_id_set *set, const char *name, uint16_t misc,
		      const struct build_id *id) _must_check_ _nonnull_(1, 2, 4);

/* Notes that the file of this name with this build id was mapped by a task that ran. 0 or -ENOMEM. */
int build_id_set__use(struct build_id_set *set, const char *name, const struct build_id *id) _must_check_
	_nonnull_(1, 2, 3);

/* Calls @fn for each name and build id that build_id_set__use() noted, also if the table has the name with
 * another id. */
int build_id_set__each_used(const struct build_id_set *set,
			    int (*fn)(void *ctx, const char *name, const struct build_id *id),
			    void *ctx) _must_check_ _nonnull_(1, 2);

/* Returns the table as the payload of FEATURE_BUILD_ID. */
struct span build_id_set__table(const struct build_id_set *set) _nonnull_(1);

#endif
