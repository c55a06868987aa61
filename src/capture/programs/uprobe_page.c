// SPDX-License-Identifier: GPL-2.0-only
#include "capture/programs/uprobe_page.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "capture/programs/uprobe_elf.h"
#include "capture/programs/uprobe_trampoline.h"
#include "perfdata/record.h"

void uprobe_page__begin(struct uprobe_page *page, const char *root, const struct stage_target *target)
{
	free(page->path);
	page->path = NULL;
	page->used = false;
	page->root = root;
	page->target = target;
}

void uprobe_page__release(struct uprobe_page *page)
{
	if (page->fd >= 0)
		close(page->fd);
	free(page->path);
	*page = (struct uprobe_page){.fd = -1};
}

/* Finds the path that the file will have. */
static int find_path(struct uprobe_page *page)
{
	char fd[32], dir[PATH_MAX];
	ssize_t len;

	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", page->target->dirfd);
	len = readlink(fd, dir, sizeof(dir));
	if (len < 0)
		return -errno;
	if (asprintf(&page->path, "%.*s/%s/" DEBUG_DIR_UPROBES, (int)(dir[len - 1] == '/' ? len - 1 : len),
		     dir, page->target->name) < 0) {
		page->path = NULL;
		return -ENOMEM;
	}
	return strlen(page->path) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int make_file(struct uprobe_page *page)
{
	_cleanup_buf_ struct buf elf = {0};
	uint8_t trampoline[UPROBE_SLOT_SIZE];
	int err = uprobe_trampoline__read(page->root, trampoline);

	if (err)
		log_warn("cannot see how functions with a probe return, their callers may be decoded with "
			 "an error: %s",
			 strerror(-err));
	/* After a breakpoint there may be anything, because older kernels did not clear the page. */
	if (err || uprobe_elf__is_breakpoint(trampoline))
		uprobe_elf__fill_breakpoint(trampoline);
	uprobe_elf__build(trampoline, &elf, &page->id);
	err = buf__error(&elf);
	if (err)
		return err;
	page->fd = stage__open(page->target);
	if (page->fd < 0)
		return page->fd;
	debug_dir__name(&page->id, DEBUG_DIR_ELF, page->name);
	return stage__write_at(page->fd, 0, buf__span(&elf));
}

bool uprobe_page__is_told(const struct perf_event_header *record, size_t trailer)
{
	const char *name = record__mmap2_name(record);

	return name && !strcmp(name, UPROBE_PAGE_NAME) &&
	       name + sizeof(UPROBE_PAGE_NAME) <= (const char *)record + record->size - trailer;
}

int uprobe_page__replace(struct uprobe_page *page, const struct perf_event_header *record, size_t trailer,
			 struct buf *out)
{
	int err = 0;

	if (!uprobe_page__is_told(record, trailer))
		return 0;
	if (!page->path)
		err = find_path(page);
	if (!err && page->fd < 0)
		err = make_file(page);
	if (err)
		return err;
	record__add_mmap2_of(out, record, trailer, page->path, &page->id, UPROBE_PAGE_OFFSET);
	err = buf__error(out);
	return err ? err : 1;
}
