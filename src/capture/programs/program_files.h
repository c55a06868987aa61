/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies of programs and libraries for captures, by their build ids: where a capture is read there may be no
 * such file, or another one, under that name. All files that tasks which ran had mapped are copied, or only
 * those that targets ran from a root of their own. Captures share the copies.
 */
#ifndef AUXBPF_CAPTURE_PROGRAMS_PROGRAM_FILES_H
#define AUXBPF_CAPTURE_PROGRAMS_PROGRAM_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "capture/programs/held_files.h"
#include "containers/container_roots.h"
#include "files/build_ids.h"
#include "files/debug_dir.h"
#include "files/file_helper.h"
#include "files/stage.h"

struct program_file {
	/* The staged copy. */
	int fd;
	/* Its name in the capture. */
	char name[DEBUG_DIR_NAME_SIZE];
	/* One of the names that the file had. */
	char *path;
	struct build_id id;
	unsigned int used; /* number of the last capture that has it */
};

/* Zero-initialised is empty. */
struct program_files {
	struct program_file *all;
	unsigned int nr;
	unsigned int captures;
	unsigned int missing; /* files that were found nowhere, in the last capture */
	unsigned int no_room; /* files for which there was no room, in the last capture */
	uint64_t bytes;	      /* bytes that were copied for the last capture */
};

struct program_files_opts {
	struct container_roots *roots;
	struct held_files *held;	   /* all are wanted; NULL: those in @roots and not in our root */
	struct file_helper *helper;	   /* opens and copies them */
	const struct stage_target *target; /* where the copies are made */
	int cache;			   /* files that perf's cache has are not copied; -1: no cache */
	int data_fd;			   /* the rest of the capture; -1: no capture gets the copies */
	/*
	 * Tells whether there is room on the disk for @bytes, which make it a capture of @total bytes beside
	 * the kernel's files. Called before they are copied. NULL: there is.
	 */
	bool (*room)(void *ctx, uint64_t total, uint64_t bytes);
	void *ctx;
};

/*
 * Copies each file that @ids has as used, for one more capture. What cannot be copied is left out, with a
 * warning. 0 or -ENOMEM; release @files in any case.
 */
int program_files__copy(struct program_files *files, const struct program_files_opts *opts,
			const struct build_id_set *ids) _must_check_ _nonnull_(1, 2, 3);

/* The number of copies that the last capture has, and whether @file is one of them. */
unsigned int program_files__nr(const struct program_files *files) _nonnull_(1);
bool program_files__has(const struct program_files *files, const struct program_file *file) _nonnull_(1, 2);

/*
 * Adds the copies of the last capture to perf's cache @dirfd; with @sync they are on the disk before they
 * have names. What cannot be added is left out, with a warning.
 */
void program_files__fill_cache(const struct program_files *files, int dirfd, bool sync) _nonnull_(1);

void program_files__release(struct program_files *files) _nonnull_(1);
#define _cleanup_program_files_ _cleanup_(program_files__release)

#endif
