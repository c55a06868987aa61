/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies of programs and libraries for captures, by their build ids: where a capture is read there may be no
 * such file, or another one, under that name. Of those that tasks which ran had mapped, all that are wanted;
 * or only those that targets ran from a root of their own. Captures share the copies.
 */
#ifndef AUXBPF_CAPTURE_PROGRAMS_PROGRAM_FILES_H
#define AUXBPF_CAPTURE_PROGRAMS_PROGRAM_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "files/build_ids.h"
#include "containers/container_roots.h"
#include "files/debug_dir.h"
#include "files/file_helper.h"
#include "capture/programs/held_files.h"
#include "files/stage.h"

struct program_file {
	/* Staged. */
	int fd;
	/* In the capture. */
	char name[DEBUG_DIR_NAME_SIZE];
	/* Where it was, one of its names. */
	char *path;
	struct build_id id;
	unsigned int used; /* by the capture of this number last */
};

/* Zero-initialised is empty. */
struct program_files {
	struct program_file *all;
	unsigned int nr;
	unsigned int captures;
	unsigned int missing; /* that were found nowhere, in the last capture */
	unsigned int no_room; /* for which there was no room, in the last capture */
	uint64_t bytes;	      /* that were copied for it */
};

struct program_files_opts {
	struct container_roots *roots;
	struct held_files *held; /* all files are wanted; NULL: those that are in @roots and not in our own */
	struct file_helper *helper;	   /* opens and copies them */
	const struct stage_target *target; /* where the copies are made */
	int cache;			   /* what perf's cache has need not be copied; -1: any must */
	int data_fd;			   /* the rest of the capture; -1: the copies are in none */
	/*
	 * Asked before @bytes are copied, which make it a capture of @total bytes beside the kernel's files: whether
	 * there is room for them on the disk. NULL: there is.
	 */
	bool (*room)(void *ctx, uint64_t total, uint64_t bytes);
	void *ctx;
};

/*
 * Copies each file that @ids has as used, for one more capture. What cannot be copied is left out, with a
 * warning. 0 or -ENOMEM; to be released in any case.
 */
int program_files__copy(struct program_files *files, const struct program_files_opts *opts,
			const struct build_id_set *ids) _must_check_ _nonnull_(1, 2, 3);

/* How many the last capture has, and whether a file is one of them. */
unsigned int program_files__nr(const struct program_files *files) _nonnull_(1);
bool program_files__has(const struct program_files *files, const struct program_file *file) _nonnull_(1, 2);

/*
 * Adds those of the last capture to perf's cache @dirfd, with @sync on the disk before they have names. What
 * cannot be is left out, with a warning.
 */
void program_files__fill_cache(const struct program_files *files, int dirfd, bool sync) _nonnull_(1);

void program_files__release(struct program_files *files) _nonnull_(1);
#define _cleanup_program_files_ _cleanup_(program_files__release)

#endif
