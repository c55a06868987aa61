/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF programs keep of each window that has ended, for user space. Both sides include this.
 *
 * Each CPU keeps the newest windows that ended there, in a ring of config.keep_windows entries, and overwrites the
 * oldest. The windows of a CPU are numbered from 0 in the order of their ends; auxbpf_cpu.windows_ended tells how
 * many there were, and window n is in entry n % config.keep_windows.
 *
 * A program claims an entry with AUXBPF_WINDOW_BUSY in @number, writes all else, and then puts the window's number
 * plus one there; each of the two is an exchange with a full barrier. So an entry that has the same number before
 * and after it is copied was copied whole. A program that finds an entry busy, because another one was preempted in
 * it until the ring came round, leaves its window out. Nobody finds that window's number then, as with those that
 * were overwritten.
 */
#ifndef AUXBPF_WINDOW_H
#define AUXBPF_WINDOW_H

#include "auxbpf_shared.h"

/*
 * All CPUs together keep at most so many windows, and each so many: a power of two from the least to the most. With
 * up to 16 CPUs it is the most.
 */
#define AUXBPF_WINDOWS_OF_ALL (1u << 16)
#define AUXBPF_WINDOWS_OF_CPU_MOST (1u << 12)
#define AUXBPF_WINDOWS_OF_CPU_LEAST (1u << 6)

#define AUXBPF_WINDOW_BUSY (~0ULL)

/* The kinds of windows, by what opens them. A task has at most one open of each kind: a nested one is part of the outermost. */
enum auxbpf_window_kind {
	AUXBPF_WINDOW_SYSCALL,
	AUXBPF_WINDOW_KERNEL_FUNCTION,
	AUXBPF_WINDOW_USER_FUNCTION,
	AUXBPF_WINDOW_KINDS,
};

/* Why a window ended otherwise than with the return of the call that opened it. */
enum auxbpf_window_cut {
	AUXBPF_CUT_NONE,
	AUXBPF_CUT_EXIT,   /* the task ended */
	AUXBPF_CUT_EXEC,   /* the task executed another program */
	AUXBPF_CUT_LEFT,   /* the function was left without a return, or for another listed one */
	AUXBPF_CUT_MISSED, /* the end was not seen; it is taken for that of the task's next call */
	AUXBPF_CUT_OPEN,   /* it has not ended yet: the end is 0 */
};

/* Number of a function in a window, if --on-function was given more often than that. */
#define AUXBPF_WINDOW_FUNCTIONS 1023

/* The cookie of a probe in a user's function: a number for the file, and the function's number. */
#define AUXBPF_WINDOW_COOKIE(function, file) \
	((file) << 10 | ((function) < AUXBPF_WINDOW_FUNCTIONS ? (function) : AUXBPF_WINDOW_FUNCTIONS))
#define AUXBPF_WINDOW_COOKIE_FUNCTION(cookie) ((__u32)(cookie)&AUXBPF_WINDOW_FUNCTIONS)
#define AUXBPF_WINDOW_COOKIE_FILE(cookie) ((cookie) >> 10)

struct auxbpf_window {
	__u64 number; /* the window's, plus one; 0: the entry was never used */
	__u64 begin;  /* ns of CLOCK_MONOTONIC */
	__u64 end;
	__u64 off;		    /* ns that the task was off the CPU in between */
	__u64 args[6];		    /* of a system call, as it began */
	__s64 ret;		    /* of a system call that was not cut, as the kernel has it */
	char comm[AUXBPF_COMM_LEN]; /* at the end */
	__u32 pid, tid;		    /* at the begin, in auxbpf's PID namespace */
	__s32 what; /* number of the system call, or of the function among those of --on-function */
	__u16 cpu, end_cpu;
	__u16 moves;   /* times that it went on on another CPU; stays at 65535 */
	__u8 kind;     /* enum auxbpf_window_kind */
	__u8 cut;      /* enum auxbpf_window_cut */
	__u8 compat;   /* a 32-bit task's system call */
	__u8 untraced; /* for a part of it the gate could not be open */
	__u8 reserved[2];
};

_Static_assert(sizeof(struct auxbpf_window) == 128, "two cache lines, the same on both sides");
_Static_assert(AUXBPF_MAX_CPUS <= 1 << 16, "the bits of a CPU's number");

#endif
