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

const char *json__get_text(struct json_object *object, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) ? json_object_get_string(value) : NULL;
}

uint64_t json__get_u64(struct json_object *object, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) ? json_object_get_uint64(value) : 0;
}
