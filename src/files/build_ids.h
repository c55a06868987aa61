/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Build ids: of ELF files, of the running kernel and its modules, and the set of all that a capture names.
 */
#ifndef AUXBPF_FILES_BUILD_IDS_H
#define AUXBPF_FILES_BUILD_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "perfdata/record.h"

/* Reads the build id from the notes of an open ELF file, 32 or 64 bit. -ENOENT if it has none, -ENOEXEC if it
 * is no ELF. */
int build_id__read_elf(int fd, struct build_id *ret) _must_check_ _nonnull_(2);

/* Whether both are of the same file. */
bool build_id__equals(const struct build_id *a, const struct build_id *b) _nonnull_(1, 2);

/* Whether an open file is an ELF file with this build id. */
bool build_id__is_of(const struct build_id *id, int fd) _must_check_ _nonnull_(1);

/* Room for "XXYYYY..." and for ".build-id/XX/YYYY..." */
#define BUILD_ID_DIGITS_SIZE (2 * BUILD_ID_MAX + 1)
#define BUILD_ID_PATH_SIZE (sizeof(".build-id//") + BUILD_ID_DIGITS_SIZE)

/* As it is written: hexadecimal digits. */
void build_id__digits(const struct build_id *id, char *digits) _nonnull_(1, 2);

/* Where files are by their build ids, in perf's cache and among debug symbols: ".build-id/XX/YYYY...". */
void build_id__path(const struct build_id *id, char *path) _nonnull_(1, 2);

/* The running kernel's, from /sys/kernel/notes, and a module's, from /sys/module/NAME/notes. Negative errno
 * without. */
int build_id__read_kernel(const char *root, struct build_id *ret) _must_check_ _nonnull_(1, 2);
int build_id__read_module(const char *root, const char *module, struct build_id *ret) _must_check_
	_nonnull_(1, 2, 3);

/* A set of files by name, each with its build id, and of inodes that were looked at. */
struct build_id_set;

int build_id_set__new(struct build_id_set **ret) _must_check_ _nonnull_(1);
void build_id_set__free(struct build_id_set *set);

DEFINE_CLEANUP(build_id_set, struct build_id_set *, build_id_set__free)

/* What was noted for this inode: NULL if it is new, an id of size 0 if it is known to have none. */
const struct build_id *build_id_set__find(const struct build_id_set *set, uint64_t dev,
					  uint64_t ino) _must_check_ _nonnull_(1);

/* Notes an inode. 0 or -ENOMEM. */
int build_id_set__note(struct build_id_set *set, uint64_t dev, uint64_t ino,
		       const struct build_id *id) _must_check_ _nonnull_(1, 4);

/* Adds a file to the table of the capture unless it is in it under this name. */
int build_id_set__add(struct build_id_set *set, const char *name, uint16_t misc,
		      const struct build_id *id) _must_check_ _nonnull_(1, 2, 4);

/* Notes that the file of this name with this build id was mapped by a task that ran. 0 or -ENOMEM. */
int build_id_set__use(struct build_id_set *set, const char *name, const struct build_id *id) _must_check_
	_nonnull_(1, 2, 3);

/* Calls @fn for every name and build id that were noted so, also if the table has the name with another id.
 */
int build_id_set__each_used(const struct build_id_set *set,
			    int (*fn)(void *ctx, const char *name, const struct build_id *id),
			    void *ctx) _must_check_ _nonnull_(1, 2);

/* The payload of FEATURE_BUILD_ID. */
struct span build_id_set__table(const struct build_id_set *set) _nonnull_(1);

#endif
