/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of trace PMUs and of the ways to move the gate.
 */
#ifndef AUXBPF_COMMANDS_LIST_PMUS_H
#define AUXBPF_COMMANDS_LIST_PMUS_H

#include <stdbool.h>

/* Prints the list to stdout. Returns the exit status: EXIT_SUCCESS if this machine can trace. */
int list_pmus__print(bool json);

#endif
