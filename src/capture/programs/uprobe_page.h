/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's page in processes with probes in them, as a file of the capture (see capture/programs/uprobe_elf.h). The
 * kernel tells of its mapping by the name UPROBE_PAGE_NAME, under which there is no file.
 */
#ifndef AUXBPF_CAPTURE_PROGRAMS_UPROBE_PAGE_H
#define AUXBPF_CAPTURE_PROGRAMS_UPROBE_PAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "files/debug_dir.h"
#include "files/stage.h"

struct uprobe_page {
	const char *root;
	const struct stage_target *target;
	int fd; /* staged, or -1: it has not been needed yet */
	bool used; /* the caller's: a process that ran has it, so the capture that is written brings it along ... */
	char *path; /* ... under this path */
	struct build_id id;
	char name[DEBUG_DIR_NAME_SIZE]; /* in the capture, by its build id; DEBUG_DIR_UPROBES is the other */
};

/* Another capture, @target. Both are kept; @root is that of /sys. @page is {.fd = -1} before the first one.
 */
void uprobe_page__begin(struct uprobe_page *page, const char *root, const struct stage_target *target)
	_nonnull_(1, 2, 3);
void uprobe_page__release(struct uprobe_page *page) _nonnull_(1);

/* Whether the record tells of the mapping. @trailer: record__trailer_len(). */
bool uprobe_page__is_told(const struct perf_event_header *record, size_t trailer) _nonnull_(1);

/*
 * If the record tells of the mapping, appends to @out one that names the file with its path, under which perf
 * finds it as long as the capture is not moved, and with its build id, by which --buildid-dir finds it. For
 * the first one of all the file is made and staged. 1 if that was done, 0 if it is another record, or a
 * negative errno.
 */
int uprobe_page__replace(struct uprobe_page *page, const struct perf_event_header *record, size_t trailer,
			 struct buf *out) _must_check_ _nonnull_(1, 2, 4);

#endif
