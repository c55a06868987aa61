/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints how many windows there were, how long they took, and which ones were the slowest. */
#ifndef AUXBPF_REPORT_WINDOW_SCREEN_H
#define AUXBPF_REPORT_WINDOW_SCREEN_H

#include <stdio.h>

#include "report/windows.h"

/* Prints the screen. Returns 0 or -ENOMEM. */
int window_screen__print(FILE *to, const struct windows *windows) _must_check_ _nonnull_(1, 2);

/* Writes the windows as JSON, an object a line. Returns 0 or -ENOMEM. */
int window_screen__print_json(FILE *to, const struct windows *windows) _must_check_ _nonnull_(1, 2);

/* Prints a line about one window, with @before in front. */
void window_screen__print_window(FILE *to, const char *before, const struct window *window)
	_nonnull_(1, 2, 3);

/* Does the same, with the arguments of a system call. */
void window_screen__print_call(FILE *to, const char *before, const struct window *window) _nonnull_(1, 2, 3);

#endif
