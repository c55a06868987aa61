// SPDX-License-Identifier: GPL-2.0-only
#include "base/json.h"

#include "base/text.h"

struct json_object *json__text(const char *text)
{
	_cleanup_free_ char *utf8 = text__utf8(text);

	return utf8 ? json_object_new_string(utf8) : NULL;
}
