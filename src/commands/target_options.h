/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments of options about targets.
 */
#ifndef AUXBPF_COMMANDS_TARGET_OPTIONS_H
#define AUXBPF_COMMANDS_TARGET_OPTIONS_H

#include <stddef.h>

#include "base/cleanup.h"
#include "rules/target_set.h"

/* One of the places for processes in the gate is the command's. */
#define TARGET_OPTIONS_MAX_PIDS (AUXBPF_MAX_PIDS - 1)

/*
 * Each of these logs what is wrong; 0, -EINVAL or -ENOMEM.
 *
 * Adds a name, which must not be empty, to an array that grows and is to be freed; @option is for messages.
 */
int target_options__add_name(const char *option, const char *name, const char ***list,
			     size_t *nr) _must_check_ _nonnull_(1, 2, 3, 4);

/* Adds the ids of a list, "1,23", to an array of AUXBPF_MAX_PIDS; @what, "process", is for messages. */
int target_options__add_tasks(const char *option, const char *what, const char *list, int *ids,
			      size_t *nr) _must_check_ _nonnull_(1, 2, 3, 4, 5);

/* Adds a pattern of --comm. */
int target_options__add_comm(const char *pattern, struct target_set *targets) _must_check_ _nonnull_(1, 2);

/* Adds the users of --uid: names and numbers, "root,1000". */
int target_options__add_users(const char *list, struct target_set *targets) _must_check_ _nonnull_(1, 2);

/* Sets the CPUs of -C, "0,2-5", in place of earlier ones. */
int target_options__set_cpus(const char *list, struct target_set *targets) _must_check_ _nonnull_(1, 2);

#endif
