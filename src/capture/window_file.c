// SPDX-License-Identifier: GPL-2.0-only
#include "capture/window_file.h"

#include "capture/window_line.h"

/* Lines are written together until they have that many bytes. */
#define CHUNK (64u << 10)

static int write_out(int fd, struct buf *lines, uint64_t *at)
{
	int err = stage__write_at(fd, *at, buf__span(lines));

	*at += lines->len;
	buf__truncate(lines, 0);
	return err;
}

static int write_lines(int fd, const struct capture_windows *windows)
{
	_cleanup_buf_ struct buf lines = {0};
	uint64_t at = 0;
	int err = window_line__add_header(&lines, windows->nr, windows->left_out);

	for (size_t i = 0; !err && i < windows->nr; i++) {
		err = window_line__add(&lines, &windows->all[i], windows->asked->functions,
				       windows->asked->nr_functions);
		if (!err && lines.len >= CHUNK)
			err = write_out(fd, &lines, &at);
	}
	return err ? err : write_out(fd, &lines, &at);
}

int window_file__make(const struct stage_target *target, const struct capture_windows *windows, int *fd)
{
	int err = stage__new_file(target, fd);

	return err ? err : write_lines(*fd, windows);
}
