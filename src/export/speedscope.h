/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes calls for speedscope, in its own file format (https://www.speedscope.app/file-format-schema.json): a profile of each
 * task, of several captures one in each, with an event for each begin and end of a call, in their order. What was not traced is a
 * frame "[not traced]".
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_EXPORT_SPEEDSCOPE_H
#define AUXBPF_EXPORT_SPEEDSCOPE_H

#include <stdio.h>

#include "export/exported.h"

/*
 * Writes the trees of all tasks as they are walked over. Times begin with the first call: a number of JSON's keeps only
 * 53 bits. Returns 0 or -ENOMEM.
 */
int speedscope__write(FILE *to, struct exported *exported) _must_check_ _nonnull_(1, 2);

#endif
