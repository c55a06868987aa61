/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Another process that opens and copies files of others (foreign_file.h). Their file system (FUSE) need not
 * answer, and a process that waits for it cannot be ended, not even by SIGKILL, once the file system's server
 * has the request. So a helper that does not answer is given up, and the next one is started. The former ends
 * when its file system answers.
 */
#ifndef AUXBPF_FILES_FILE_HELPER_H
#define AUXBPF_FILES_FILE_HELPER_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "files/file_watch.h"
#include "perfdata/record.h"

/* The time to wait for an answer, ms. */
#define FILE_HELPER_TIME 2000

/* To be used by one thread at a time. The process is started when it is needed. */
struct file_helper {
	int fd;			  /* the socket to the process; -1: none runs */
	int timeout;		  /* ms without a sign of life */
	struct file_watch *watch; /* what is known of devices; NULL: nothing */
	uint64_t waited;	  /* ns, what answers took beyond FILE_WATCH_FREE each */
};

/*
 * Forks a process from which helpers are started from then on. To be called once, before this process has
 * threads or much memory: otherwise a helper that is given up would keep what this process had in its memory.
 * Errands are copies of this process all the same. 0 or a negative errno, which is no reason to go without
 * helpers.
 */
int file_helper__prepare(void);

void file_helper__init(struct file_helper *helper, int timeout) _nonnull_(1);
void file_helper__release(struct file_helper *helper) _nonnull_(1);

/*
 * Finds the regular file that a process has mapped, and its build id, of size 0 if it has none. Returns an
 * O_PATH descriptor for file_helper__copy(), whose close does not wait for the file's system either; or a
 * negative errno, -ETIMEDOUT if its device did not answer, now or before, or takes too long.
 */
int file_helper__open_mapped(struct file_helper *helper, const char *root, uint32_t pid,
			     const struct record_mmap *map, struct build_id *id) _must_check_
	_nonnull_(1, 2, 4, 5);

/* Finds the regular file @name in the root directory @root and returns such a descriptor. -ENOENT if the file
 * has another build id. */
int file_helper__open_in(struct file_helper *helper, int root, const char *name,
			 const struct build_id *id) _must_check_ _nonnull_(1, 3, 4);

/*
 * Do in the helper what stage__data_bytes() and stage__copy() do; @from is a descriptor of the functions
 * above. 0 or a negative errno, -ETIMEDOUT among them.
 */
int file_helper__data_bytes(struct file_helper *helper, int from, uint64_t *bytes) _must_check_
	_nonnull_(1, 3);
int file_helper__copy(struct file_helper *helper, int from, int to, uint64_t max,
		      uint64_t *bytes) _must_check_ _nonnull_(1, 5);

/* The results of an errand: bytes in a form of its own, descriptors (int), and lines for -v, each with a
 * NUL. */
struct file_errand {
	struct buf bytes, fds, notes;
};

/* Closes the descriptors that are left and frees the rest. */
void file_errand__release(struct file_errand *errand) _nonnull_(1);
#define _cleanup_file_errand_ _cleanup_(file_errand__release)

/* Adds a descriptor and takes it over. */
void file_errand__add_fd(struct file_errand *errand, int fd) _nonnull_(1);
void file_errand__note(struct file_errand *errand, const char *fmt, ...) _printf_format_(2, 3)
	_nonnull_(1, 2);

/*
 * Runs @fn in a process of its own, which is a copy of this one and has nothing open but what it opens itself
 * by foreign_file.h; it must not log. What @fn adds to @ret is then in @ret here, and its notes are logged.
 * If a device does not answer, @fn is run again without the files there. Returns what @fn returned, which
 * must not be -ETIMEDOUT, or a negative errno.
 */
typedef int (*file_errand_fn)(void *ctx, struct file_errand *ret);
int file_helper__run(struct file_helper *helper, file_errand_fn fn, void *ctx,
		     struct file_errand *ret) _must_check_ _nonnull_(1, 2, 4);

#endif
