/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of system calls and of the classes that they are in.
 */
#ifndef AUXBPF_COMMANDS_LIST_SYSCALLS_H
#define AUXBPF_COMMANDS_LIST_SYSCALLS_H

#include <stdbool.h>

/* Prints the list to stdout. Returns the exit status. */
int list_syscalls__print(bool json);

#endif
