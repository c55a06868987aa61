/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies of the programs and libraries that targets ran from a root of their own: where the capture is read
 * there may be no such file, or another one, under that name.
 */
#ifndef AUXBPF_KERNEL_CONTAINER_FILES_H
#define AUXBPF_KERNEL_CONTAINER_FILES_H

#include "base/cleanup.h"
#include "kernel/build_ids.h"
#include "kernel/container_roots.h"
#include "kernel/debug_dir.h"
#include "kernel/stage.h"

struct container_file {
	/* Staged. */
	int fd;
	/* In the capture. */
	char name[DEBUG_DIR_NAME_SIZE];
};

/* Zero-initialised is empty. */
struct container_files {
	struct container_file *all;
	unsigned int nr;
};

/*
 * Copies each file of @ids that is in one of @roots and not in our own. What cannot be copied is left out,
 * with a warning. 0 or -ENOMEM; to be released in any case.
 */
int container_files__copy(const struct container_roots *roots, const struct build_id_set *ids,
			  const struct stage_target *target, struct container_files *ret) _must_check_
	_nonnull_(1, 2, 3, 4);
void container_files__release(struct container_files *files) _nonnull_(1);
#define _cleanup_container_files_ _cleanup_(container_files__release)

#endif
