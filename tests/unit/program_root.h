/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs below a root directory that the test makes, and records of their maps.
 */
#ifndef AUXBPF_TESTS_PROGRAM_ROOT_H
#define AUXBPF_TESTS_PROGRAM_ROOT_H

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build_id_elf.h"
#include "capture/programs/held_files.h"
#include "check.h"
#include "root_dir.h"

static inline struct build_id id_of(uint32_t nr)
{
	struct build_id id = {.size = 20};

	memcpy(id.data, &nr, sizeof(nr));
	return id;
}

/* Its build id is id_of(@first). */
static inline void put_program(const struct root_dir *root, const char *name, uint8_t first)
{
	struct buf elf = elf_file(first);

	CHECK(root_dir__put_bytes(root, name, elf.data, elf.len));
	buf__release(&elf);
}

static inline void link_to(const struct root_dir *root, const char *name, const char *target)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root->path, name);
	CHECK_EQ(symlink(target, path), 0);
}

/* Shows @held that process @pid has mapped the program with the build id id_of(@nr), among other records. */
static inline void see(struct held_files *held, uint32_t pid, const char *name, uint32_t nr)
{
	const struct record_mmap map = {
		.misc = PERF_RECORD_MISC_USER,
		.pid = pid,
		.start = 0x1000,
		.len = 0x2000,
		.build_id = id_of(nr),
		.name = name,
	};
	_cleanup_buf_ struct buf b = {0};

	record__add_comm(&b, pid, pid, "comm", 0);
	record__add_mmap2(&b, &map, 0);
	record__add_comm(&b, pid, pid, "comm", 0);
	held_files__see(held, buf__span(&b));
}

#endif
