// SPDX-License-Identifier: GPL-2.0-only
#include "commands/list_json.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/log.h"

#define SCHEMA 1
#define FLAGS (JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED)

struct json_object *list_json__new(void)
{
	struct json_object *object = json_object_new_object();

	json__add_i64(object, "schema", SCHEMA);
	return object;
}

void list_json__print(struct json_object *object)
{
	const char *json = json__format(object, FLAGS);

	if (!json) {
		log_err("no memory for what is to be printed");
		exit(EXIT_FAILURE);
	}
	puts(json);
	json_object_put(object);
}
