/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints the lists of `auxbpf list` with --json.
 */
#ifndef AUXBPF_COMMANDS_LIST_JSON_H
#define AUXBPF_COMMANDS_LIST_JSON_H

#include <json-c/json.h>

#include "base/cleanup.h"

/* Makes an object with the version of its keys ("schema"). The caller owns it. */
struct json_object *list_json__new(void);

/* Prints @object to stdout, indented so that people can read it, and frees it. */
void list_json__print(struct json_object *object) _nonnull_(1);

#endif
