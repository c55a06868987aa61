/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the lists of `auxbpf list` are printed with --json.
 */
#ifndef AUXBPF_COMMANDS_LIST_JSON_H
#define AUXBPF_COMMANDS_LIST_JSON_H

#include <json-c/json.h>

#include "base/cleanup.h"

/* An object that says which version of its keys it has ("schema"). The caller owns it. */
struct json_object *list_json__new(void);

/* Prints @object to stdout, for people too, and frees it. */
void list_json__print(struct json_object *object) _nonnull_(1);

#endif
