/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a capture that holds files by their build ids, as perf's cache does
 * (tools/perf/util/build-id.c). `perf --buildid-dir CAPTURE/debug` reads it:
 * DEBUG_DIR/.build-id/XX/YYYY.../elf, with "vdso" in place of "elf" for the vDSO, which is no file.
 */
#ifndef AUXBPF_FILES_DEBUG_DIR_H
#define AUXBPF_FILES_DEBUG_DIR_H

#include "base/cleanup.h"
#include "perfdata/record.h"

#define DEBUG_DIR "debug"

/* The only file in DEBUG_DIR that is also found by its path (capture/programs/uprobe_page.h). */
#define DEBUG_DIR_UPROBES DEBUG_DIR "/uprobes"

#define DEBUG_DIR_ELF "elf"

/* Room for a name: the directories, 40 digits, and "elf" or "vdso". */
#define DEBUG_DIR_NAME_SIZE 80

/* Writes the name that the file with this build id has in a capture's directory. @what is DEBUG_DIR_ELF or
 * VDSO_FILE. */
void debug_dir__name(const struct build_id *id, const char *what, char *name) _nonnull_(1, 2, 3);

/* Checks that DEBUG_DIR below @dirfd has nothing else in it. 0, also if there is no such directory;
 * -ENOTEMPTY or another negative errno. */
int debug_dir__check(int dirfd) _must_check_;

/* Removes DEBUG_DIR and the files that belong in it. What cannot be removed stays. */
void debug_dir__remove(int dirfd);

#endif
