// SPDX-License-Identifier: GPL-2.0-only
#include "report/json_line.h"

#include <errno.h>

#define FLAGS (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

int json_line__print(FILE *to, struct json_object *object)
{
	const char *text = object ? json_object_to_json_string_ext(object, FLAGS) : NULL;

	if (text) {
		fputs(text, to);
		fputc('\n', to);
	}
	json_object_put(object);
	return text ? 0 : -ENOMEM;
}
