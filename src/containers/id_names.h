/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the ids of users and cgroups that users and rules name.
 */
#ifndef AUXBPF_CONTAINERS_ID_NAMES_H
#define AUXBPF_CONTAINERS_ID_NAMES_H

#include <stdint.h>

#include "base/cleanup.h"
#include "rules/condition.h"

/* Finds a user by name or number. -ENOENT if there is no such user. Logs nothing. */
int id_names__user(const char *name, uint32_t *ret) _must_check_ _nonnull_(1, 2);

/*
 * Resolves names in conditions (struct condition_names). A cgroup that is not there is logged, with names
 * that are near. @arg is the struct named_cgroups to which found cgroups are added.
 */
int id_names__resolve(void *arg, enum auxbpf_field field, const char *name, uint64_t *ret) _must_check_
	_nonnull_(1, 3, 4);

#endif
