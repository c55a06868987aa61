/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory that a helper (file_helper.h) that opens files of others shares with its user. It tells the
 * device that the helper asks now, so that the user knows which one to blame if no answer comes, and the
 * devices that are not asked any more.
 *
 * A file system may be slow now and then. The time that it takes beyond FILE_WATCH_FREE for one answer is its
 * debt, and it pays back a tenth of the time that passes. With a debt of more than FILE_WATCH_DEBT it is not
 * asked again. So a file system that gives its bytes in drips holds up nobody for longer than one that gives
 * none.
 */
#ifndef AUXBPF_FILES_FILE_WATCH_H
#define AUXBPF_FILES_FILE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

#define FILE_WATCH_FREE 100	/* ms */
#define FILE_WATCH_DEBT 10000	/* ms */
#define FILE_WATCH_LOST_MAX 8	/* devices; when so many are lost, none is asked */
#define FILE_WATCH_PATH_MAX 512 /* bytes; a longer path is cut off */

struct file_watch;

/*
 * Makes a watch that knows what @old knows of devices (NULL: nothing). 0 or a negative errno. @fd, which the
 * caller closes, is for file_watch__open() in another process.
 */
int file_watch__new(const struct file_watch *old, int *fd, struct file_watch **ret) _must_check_
	_nonnull_(2, 3);
int file_watch__open(int fd, struct file_watch **ret) _must_check_ _nonnull_(2);
void file_watch__free(struct file_watch *watch);

/* For the user. Returns the device, makedev(), that is being asked; 0 if it is not known. */
uint64_t file_watch__dev(const struct file_watch *watch) _nonnull_(1);

/* Tells whether the helper waits for our own disk, to which it copies, and not for a file of others. */
bool file_watch__is_at_ours(const struct file_watch *watch) _nonnull_(1);

/* Copies the path that is being looked for, in whatever root directory, or that was when the last device was
 * lost; may be empty. */
void file_watch__path(struct file_watch *watch, char path[FILE_WATCH_PATH_MAX]) _nonnull_(1, 2);

/* Returns a number that grows with each thing that was asked. */
uint64_t file_watch__steps(const struct file_watch *watch) _nonnull_(1);

/* Returns how long the helper has run or waited for a CPU, ns; 0 if unknown. This does not grow while it
 * waits for a file. */
uint64_t file_watch__busy(const struct file_watch *watch) _nonnull_(1);

/* Notes that @dev must not be asked again. 0 stands for a device that could not be named, and counts. */
void file_watch__lose(struct file_watch *watch, uint64_t dev) _nonnull_(1);
bool file_watch__is_lost(const struct file_watch *watch, uint64_t dev) _nonnull_(1);
unsigned int file_watch__nr_lost(const struct file_watch *watch) _nonnull_(1);

/* For the helper. From now on foreign_file.h tells @watch all that it asks in this process. */
void file_watch__serve(struct file_watch *watch) _nonnull_(1);

/* Notes that a request begins or has ended: no device is asked in between. */
void file_watch__rest(struct file_watch *watch) _nonnull_(1);

#endif
