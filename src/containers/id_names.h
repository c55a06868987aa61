/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ids of what users and rules call by name on this machine: users, cgroups.
 */
#ifndef AUXBPF_CONTAINERS_ID_NAMES_H
#define AUXBPF_CONTAINERS_ID_NAMES_H

#include <stdint.h>

#include "base/cleanup.h"
#include "rules/condition.h"

/* A user, by name or number. -ENOENT if there is none of that name. Logs nothing. */
int id_names__user(const char *name, uint32_t *ret) _must_check_ _nonnull_(1, 2);

/*
 * What conditions ask (struct condition_names). A cgroup that is not there is logged, with names that are near. @arg is
 * the struct named_cgroups that gets those that are.
 */
int id_names__resolve(void *arg, enum auxbpf_field field, const char *name, uint64_t *ret) _must_check_
	_nonnull_(1, 3, 4);

#endif
