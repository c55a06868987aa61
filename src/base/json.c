// SPDX-License-Identifier: GPL-2.0-only
#include "base/json.h"

#include "base/text.h"

struct json_object *json__text(const char *text)
{
	_cleanup_free_ char *utf8 = text__utf8(text);

	return utf8 ? json_object_new_string(utf8) : NULL;
}

void json__add(struct json_object *to, const char *key, struct json_object *value)
{
	if (!to || json_object_object_add(to, key, value))
		json_object_put(value);
}

void json__append(struct json_object *to, struct json_object *value)
{
	if (!to || json_object_array_add(to, value))
		json_object_put(value);
}

const char *json__line(struct json_object *object)
{
	return object ? json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
								       JSON_C_TO_STRING_NOSLASHESCAPE)
		      : NULL;
}
