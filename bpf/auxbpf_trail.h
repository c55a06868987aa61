/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Remembers the CPUs on which a task ran, and when it left each. The BPF programs and a unit test use this.
 *
 * CPUs whose numbers are AUXBPF_TRAIL apart share one place. When the task runs on one of them, what was
 * noted of the others is lost; but it is noted that something is forgotten, and up to when. So a note takes
 * the same few steps at each switch, however many CPUs there are.
 */
#ifndef AUXBPF_TRAIL_H
#define AUXBPF_TRAIL_H

#include "auxbpf_shared.h"

#ifndef __bpf__
#include <stdbool.h>
#endif

/* The number of CPUs that are remembered for a task. */
#define AUXBPF_TRAIL 32

/* Stands in place of the time when the task left a CPU, while it is there. */
#define AUXBPF_TRAIL_HERE (~0ULL >> 1)

struct auxbpf_trail {
	__u64 until[AUXBPF_TRAIL]; /* ns, or AUXBPF_TRAIL_HERE; 0: it was on none of these CPUs */
	__u64 forgotten;	   /* when it left the last CPU that is forgotten, ns; 0: none is */
	__u16 cpus[AUXBPF_TRAIL];
};
_Static_assert(AUXBPF_MAX_CPUS <= 1 << 16, "the numbers of CPUs");

/* Notes that the task comes to a CPU (@until is AUXBPF_TRAIL_HERE), or when it leaves it. */
static __always_inline void auxbpf_trail__note(struct auxbpf_trail *t, __u32 cpu, __u64 now, __u64 until)
{
	__u32 i = cpu % AUXBPF_TRAIL;

	__u64 left = t->until[i] < now ? t->until[i] : now;

	if (t->cpus[i] != cpu && left > t->forgotten)
		t->forgotten = left;
	t->cpus[i] = (__u16)cpu;
	t->until[i] = until;
}

/*
 * Whether @until is within the lookback; @lookback 0 means since ever. The difference is signed, because the
 * clock of another CPU may be ahead. It is compared once and not used again: the verifier would else follow
 * each outcome at each of the places.
 */
static __always_inline bool auxbpf_trail__is_recent(__u64 until, __u64 now, __u64 lookback)
{
	return until && (!lookback || (__s64)(now - until) <= (__s64)lookback);
}

/* Whether the task ran on the CPU of place @i within the lookback. */
static __always_inline bool auxbpf_trail__has(const struct auxbpf_trail *t, __u32 i, __u64 now,
					      __u64 lookback)
{
	return auxbpf_trail__is_recent(t->until[i % AUXBPF_TRAIL], now, lookback);
}

/* Whether no CPU is forgotten on which the task ran within the lookback. */
static __always_inline bool auxbpf_trail__is_whole(const struct auxbpf_trail *t, __u64 now, __u64 lookback)
{
	return !auxbpf_trail__is_recent(t->forgotten, now, lookback);
}

#endif
