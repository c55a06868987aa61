/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes all the JSON that auxbpf writes, and looks at what it reads. */
#ifndef AUXBPF_BASE_JSON_H
#define AUXBPF_BASE_JSON_H

#include <json.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

/*
 * Makes a JSON string of any bytes. They become valid UTF-8 (base/text.h), since json-c writes what it is
 * given. The caller owns the string. Returns NULL if there is no memory.
 */
struct json_object *json__text(const char *text) _must_check_ _nonnull_(1);

/*
 * Add @value to an object under @key, or to the end of a list, which then owns it. A @to or a @value of NULL
 * is one for which there was no memory. If there is none for the entry either, @value is released, and @to has
 * no text any more (json__format()), nor has what @to is added to: nobody has to look at each entry.
 */
void json__add(struct json_object *to, const char *key, struct json_object *value) _nonnull_(2);
void json__append(struct json_object *to, struct json_object *value);

/* Marks @to as one that lacks something, for which there was no memory. */
void json__mark_lacking(struct json_object *to);

/* Add a value that they make. A @text of NULL that is added to an object becomes null. */
void json__add_text(struct json_object *to, const char *key, const char *text) _nonnull_(2);
void json__add_u64(struct json_object *to, const char *key, uint64_t value) _nonnull_(2);
void json__add_i64(struct json_object *to, const char *key, int64_t value) _nonnull_(2);
void json__add_bool(struct json_object *to, const char *key, bool value) _nonnull_(2);
void json__add_null(struct json_object *to, const char *key) _nonnull_(2);
void json__append_text(struct json_object *to, const char *text) _nonnull_(2);
void json__append_u64(struct json_object *to, uint64_t value);

/*
 * Returns the text of @object, with json-c's @flags (JSON_C_TO_STRING_*), which lives as long as @object does.
 * Returns NULL if there is no memory for it, or was none for a part of it: what is printed or written is whole.
 */
const char *json__format(struct json_object *object, int flags) _must_check_;

/* Returns the text as json__format() does, as one line without its newline. */
const char *json__line(struct json_object *object) _must_check_;

/* Returns the text of a member, of a number its digits, which lives as long as @object; NULL if it has none. */
const char *json__get_text(struct json_object *object, const char *key) _must_check_ _nonnull_(1, 2);

/* Returns a member that is a number; 0 if there is none. */
uint64_t json__get_u64(struct json_object *object, const char *key) _must_check_ _nonnull_(1, 2);

#endif
