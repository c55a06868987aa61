// SPDX-License-Identifier: GPL-2.0-only
#include "commands/file_options.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "perfdata/compressor.h"

int file_options__output(const char *text, const char **path)
{
	if (!*text || !strcmp(text, "-")) {
		log_err("-o: a file name is needed; a trace is not written to a pipe");
		return -EINVAL;
	}
	*path = text;
	return 0;
}

int file_options__cache(const char *text, char **dir)
{
	const char *home = getenv("HOME");

	free(*dir);
	*dir = NULL;
	if (text ? !*text : !home || !*home) {
		log_err("--buildid-cache: name a directory, as in --buildid-cache=/root/.debug");
		return -EINVAL;
	}
	if (asprintf(dir, "%s%s", text ?: home, text ? "" : "/.debug") < 0)
		*dir = NULL;
	return *dir ? 0 : -ENOMEM;
}

int file_options__compression(const char *text, int *level)
{
	uint64_t nr = COMPRESSOR_LEVEL_MIN;

	if (text && (parse__u64(text, &nr) || nr < COMPRESSOR_LEVEL_MIN || nr > COMPRESSOR_LEVEL_MAX)) {
		log_err("-z: '%s' is not a level from %d to %d", text, COMPRESSOR_LEVEL_MIN,
			COMPRESSOR_LEVEL_MAX);
		return -EINVAL;
	}
	*level = (int)nr;
	return 0;
}
