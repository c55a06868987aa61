// SPDX-License-Identifier: GPL-2.0-only
/* JSON without memory: what lacks something has no text, and nothing is kept of it. */
#include "base/json.h"
#include "check.h"

static int released;

static void on_release(struct json_object *object, void *data)
{
	released++;
}

static struct json_object *watched(void)
{
	struct json_object *object = json__text("\xff\"");

	json_object_set_userdata(object, NULL, on_release);
	return object;
}

static void check_whole(void)
{
	struct json_object *object = json_object_new_object(), *list = json_object_new_array();

	json__append(list, watched());
	json__append_text(list, "a/b");
	json__append_u64(list, UINT64_MAX);
	json__add(object, "list", list);
	json__add_text(object, "text", "\x80");
	json__add_text(object, "none", NULL);
	json__add_null(object, "null");
	json__add_i64(object, "less", INT64_MIN);
	json__add_u64(object, "more", 1);
	json__add_bool(object, "true", true);
	CHECK_STREQ(json__line(object),
		    "{\"list\":[\"\xef\xbf\xbd\\\"\",\"a/b\",18446744073709551615],\"text\":\"\xef\xbf\xbd\","
		    "\"none\":null,\"null\":null,\"less\":-9223372036854775808,\"more\":1,\"true\":true}");
	CHECK_EQ(released, 0);
	json_object_put(object);
	CHECK_EQ(released, 1);
}

/* There was no memory for the object or the list itself. */
static void check_without(void)
{
	json__add(NULL, "key", watched());
	json__append(NULL, watched());
	CHECK_EQ(released, 3);
	json__add_text(NULL, "key", "text");
	json__add_null(NULL, "key");
	json__append_text(NULL, "text");
	CHECK(!json__line(NULL));
}

/* There was none for an entry: whatever that is in has no text. */
static void check_lacking(void)
{
	struct json_object *object = json_object_new_object(), *list = json_object_new_array();
	struct json_object *outer = json_object_new_object();

	json__append_u64(list, 1);
	json__append(list, NULL);
	json__add(object, "list", list);
	json__add(outer, "object", object);
	json__add_u64(outer, "more", 1);
	CHECK(!json__line(list));
	CHECK(!json__line(outer));
	CHECK(!json__format(outer, JSON_C_TO_STRING_PRETTY));
	json_object_put(outer);
	object = json_object_new_object();
	json__add(object, "key", NULL);
	CHECK(!json__line(object));
	json_object_put(object);
}

int main(void)
{
	check_whole();
	check_without();
	check_lacking();
	return check__done();
}
