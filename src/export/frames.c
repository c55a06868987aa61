// SPDX-License-Identifier: GPL-2.0-only
#include "export/frames.h"

#include <errno.h>
#include <stdlib.h>

int frames__init(struct frames *frames, const struct function_names *names)
{
	/* Those of all functions, of an unknown one, which may be the only one, and of what was not traced. */
	size_t nr = names->nr + 2;

	*frames = (struct frames){.names = names};
	frames->frame_of = calloc(nr, sizeof(*frames->frame_of));
	frames->functions = calloc(nr, sizeof(*frames->functions));
	return frames->frame_of && frames->functions ? 0 : -ENOMEM;
}

void frames__release(struct frames *frames)
{
	free(frames->frame_of);
	free(frames->functions);
	*frames = (struct frames){0};
}

uint32_t frames__get(struct frames *frames, function_id function)
{
	size_t slot = frames->names->nr + 1;

	if (function != FRAME_NOT_TRACED) {
		function = function_names__same(frames->names, function);
		slot = function & ~FUNCTION_NAMELESS;
	}
	if (!frames->frame_of[slot]) {
		frames->functions[frames->nr++] = function;
		frames->frame_of[slot] = (uint32_t)frames->nr;
	}
	return frames->frame_of[slot] - 1;
}

const char *frames__name(const struct frames *frames, size_t frame)
{
	function_id function = frames->functions[frame];

	return function == FRAME_NOT_TRACED ? "[not traced]"
					    : function_names__get(frames->names, function)->name;
}

const char *frames__object(const struct frames *frames, size_t frame)
{
	function_id function = frames->functions[frame];

	return function == FRAME_NOT_TRACED ? "" : function_names__get(frames->names, function)->object;
}
