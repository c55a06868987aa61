/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds whether this kernel lets BPF programs have timers, which --after needs. */
#ifndef AUXBPF_GATE_TIMER_PROBE_H
#define AUXBPF_GATE_TIMER_PROBE_H

#include "base/cleanup.h"

/* Loads the program of bpf/timers.bpf.c and unloads it again. 0 or a negative errno; logs nothing. */
int timer_probe__load(void) _must_check_;

/*
 * Calls @load, which is timer_probe__load() but in a test, and says what is wrong. Real-time kernels
 * (PREEMPT_RT) refuse with -EOPNOTSUPP and for no other reason (kernel/bpf/verifier.c, process_timer_func(),
 * since 6.18 and in stable kernels). Returns what @load returned.
 */
int timer_probe__run(int (*load)(void)) _must_check_ _nonnull_(1);

#endif
