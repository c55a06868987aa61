/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers, as the BPF programs and the loader see them: what the programs are told of each rule, and what
 * they tell when one fires. Included by both sides.
 */
#ifndef AUXBPF_TRIGGER_H
#define AUXBPF_TRIGGER_H

#include "auxbpf_shared.h"

/* CPUs whose trace a trigger freezes. */
enum auxbpf_scope {
	AUXBPF_SCOPE_CPU,  /* the one where it fires */
	AUXBPF_SCOPE_TASK, /* and those where the task ran within the lookback */
	AUXBPF_SCOPE_ALL,  /* user space freezes the others */
};

/* What a probe in a user's function is told: the function's number, and what tells files apart. */
#define AUXBPF_COOKIE(function, file) ((file) << 6 | (function))
#define AUXBPF_COOKIE_FUNCTION(cookie) ((__u32)(cookie) & (AUXBPF_MAX_TRIGGERS - 1))
#define AUXBPF_COOKIE_FILE(cookie) ((cookie) >> 6)
_Static_assert(AUXBPF_MAX_TRIGGERS == 1 << 6, "the bits of a function's number");

/* What the programs are told before they are loaded; sets of rules are bits by their number. */
struct auxbpf_triggers {
	__u64 by_kind[AUXBPF_TRIGGER_NR];
	__u64 by_function[AUXBPF_MAX_TRIGGERS]; /* of functions, each of which has a number */
	__u64 at_entry;				/* decided when the call begins */
	__u64 conditions;			/* with a condition, in the map trigger_rules */
	__u64 lookback;				/* ns; 0: since ever */
	__u64 after;				/* ns that the trace runs on */
	__u32 scope;				/* enum auxbpf_scope */
	__u32 nr_tests;				/* of the longest condition */
	__u32 nr_rules;
	__u32 reserved;
};

/* A field of a tracepoint's record: where it is in the part that is taken out. */
struct auxbpf_record_field {
	__u16 offset;
	__u8 size; /* 1, 2, 4 or 8; 0: there is none */
	__u8 is_signed;
};

/* So long is the part of a record at most, in which all fields are that rules name. */
#define AUXBPF_RECORD_MAX 512

/* What the programs at one tracepoint are told before they are loaded. */
struct auxbpf_tracepoint {
	__u64 rules;
	__u32 id;
	__u16 begin, size; /* of the part, in the record; size is less than AUXBPF_RECORD_MAX */
	struct auxbpf_record_field fields[AUXBPF_MAX_TRIGGERS][AUXBPF_TRIGGER_EXTRAS];
};

/*
 * What user space and the programs tell each other of one rule: an entry of the mmapable map
 * trigger_states.
 */
struct auxbpf_trigger_state {
	__u64 quiet_until; /* CLOCK_MONOTONIC, ns: until then it does not fire; set by user space */
	__u64 seen;	   /* times its event came and its condition held */
	__u64 quiet;	   /* of these, while it was quiet */
	/* Of these, while the CPU was frozen, no snapshot could be taken or told of. And calls of a function
	 * that could not be followed, whatever the condition would have said. */
	__u64 missed;
	__u64 delayed; /* whose delay (--after) runs now */
	/* It has a spare already, and the last one that is free is for other rules; set by user space. */
	__u64 yields;
};

/* An event, as conditions see it and as it is told. */
struct auxbpf_event {
	__u64 values[AUXBPF_FIELD_NR];
	__u64 known;  /* bits by enum auxbpf_field: those of the values that the event has */
	__s32 nr;     /* of the system call, -1: none */
	__u32 compat; /* it is one of a 32-bit task */
	__u32 state;  /* in which the task left the CPU (include/linux/sched.h, TASK_*) */
	__s32 waker;  /* the thread that woke it, 0: unknown */
	char waker_comm[AUXBPF_COMM_LEN];
};

/* In the ring buffer `fired`: the CPU is frozen, and user space is to take the snapshot. */
struct auxbpf_fired {
	__u64 time;   /* of the event, CLOCK_MONOTONIC, ns */
	__u64 frozen; /* when the CPU was, likewise */
	__u32 rule;
	__u32 cpu;
	__u32 ticket; /* in auxbpf_cpu.frozen of the CPUs that are frozen for it */
	__u32 all;    /* not all CPUs are known where the task ran: user space freezes every one */
	struct auxbpf_event event;
};

_Static_assert(sizeof(struct auxbpf_trigger_state) == 48, "the same on both sides");
_Static_assert(sizeof(struct auxbpf_fired) == 32 + 8 * AUXBPF_FIELD_NR + 40, "the same on both sides");

#endif
