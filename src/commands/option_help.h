/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two help texts of the main command, made of the table of options.
 */
#ifndef AUXBPF_COMMANDS_OPTION_HELP_H
#define AUXBPF_COMMANDS_OPTION_HELP_H

#include <stdio.h>

#include "base/cleanup.h"

/* Prints the options that are used most: a screen of 24 lines of 80 columns. */
void option_help__print_usual(FILE *out) _nonnull_(1);

/* Prints all options, by groups. */
void option_help__print_all(FILE *out) _nonnull_(1);

#endif
