// SPDX-License-Identifier: GPL-2.0-only
#include "base/json.h"

#include <errno.h>

#include "base/text.h"

struct json_object *json__text(const char *text)
{
	_cleanup_free_ char *utf8 = text__utf8(text);

	return utf8 ? json_object_new_string(utf8) : NULL;
}

/* Is the text of what lacks something, so that there is none of what that is in, either. */
static int no_text(struct json_object *object, struct printbuf *to, int level, int flags)
{
	return -1;
}

void json__mark_lacking(struct json_object *to)
{
	if (to)
		json_object_set_serializer(to, no_text, NULL, NULL);
}

void json__add(struct json_object *to, const char *key, struct json_object *value)
{
	if (value && to && !json_object_object_add(to, key, value))
		return;
	json_object_put(value);
	json__mark_lacking(to);
}

void json__add_null(struct json_object *to, const char *key)
{
	if (to && json_object_object_add(to, key, NULL))
		json__mark_lacking(to);
}

void json__add_text(struct json_object *to, const char *key, const char *text)
{
	if (text)
		json__add(to, key, json__text(text));
	else
		json__add_null(to, key);
}

void json__add_u64(struct json_object *to, const char *key, uint64_t value)
{
	json__add(to, key, json_object_new_uint64(value));
}

void json__add_i64(struct json_object *to, const char *key, int64_t value)
{
	json__add(to, key, json_object_new_int64(value));
}

void json__add_bool(struct json_object *to, const char *key, bool value)
{
	json__add(to, key, json_object_new_boolean(value));
}

void json__append(struct json_object *to, struct json_object *value)
{
	if (value && to && !json_object_array_add(to, value))
		return;
	json_object_put(value);
	json__mark_lacking(to);
}

void json__append_text(struct json_object *to, const char *text)
{
	json__append(to, json__text(text));
}

void json__append_u64(struct json_object *to, uint64_t value)
{
	json__append(to, json_object_new_uint64(value));
}

const char *json__format(struct json_object *object, int flags)
{
	const char *text;

	if (!object)
		return NULL;
	/* json-c leaves pieces of the text out, without a word, while its buffer cannot grow (printbuf.c). */
	errno = 0;
	text = json_object_to_json_string_ext(object, flags | JSON_C_TO_STRING_NOSLASHESCAPE);
	return errno == ENOMEM ? NULL : text;
}

const char *json__line(struct json_object *object)
{
	return json__format(object, JSON_C_TO_STRING_PLAIN);
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
