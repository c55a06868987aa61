/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The namespaces of a task. Nearly all tasks have those of the one that made them, and then share the set.
 */
#ifndef AUXBPF_SIDEBAND_NAMESPACES_H
#define AUXBPF_SIDEBAND_NAMESPACES_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "perfdata/record.h"

struct namespaces; /* NULL: not known */

/* One more who has the set: released with namespaces__release(), also by another thread. */
struct namespaces *namespaces__share(struct namespaces *ns);
void namespaces__release(struct namespaces *ns);

/* Makes *@ns, an owner's, what @record tells; that is @near's set if it is the same. 0 or -ENOMEM. */
int namespaces__set(struct namespaces **ns, struct namespaces *near,
		    const struct record_namespaces *record) _must_check_ _nonnull_(1, 3);

/* Whether both are known, and the same. */
bool namespaces__are_same(const struct namespaces *a, const struct namespaces *b);

/* What they are; *@ret's pid and tid stay. @ns is not NULL. */
void namespaces__get(const struct namespaces *ns, struct record_namespaces *ret) _nonnull_(1, 2);

#endif
