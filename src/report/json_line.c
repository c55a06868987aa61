// SPDX-License-Identifier: GPL-2.0-only
#include "report/json_line.h"

#include <errno.h>

int json_line__print(FILE *to, struct json_object *object)
{
	const char *text = json__line(object);

	if (text) {
		fputs(text, to);
		fputc('\n', to);
	}
	json_object_put(object);
	return text ? 0 : -ENOMEM;
}
