// SPDX-License-Identifier: GPL-2.0-only
#include "report/ndjson.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"

int ndjson__open(const char *dir, const char *name, char **path, FILE **file)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	int err;

	if (asprintf(path, "%s/%s", dir, name) < 0) {
		*path = NULL;
		return -ENOMEM;
	}
	/* Opening a FIFO would wait. */
	fd = open(*path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return -ENOENT;
	if (fd >= 0 && !fstat(fd, &st) && !S_ISREG(st.st_mode)) {
		log_err("%s is no regular file", *path);
		return -EINVAL;
	}
	*file = fd < 0 ? NULL : fdopen(fd, "r");
	if (*file) {
		steal_fd(&fd);
		return 0;
	}
	err = -errno;
	log_err("cannot open %s: %s", *path, strerror(-err));
	return err;
}
