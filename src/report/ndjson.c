// SPDX-License-Identifier: GPL-2.0-only
#include "report/ndjson.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"

int ndjson__open(const char *dir, const char *name, char **path, FILE **file)
{
	int err;

	if (asprintf(path, "%s/%s", dir, name) < 0) {
		*path = NULL;
		return -ENOMEM;
	}
	*file = fopen(*path, "re");
	if (*file)
		return 0;
	err = errno;
	if (err == ENOENT || err == ENOTDIR)
		return -ENOENT;
	log_err("cannot open %s: %s", *path, strerror(err));
	return -err;
}
