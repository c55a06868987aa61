/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Long output on a terminal goes through a pager, as that of git does.
 *
 * In the environment, PAGER is the command that is run; empty, or cat, is none. Without it less is, if there is one, with
 * the options that git gives it: it ends by itself if all fits the screen (F), passes colours on (R), and leaves the text
 * where it is (X). LESS in the environment has the last word.
 */
#ifndef AUXBPF_BASE_PAGER_H
#define AUXBPF_BASE_PAGER_H

#include <stdbool.h>

#include "base/cleanup.h"

/*
 * Makes stdout a pipe to the pager, if it is a terminal. Where no pager can be run the output stays where it is: that is no
 * error. Signals that end this process let the pager end first, so that it does not lose the terminal to the shell.
 * To be called once, before anything is written, and without other threads.
 */
void pager__start(void);

/*
 * Ends the output, and waits until who reads it has left the pager. What is written to stdout later goes to stderr.
 * Without pager__start() before it does nothing.
 */
void pager__finish(void);

/* Tells whether the output is for a terminal, with a pager or without. */
bool pager__is_terminal(void) _must_check_;

/* Returns how wide the terminal is that shows the output, with a pager or without; 0: the output is for none. */
unsigned int pager__columns(void) _must_check_;

#endif
