/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happens while perf decodes if a signal ends this program: perf ends with it, also where a pager is waited for, and the
 * status line is taken away.
 */
#ifndef AUXBPF_DECODE_DECODE_SIGNALS_H
#define AUXBPF_DECODE_DECODE_SIGNALS_H

#include <sys/types.h>

/* From now on such a signal ends the process @perf first, and then does what it would have done. */
void decode_signals__catch(pid_t perf);

/* To be called before @perf is waited for. */
void decode_signals__restore(void);

#endif
