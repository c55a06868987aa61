/* SPDX-License-Identifier: GPL-2.0-only */
/* All JSON that auxbpf writes is made with this. */
#ifndef AUXBPF_BASE_JSON_H
#define AUXBPF_BASE_JSON_H

#include <json.h>

#include "base/cleanup.h"

/*
 * A string of any bytes, made UTF-8 (base/text.h): json-c writes what it is given. The caller owns it. NULL,
 * which json-c writes as null: no memory.
 */
struct json_object *json__text(const char *text) _must_check_ _nonnull_(1);

/*
 * Gives @value to an object, under @key, or to a list. Where there was no memory for @to, as json-c asserts that there
 * was, or for the entry, the value is released. NULL is null.
 */
void json__add(struct json_object *to, const char *key, struct json_object *value) _nonnull_(2);
void json__append(struct json_object *to, struct json_object *value);

#endif
