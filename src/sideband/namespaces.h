/* SPDX-License-Identifier: GPL-2.0-only */
/* The namespaces of a task. Nearly all tasks have those of the task that made them, and share its set. */
#ifndef AUXBPF_SIDEBAND_NAMESPACES_H
#define AUXBPF_SIDEBAND_NAMESPACES_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "perfdata/record.h"

struct namespaces; /* NULL: the namespaces are not known */

/* Returns another reference to the set, to be released on its own, also by another thread. */
struct namespaces *namespaces__share(struct namespaces *ns);
void namespaces__release(struct namespaces *ns);

/*
 * Sets *@ns, a reference, to the namespaces of @record. It shares @near's set if that is the same. Returns 0
 * or -ENOMEM.
 */
int namespaces__set(struct namespaces **ns, struct namespaces *near,
		    const struct record_namespaces *record) _must_check_ _nonnull_(1, 3);

/* Tells whether both are known and the same. */
bool namespaces__are_same(const struct namespaces *a, const struct namespaces *b);

/* Writes the namespaces to *@ret, whose pid and tid stay. @ns must not be NULL. */
void namespaces__get(const struct namespaces *ns, struct record_namespaces *ret) _nonnull_(1, 2);

#endif
