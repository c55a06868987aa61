/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of containers, pods and machines, by the names that --container takes.
 */
#ifndef AUXBPF_COMMANDS_LIST_CONTAINERS_H
#define AUXBPF_COMMANDS_LIST_CONTAINERS_H

#include <stdbool.h>

/* Prints the list to stdout. Returns the exit status: EXIT_FAILURE if the cgroups cannot be read. */
int list_containers__print(bool json);

#endif
