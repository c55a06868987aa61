/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that have no name until they are complete, and how they then get one.
 *
 * A staged file is an O_TMPFILE on the file system where it will live or, where that does not exist (9p,
 * NFS), memory: a process that dies leaves nothing behind. There is an unfinished name only inside
 * stage__publish_dir(), which blocks signals meanwhile. If SIGKILL ends it there, the name that is left tells
 * that it is unfinished, and the next process removes it.
 */
#ifndef AUXBPF_FILES_STAGE_H
#define AUXBPF_FILES_STAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* The file of a capture's directory that tells of its windows. */
#define STAGE_WINDOWS "windows.ndjson"

/* The place of a capture: a name in an open directory. */
struct stage_target {
	int dirfd;
	char *name;
	bool shares_dir; /* @dirfd is another's and is not closed */
	bool sync;	 /* put files on the disk before they get a name, and the name before all is done */
};

struct stage_file {
	int fd;
	const char *name; /* relative to the capture's directory: "data", "kcore_dir/kcore" */
	mode_t mode;
};

/*
 * Opens the directory of @path and checks that a capture of that name can be put there: what is there now
 * must be nothing, a file or a directory that holds a capture. Removes what a killed process has left of a
 * capture. Logs what is wrong and returns a negative errno.
 */
int stage__target(const char *path, struct stage_target *ret) _must_check_ _nonnull_(1, 2);

/* Sets a target in the directory @dirfd, which is not closed; names are given later. 0 or -ENOMEM. */
int stage__target_in(int dirfd, const char *name, struct stage_target *ret) _must_check_ _nonnull_(2, 3);

void stage__target_release(struct stage_target *target);

/* Makes a nameless file for @target. Returns its descriptor or a negative errno. */
int stage__open(const struct stage_target *target) _must_check_ _nonnull_(1);

/* Makes such a file as @fd; logs errors. 0 or a negative errno. */
int stage__new_file(const struct stage_target *target, int *fd) _must_check_ _nonnull_(1, 2);

/* Writes all of @span at @offset; 0 or a negative errno. */
int stage__write_at(int fd, uint64_t offset, struct span span) _must_check_;

/* Returns the disk space in bytes that a staged file will use once it has a name; 0 if it has one already. */
uint64_t stage__unnamed_bytes(int fd);

/*
 * Copies a whole file to an empty one and adds the copied bytes to @bytes. Holes stay holes and do not count.
 * -EFBIG if the file has more than @max bytes of data, as it may grow meanwhile. The position of @from moves.
 * 0 or a negative errno.
 */
int stage__copy(int from, int to, uint64_t max, uint64_t *bytes) _must_check_ _nonnull_(4);

/*
 * Counts the bytes that stage__copy() would copy now. Only the first few thousand holes are looked for; the
 * rest counts as data. The position of @from moves. 0 or a negative errno.
 */
int stage__data_bytes(int from, uint64_t *bytes) _must_check_ _nonnull_(2);

/*
 * Does one step of stage__copy(): copies some of the file's next data, at most @max bytes, from *@pos on, and
 * moves *@pos behind them. Returns how many, 0 at the end, -EFBIG if there are data and @max is 0, or another
 * negative errno.
 */
int stage__copy_some(int from, int to, off_t *pos, uint64_t max) _must_check_ _nonnull_(3);

/*
 * Gives a staged file the name @name in the directory @dirfd; -EEXIST if that exists. The file is complete
 * when it gets the name; with @sync its contents are on the disk then. 0 or a negative errno.
 */
int stage__give_name(int fd, int dirfd, const char *name, mode_t mode, bool sync) _must_check_ _nonnull_(3);

/*
 * Makes a directory with all of @files in it and gives it the target's name. Directories in the names of
 * files are made, mode 0700. What had the target's name becomes NAME.old; an older NAME.old, if it is a
 * capture, is removed. 0, or a negative errno (logged), and then everything is as before.
 */
int stage__publish_dir(const struct stage_target *target, const struct stage_file *files,
		       unsigned int nr) _must_check_ _nonnull_(1, 2);

/*
 * Tells whether @entry is a capture that a killed process has left unfinished or that a running one is
 * making. If so, @name, of NAME_MAX + 1 bytes, gets the name that it would have had.
 */
bool stage__is_unfinished(const char *entry, char *name) _nonnull_(1, 2);

/* Removes such an entry. -EBUSY if a running process is making it; other errors are those of
 * stage__remove_capture(). */
int stage__remove_unfinished(int parent, const char *entry) _nonnull_(2);

/*
 * Removes the capture @name from the directory @parent: a file, or a directory with only a capture's files in
 * it. Any other directory stays as it is: -ENOTEMPTY. 0, also if there is none, or a negative errno.
 */
int stage__remove_capture(int parent, const char *name) _nonnull_(2);

#endif
