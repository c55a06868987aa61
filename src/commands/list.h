/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * auxbpf list: prints what this machine offers.
 */
#ifndef AUXBPF_COMMANDS_LIST_H
#define AUXBPF_COMMANDS_LIST_H

#include "base/cleanup.h"

/* Parses the command line, argv[0] being "list", and prints to stdout. Returns the exit status. */
int list__main(int argc, char **argv) _nonnull_(2);

#endif
