/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes a trace decode from where an earlier piece of it ended.
 *
 * A decoder begins at a PSB, and the processor sends one only every so many bytes: it goes on counting when
 * the event was stopped and started (arch/x86/events/intel/pt.c, pt_config() clears the count just once). So
 * what follows a snapshot would be lost up to the next PSB. But nothing is open where the trace was stopped:
 * no TNT bits are held back, the call stack is empty, the trace is off. What a decoder knew there is little:
 * time, frequency, mode, address space. It is told again in a PSB of our own. The next instruction pointer
 * may be relative to the last one, which PSB resets, so the next one is told in full instead.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_TRACE_INTEL_PT_RESUME_H
#define AUXBPF_TRACE_INTEL_PT_RESUME_H

#include "trace/aux_sync.h"

/* An aux_follow_fn. */
void pt_resume__follow(struct aux_resume *state, struct span data) _nonnull_(1);

/* An aux_lead_in_fn. */
int pt_resume__lead_in(const struct aux_resume *state, uint64_t time, struct span *data,
		       struct buf *out) _must_check_ _nonnull_(1, 3, 4);

#endif
