// SPDX-License-Identifier: GPL-2.0-only
#include "commands/file_options.h"

#include <errno.h>
#include <stdint.h>

#include "base/log.h"
#include "base/parse.h"
#include "pure/compressor.h"

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
