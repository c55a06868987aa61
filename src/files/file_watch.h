/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a helper (file_helper.h) that opens files of others says of where it is, in memory that it shares with who
 * asks: the device that it asks, so that who has no answer knows which one to blame, and which ones have no more
 * credit.
 *
 * A file system may be as slow as it likes now and then. What it takes beyond FILE_WATCH_FREE at a time is its
 * debt, of which it pays back a tenth of the time that passes; with more than FILE_WATCH_DEBT it is not asked
 * again. So one that gives its bytes in drips holds up nobody for longer than one that gives none.
 */
#ifndef AUXBPF_FILES_FILE_WATCH_H
#define AUXBPF_FILES_FILE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

#define FILE_WATCH_FREE 100	/* ms */
#define FILE_WATCH_DEBT 10000	/* ms */
#define FILE_WATCH_LOST_MAX 8	/* devices; from then on none is asked */
#define FILE_WATCH_PATH_MAX 512 /* what is longer is cut off */

struct file_watch;

/*
 * A new one, which knows what @old knows of devices (NULL: nothing). 0 or a negative errno. @fd, the caller's to
 * close, is for file_watch__open() in another process.
 */
int file_watch__new(const struct file_watch *old, int *fd, struct file_watch **ret) _must_check_
	_nonnull_(2, 3);
int file_watch__open(int fd, struct file_watch **ret) _must_check_ _nonnull_(2);
void file_watch__free(struct file_watch *watch);

/* For who asks. The device, makedev(), that is being asked, or 0: not known. */
uint64_t file_watch__dev(const struct file_watch *watch) _nonnull_(1);

/* Whether the helper waits for what is no file of others: the disk that it copies to. */
bool file_watch__is_at_ours(const struct file_watch *watch) _nonnull_(1);

/* What is being looked for, or what was when the last device was lost, in whatever root directory; may be empty. */
void file_watch__path(struct file_watch *watch, char path[FILE_WATCH_PATH_MAX]) _nonnull_(1, 2);

/* A number that grows with each thing that was asked. */
uint64_t file_watch__steps(const struct file_watch *watch) _nonnull_(1);

/* How long the helper has run or waited for a CPU, ns, which it does not while it waits for a file; 0: not known. */
uint64_t file_watch__busy(const struct file_watch *watch) _nonnull_(1);

/* @dev is not asked again. 0 stands for none that could be named, and counts. */
void file_watch__lose(struct file_watch *watch, uint64_t dev) _nonnull_(1);
bool file_watch__is_lost(const struct file_watch *watch, uint64_t dev) _nonnull_(1);
unsigned int file_watch__nr_lost(const struct file_watch *watch) _nonnull_(1);

/* For the helper: from now on all that foreign_file.h does in this process is told to @watch. */
void file_watch__serve(struct file_watch *watch) _nonnull_(1);

/* A request begins, or has ended: nothing is asked in between. */
void file_watch__rest(struct file_watch *watch) _nonnull_(1);

#endif
