/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes one JSON object as a line. */
#ifndef AUXBPF_REPORT_JSON_LINE_H
#define AUXBPF_REPORT_JSON_LINE_H

#include <stdio.h>

#include "base/json.h"

/* Writes @object, which it releases; NULL stands for one that found no memory. Returns 0 or -ENOMEM. */
int json_line__print(FILE *to, struct json_object *object) _must_check_ _nonnull_(1);

#endif
