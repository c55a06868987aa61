/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs and libraries that tasks map, held open from when the map is seen. When a capture is written
 * the task, its container, or the file's name may be gone, and the file is still there.
 *
 * A thread opens the files, so that neither a slow file system nor many files hold up the caller who sees the
 * records. Files that were not seen for the longest time are let go for others: what is held is bounded, and
 * is less where the limit of open files is low and cannot be raised.
 */
#ifndef AUXBPF_CAPTURE_PROGRAMS_HELD_FILES_H
#define AUXBPF_CAPTURE_PROGRAMS_HELD_FILES_H

#include "base/buf.h"
#include "base/cleanup.h"
#include "perfdata/record.h"

/* Each held file takes a descriptor. As many again are those of copies (program_files.h). */
#define HELD_FILES_MAX 1024
#define HELD_FILES_USERS 2

struct held_files;

/* @root is where /proc is, and must outlive the object. 0 or a negative errno. */
int held_files__new(const char *root, struct held_files **ret) _must_check_ _nonnull_(1, 2);
void held_files__free(struct held_files *held);
DEFINE_CLEANUP(held_files, struct held_files *, held_files__free)

/*
 * Shows whole records to @held; those that tell of a map and its build id count. Never waits. Called by any
 * thread.
 */
void held_files__see(struct held_files *held, struct span records) _nonnull_(1);

/* Waits until all that was seen before is opened, but no longer than a few seconds. Called by any thread. */
void held_files__settle(struct held_files *held) _nonnull_(1);

/*
 * Returns a descriptor of the file with this build id, which is the caller's, for file_helper__copy().
 * -ENOENT if the file is not held. Called by any thread.
 */
int held_files__get(struct held_files *held, const struct build_id *id) _must_check_ _nonnull_(1, 2);

#endif
