/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a capture that holds files by their build ids, as perf's cache does
 * (tools/perf/util/build-id.c): what `perf --buildid-dir CAPTURE/debug` is given,
 * DEBUG_DIR/.build-id/XX/YYYY.../elf, and "vdso" in place of "elf" for what is no file.
 */
#ifndef AUXBPF_FILES_DEBUG_DIR_H
#define AUXBPF_FILES_DEBUG_DIR_H

#include "base/cleanup.h"
#include "perfdata/record.h"

#define DEBUG_DIR "debug"

/* The one file there that is also found by its path (capture/programs/uprobe_page.h). */
#define DEBUG_DIR_UPROBES DEBUG_DIR "/uprobes"

#define DEBUG_DIR_ELF "elf"

/* Room for a name: the directories, 40 digits, what is there. */
#define DEBUG_DIR_NAME_SIZE 80

/* The name in a capture's directory of the file with this build id: @what is DEBUG_DIR_ELF or VDSO_FILE. */
void debug_dir__name(const struct build_id *id, const char *what, char *name) _nonnull_(1, 2, 3);

/* Whether there is none below @dirfd, or one with nothing else in it: 0. Otherwise -ENOTEMPTY or what went
 * wrong. */
int debug_dir__check(int dirfd) _must_check_;

/* Removes what is checked. What cannot be removed stays. */
void debug_dir__remove(int dirfd);

#endif
