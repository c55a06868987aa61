/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes all the JSON that auxbpf writes, and looks at what it reads. */
#ifndef AUXBPF_BASE_JSON_H
#define AUXBPF_BASE_JSON_H

#include <json.h>

#include "base/cleanup.h"

/*
 * Makes a JSON string of any bytes. They become valid UTF-8 (base/text.h), since json-c writes what it is
 * given. The caller owns the string. Returns NULL, which json-c writes as null, if there is no memory.
 */
struct json_object *json__text(const char *text) _must_check_ _nonnull_(1);

/*
 * Adds @value to an object under @key, or to the end of a list, which then owns it. @value is released if
 * there is no memory for the entry, or was none for @to, which is NULL then: json-c asserts that it is not. A
 * @value of NULL becomes null.
 */
void json__add(struct json_object *to, const char *key, struct json_object *value) _nonnull_(2);
void json__append(struct json_object *to, struct json_object *value);

/*
 * Returns @object as one line of text without its newline, which lives as long as @object does; NULL if there is
 * no memory, or was none for @object, which is NULL then.
 */
const char *json__line(struct json_object *object) _must_check_;

/* Returns the text of a member, of a number its digits, which lives as long as @object; NULL if it has none. */
const char *json__get_text(struct json_object *object, const char *key) _must_check_ _nonnull_(1, 2);

/* Returns a member that is a number; 0 if there is none. */
uint64_t json__get_u64(struct json_object *object, const char *key) _must_check_ _nonnull_(1, 2);

#endif
