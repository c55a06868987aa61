// SPDX-License-Identifier: GPL-2.0-only
/* JSON without memory: what cannot be made is left out, and nothing is kept of it. */
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

int main(void)
{
	struct json_object *object = json_object_new_object(), *list = json_object_new_array();

	json__add(NULL, "key", watched());
	json__append(NULL, watched());
	CHECK_EQ(released, 2);
	json__append(list, watched());
	json__append(list, NULL);
	json__add(object, "list", list);
	json__add(object, "none", NULL);
	CHECK_EQ(released, 2);
	CHECK_STREQ(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN),
		    "{\"list\":[\"\xef\xbf\xbd\\\"\",null],\"none\":null}");
	json_object_put(object);
	CHECK_EQ(released, 3);
	return check__done();
}
