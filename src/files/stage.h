/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that have no name until they are complete, and the names they then get.
 *
 * A staged file is an O_TMPFILE on the file system where it will live or, where that does not exist (9p,
 * NFS), memory: a process that dies leaves nothing behind. The only moments when there is an unfinished name
 * are inside stage__publish_dir(), which blocks signals meanwhile. What SIGKILL leaves then has a name that tells so,
 * and is removed by whoever comes next.
 */
#ifndef AUXBPF_FILES_STAGE_H
#define AUXBPF_FILES_STAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* Where a capture goes: a name in an open directory. */
struct stage_target {
	int dirfd;
	char *name;
	bool shares_dir; /* whose descriptor is another's */
	bool sync;	 /* what gets a name is on the disk before, and the name is when that is done */
};

struct stage_file {
	int fd;
	const char *name; /* relative to the capture's directory: "data", "kcore_dir/kcore" */
	mode_t mode;
};

/*
 * Opens the directory of @path and looks whether a capture of that name can be put there: what is there now must
 * be nothing, a file or a directory that holds a capture. What a process that was killed has left of one is
 * removed. Logs what is wrong and returns a negative errno.
 */
int stage__target(const char *path, struct stage_target *ret) _must_check_ _nonnull_(1, 2);

/* The same in the directory @dirfd, which is not closed, where names are given later. 0 or -ENOMEM. */
int stage__target_in(int dirfd, const char *name, struct stage_target *ret) _must_check_ _nonnull_(2, 3);

void stage__target_release(struct stage_target *target);

/* A new nameless file for @target. Returns the descriptor or a negative errno. */
int stage__open(const struct stage_target *target) _must_check_ _nonnull_(1);

/* The same, as @fd; logs. 0 or a negative errno. */
int stage__new_file(const struct stage_target *target, int *fd) _must_check_ _nonnull_(1, 2);

/* Writes all of @span at @offset; 0 or a negative errno. */
int stage__write_at(int fd, uint64_t offset, struct span span) _must_check_;

/* What a staged file will add to what names take on the disk, in bytes: 0 if it has one already. */
uint64_t stage__unnamed_bytes(int fd);

/*
 * Copies a whole file to an empty one and adds to @bytes what it has besides holes, which stay holes. No more than
 * @max bytes, if it grows meanwhile: -EFBIG. The position of @from moves. 0 or a negative errno.
 */
int stage__copy(int from, int to, uint64_t max, uint64_t *bytes) _must_check_ _nonnull_(4);

/*
 * How many bytes stage__copy() would copy now; more if there are holes without end, of which only the first few
 * thousand are looked for. The position of @from moves. 0 or a negative errno.
 */
int stage__data_bytes(int from, uint64_t *bytes) _must_check_ _nonnull_(2);

/*
 * A step of stage__copy(), from *@pos on, which moves behind it: some of the file's next data, at most @max bytes of
 * it. How many, 0 at the end, -EFBIG if there are data and @max is 0, or another negative errno.
 */
int stage__copy_some(int from, int to, off_t *pos, uint64_t max) _must_check_ _nonnull_(3);

/*
 * Gives a staged file the name @name in the directory @dirfd, where there is none like it; -EEXIST if there is. It
 * has all of its text when it has the name; with @sync that is on the disk. 0 or a negative errno.
 */
int stage__give_name(int fd, int dirfd, const char *name, mode_t mode, bool sync) _must_check_ _nonnull_(3);

/*
 * Gives a directory with all of @files in it the target's name; their names with directories in them make these,
 * mode 0700. What had the name becomes NAME.old; an older NAME.old, if it is a capture, goes away. 0, or a
 * negative errno (logged) and everything is as before.
 */
int stage__publish_dir(const struct stage_target *target, const struct stage_file *files,
		       unsigned int nr) _must_check_ _nonnull_(1, 2);

/*
 * Whether @entry is what a process that was killed may leave, or one that runs is making, and then the name in @name,
 * of NAME_MAX + 1 bytes, that it would have had.
 */
bool stage__is_unfinished(const char *entry, char *name) _nonnull_(1, 2);

/* Removes such an entry. -EBUSY if a process that runs is making it; others as of stage__remove_capture(). */
int stage__remove_unfinished(int parent, const char *entry) _nonnull_(2);

/*
 * Removes the capture @name of the directory @parent: a file, or a directory with nothing but a capture's
 * files. Any other directory stays as it is: -ENOTEMPTY. 0 also if there is none; a negative errno.
 */
int stage__remove_capture(int parent, const char *name) _nonnull_(2);

#endif
