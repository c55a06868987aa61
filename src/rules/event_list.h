/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of events as perf writes them: "cpu-clock,intel_pt/cyc,mtc_period=3/k,{cs,faults}:u".
 */
#ifndef AUXBPF_RULES_EVENT_LIST_H
#define AUXBPF_RULES_EVENT_LIST_H

#include "base/cleanup.h"

/*
 * Cuts the next item off *@list, in place, like strsep(3). It ends at a comma that is neither among the terms
 * of an event nor in the braces of a group. Returns NULL if there is none left.
 */
char *event_list__next(char **list) _nonnull_(1);

#endif
