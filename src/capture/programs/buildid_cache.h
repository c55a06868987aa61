/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf's own cache of programs by their build ids (tools/perf/util/build-id.c), which perf looks into by
 * itself:
 *
 *	DIR/usr/bin/app/ID/elf			a copy of /usr/bin/app
 *	DIR/.build-id/XX/YYYY -> ../../usr/bin/app/ID
 *
 * In place of "elf" it is "vdso" for "[vdso]" and "kallsyms" for "[kernel.kallsyms]".
 */
#ifndef AUXBPF_CAPTURE_PROGRAMS_BUILDID_CACHE_H
#define AUXBPF_CAPTURE_PROGRAMS_BUILDID_CACHE_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "perfdata/record.h"

struct buildid_cache_entry {
	const char *path; /* where the file was: "/usr/bin/app", "[vdso]" */
	const char *what; /* its name in the cache: "elf", ... */
	struct build_id id;
	int fd;
	bool sync; /* the data must be on the disk before the file has a name */
};

/*
 * Opens the directory of a cache, and makes it if there is none. Returns the descriptor or a negative errno;
 * logs what is wrong.
 */
int buildid_cache__open(const char *dir) _must_check_ _nonnull_(1);

/* Whether the cache @dirfd has the file @what with this build id. */
bool buildid_cache__has(int dirfd, const struct build_id *id, const char *what) _nonnull_(2, 3);

/* Links or copies a file into the cache @dirfd, unless it has it. 0 or a negative errno. */
int buildid_cache__add(int dirfd, const struct buildid_cache_entry *entry) _must_check_ _nonnull_(2);

#endif
