/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Another process that opens and copies files of others (foreign_file.h). A file system of theirs (FUSE) need not answer, and who
 * waits for it cannot be ended, not even by SIGKILL, once its server has the request: such a helper is given up, and the next
 * one is started. It ends when its file system answers.
 */
#ifndef AUXBPF_KERNEL_FILE_HELPER_H
#define AUXBPF_KERNEL_FILE_HELPER_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "pure/record.h"

/* For which a file is waited for, ms. */
#define FILE_HELPER_TIME 2000

/* So many helpers are given up; from then on everything is said to take too long. */
#define FILE_HELPER_LOST_MAX 8

/* For one thread at a time. The process is started when it is needed. */
struct file_helper {
	int fd;	     /* -1: none runs */
	int timeout; /* for each call, ms */
	unsigned int nr_lost;
	uint64_t lost[FILE_HELPER_LOST_MAX]; /* devices, makedev(), whose files are not asked for again */
};

void file_helper__init(struct file_helper *helper, int timeout) _nonnull_(1);
void file_helper__release(struct file_helper *helper) _nonnull_(1);

/*
 * Finds the regular file that a process has mapped, and its build id, of size 0 if it has none. An O_PATH descriptor, for
 * file_helper__copy() or to be closed, which does not wait for the file's system either; or a negative errno, -ETIMEDOUT
 * if a helper was given up for it or for another file of its device.
 */
int file_helper__open_mapped(struct file_helper *helper, const char *root, uint32_t pid,
			     const struct record_mmap *map, struct build_id *id) _must_check_
	_nonnull_(1, 2, 4, 5);

/* The same for a name in the root directory @root, if the file has this build id, or else -ENOENT. */
int file_helper__open_in(struct file_helper *helper, int root, const char *name,
			 const struct build_id *id) _must_check_ _nonnull_(1, 3, 4);

/*
 * As stage__data_bytes() and stage__copy(), from a descriptor of one of these. 0 or a negative errno, -ETIMEDOUT among
 * them.
 */
int file_helper__data_bytes(struct file_helper *helper, int from, uint64_t *bytes) _must_check_
	_nonnull_(1, 3);
int file_helper__copy(struct file_helper *helper, int from, int to, uint64_t max,
		      uint64_t *bytes) _must_check_ _nonnull_(1, 5);

#endif
