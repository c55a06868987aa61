/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's page in processes with probes in them, as a file of the capture
 * (capture/programs/uprobe_elf.h). The kernel tells of its mapping by the name UPROBE_PAGE_NAME, under which
 * there is no file.
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
	int fd;	    /* staged, or -1: it has not been needed yet */
	bool used;  /* the caller's: a process that ran has the page, so the capture gets the file */
	char *path; /* of the file in the capture */
	struct build_id id;
	char name[DEBUG_DIR_NAME_SIZE]; /* in the capture, by its build id; DEBUG_DIR_UPROBES is another */
};

/*
 * Begins another capture, @target. @root is that of /sys. Both must stay. @page is {.fd = -1} before the
 * first one.
 */
void uprobe_page__begin(struct uprobe_page *page, const char *root, const struct stage_target *target)
	_nonnull_(1, 2, 3);
void uprobe_page__release(struct uprobe_page *page) _nonnull_(1);

/* Whether the record tells of the page's mapping. @trailer is record__trailer_len(). */
bool uprobe_page__is_told(const struct perf_event_header *record, size_t trailer) _nonnull_(1);

/*
 * If the record tells of the page's mapping, appends to @out a record that names the file. It has the file's
 * path, by which perf finds it as long as the capture is not moved, and its build id, by which --buildid-dir
 * finds it. The file is made and staged for the first such record. 1 if the record was replaced, 0 if it is
 * another one, or a negative errno.
 */
int uprobe_page__replace(struct uprobe_page *page, const struct perf_event_header *record, size_t trailer,
			 struct buf *out) _must_check_ _nonnull_(1, 2, 4);

#endif
