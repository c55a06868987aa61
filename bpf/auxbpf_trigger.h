/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface of triggers between the BPF programs and the loader: what the programs are told of each rule,
 * and what they tell when one fires. Both sides include it.
 */
#ifndef AUXBPF_TRIGGER_H
#define AUXBPF_TRIGGER_H

#include "auxbpf_shared.h"

/* The CPUs whose trace a trigger freezes. */
enum auxbpf_scope {
	AUXBPF_SCOPE_CPU,  /* the one where it fires */
	AUXBPF_SCOPE_TASK, /* that one, and those where the task ran within the lookback */
	AUXBPF_SCOPE_ALL,  /* all: user space freezes the others */
};

/* The cookie of a probe in a user's function: the function's number, and a number for the file. */
#define AUXBPF_COOKIE(function, file) ((file) << 6 | (function))
#define AUXBPF_COOKIE_FUNCTION(cookie) ((__u32)(cookie) & (AUXBPF_MAX_TRIGGERS - 1))
#define AUXBPF_COOKIE_FILE(cookie) ((cookie) >> 6)
_Static_assert(AUXBPF_MAX_TRIGGERS == 1 << 6, "the bits of a function's number");

/*
 * The settings of the triggers, which the programs get before they are loaded. In a set of rules each has the
 * bit of its number.
 */
struct auxbpf_triggers {
	__u64 by_kind[AUXBPF_TRIGGER_NR];
	__u64 by_function[AUXBPF_MAX_TRIGGERS]; /* rules about functions, by the number of the function */
	__u64 at_entry;				/* rules that are decided when a call begins */
	/* Rules with a condition, which is in the map trigger_rules. */
	__u64 conditions;
	__u64 lookback; /* ns; 0: since ever */
	__u64 after;	/* ns that the trace runs on after a trigger */
	__u32 scope;	/* enum auxbpf_scope */
	__u32 nr_tests; /* number of tests in the longest condition */
	__u32 nr_rules;
	__u32 reserved;
};

/* The place of a tracepoint's field in the part of the record that is taken out. */
struct auxbpf_record_field {
	__u16 offset;
	__u8 size; /* 1, 2, 4 or 8; 0: there is no such field */
	__u8 is_signed;
};

/* Largest part of a record that is taken out, bytes. All fields that rules name must lie in it. */
#define AUXBPF_RECORD_MAX 512

/* The settings of the programs at one tracepoint, which they get before they are loaded. */
struct auxbpf_tracepoint {
	__u64 rules;
	__u32 id;
	__u16 begin, size; /* place of the part in the record; size is less than AUXBPF_RECORD_MAX */
	struct auxbpf_record_field fields[AUXBPF_MAX_TRIGGERS][AUXBPF_TRIGGER_EXTRAS];
};

/*
 * The state of one rule, which user space and the programs share: an entry of the mmapable map
 * trigger_states.
 */
struct auxbpf_trigger_state {
	__u64 quiet_until; /* CLOCK_MONOTONIC, ns: the rule does not fire until then; set by user space */
	__u64 seen;	   /* times that its event came and its condition held */
	__u64 quiet;	   /* those of `seen` that came before quiet_until */
	/*
	 * Those of `seen` for which no snapshot could be taken or user space could not be told. Calls of a
	 * function that could not be followed are counted too, whatever their condition would have said.
	 */
	__u64 missed;
	__u64 delayed; /* triggers whose delay (--after) runs now */
	/*
	 * The rule has a snapshot in memory already, and the last free place is for other rules. Set by user
	 * space.
	 */
	__u64 yields;
};

/* An event, as conditions see it and as user space is told of it. */
struct auxbpf_event {
	__u64 values[AUXBPF_FIELD_NR];
	__u64 known;  /* a bit for each value that the event has, by enum auxbpf_field */
	__s32 nr;     /* number of the system call; -1: none */
	__u32 compat; /* the call is one of a 32-bit task */
	__u32 state;  /* state in which the task left the CPU (include/linux/sched.h, TASK_*) */
	__s32 waker;  /* the thread that woke the task; 0: unknown */
	char waker_comm[AUXBPF_COMM_LEN];
};

/* A message in the ring buffer `fired`: the CPU is frozen, and user space is to take the snapshot. */
struct auxbpf_fired {
	__u64 time;   /* when the event came, CLOCK_MONOTONIC, ns */
	__u64 frozen; /* when the CPU was frozen, likewise */
	__u32 rule;
	__u32 cpu;
	__u32 ticket; /* value of auxbpf_cpu.frozen on the CPUs that are frozen for it */
	__u32 all;    /* not all CPUs where the task ran are known: user space freezes every CPU */
	struct auxbpf_event event;
};

_Static_assert(sizeof(struct auxbpf_trigger_state) == 48, "the same on both sides");
_Static_assert(sizeof(struct auxbpf_fired) == 32 + 8 * AUXBPF_FIELD_NR + 40, "the same on both sides");

#endif
