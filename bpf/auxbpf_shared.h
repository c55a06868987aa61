/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF programs and the loader share: sizes, the layout of maps, the meaning of flags. Included by
 * both sides; the asserts hold the layouts together.
 */
#ifndef AUXBPF_SHARED_H
#define AUXBPF_SHARED_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* System call numbers at or above this are never in a list. x86_64 and aarch64 end well below. */
#define AUXBPF_MAX_SYSCALLS 1024

/* At most this many CPUs: as many as a kernel can be built for. */
#define AUXBPF_MAX_CPUS 8192

/* At most this many process ids with -p, and as many thread ids with -t. */
#define AUXBPF_MAX_PIDS 64

/* How BPF moves the gate, best first. */
enum auxbpf_control {
	AUXBPF_CONTROL_KFUNC,	   /* bpf_perf_event_aux_pause() */
	AUXBPF_CONTROL_TRACEPOINT, /* two siblings of the AUX event on bpf_trace:bpf_trace_printk */
	AUXBPF_CONTROL_BREAKPOINT, /* two siblings that watch two variables of the BPF programs */
	AUXBPF_CONTROL_IOCTL,	   /* user space enables and disables the AUX event */
	AUXBPF_CONTROL_NR,
	AUXBPF_CONTROL_NONE, /* there is no AUX event: the gate is what is asked for samples */
};

/* Of each CPU the last moves of its gate that are kept, if they are. */
#define AUXBPF_GATE_MOVES (1u << 14)

/* Length of the strings that open and close the gate, with the NUL. */
#define AUXBPF_GATE_STRING 16

/* At most this many users with --uid. */
#define AUXBPF_MAX_UIDS 16

/* Longest path of a cgroup that is recognised when it is made again, with the NUL. */
#define AUXBPF_CGROUP_PATH 512

/* What is no cgroup's address and nobody's user id. */
#define AUXBPF_UNSETTLED (~0ULL)

/* One CPU's gate and its counters; written by that CPU's programs only, but for what is said otherwise. */
struct auxbpf_cpu {
	__u64 event;   /* address of the CPU's AUX event (struct perf_event) in the kernel, 0: none */
	__u64 opens;   /* times the gate was opened */
	__u64 closes;  /* times the gate was closed */
	__u64 refused; /* actions that the kernel did not carry out; each is tried again at the next switch */
	__u64 windows; /* windows that began here */
	__u64 windows_resumed; /* times a task came back to this CPU inside its window */
	union {
		struct {
			__u16 want_open; /* what the gate should be */
			__u16 retry;	 /* the last action was refused */
			__u32 known;	 /* something is kept of the task that runs; others may set it */
		};
		__u64 unsettled; /* 0: the gate is closed, as it should be, and a last switch counts nobody
				    out */
	};
	__u64 missed;	   /* windows that ended here and had not begun: the kernel skipped the programs */
	__u64 cut;	   /* windows that the task left as it ceased to be a target, or on an untraced CPU */
	__u64 overrun;	   /* windows whose end was not seen: closed at the task's next system call */
	__u64 dropped;	   /* messages to user space for which the ring buffer had no room */
	__u64 settled_for; /* the gate is as a switch to a task of this cgroup or user wants it, or
			      AUXBPF_UNSETTLED: ask, by anybody */
	__u32 stranger; /* the task that runs was found to be no target: calls whose AUXBPF_NUMBER_* is up to this
			      are nothing; anybody may clear it */
	__u32 frozen;	 /* for the trigger with this ticket: the gate stays closed, 0: it is not */
	__u64 no_memory; /* times that nothing could be kept of a task or of a cgroup that was asked for */
	__u32 reserved[4];
};

/* A program that another one stands in for where the kernel skips it. */
struct auxbpf_skippable {
	__u64 address;	/* in the kernel; 0: not known yet, or not loaded */
	__u64 stood_in; /* how often */
};

/* Those of bpf/trigger.bpf.c, by their names. */
struct auxbpf_trigger_programs {
	struct auxbpf_skippable on_call, on_return, on_new_task, on_new_program, on_end;
};

/* What the loader and the programs tell each other while a session runs. */
struct auxbpf_session {
	__u64 open_cell;    /* written to open the gate in the breakpoint way */
	__u64 close_cell;   /* and to close it */
	__u64 live_targets; /* tasks that were picked (-p, -t, the command, their children), up to their last
			       switch */
	__u64 live_command; /* of these the command's own threads */
	__u64 marked;	    /* tasks that the last pass of mark_targets made targets */
	__u64 object;	    /* answer of find_object: the address of what is behind a descriptor */
	__u64 cell_address; /* answer of find_cells: where open_cell is in the kernel */
	struct auxbpf_skippable on_sys_enter, on_sys_exit; /* that on_skip stands in for, */
	struct auxbpf_trigger_programs trigger_programs;   /* and on_trigger_skip for these too */
	__s32 fd;					   /* question to find_object */
	__s32 command;	     /* the process of the command, in the initial PID namespace */
	__s32 mover;	     /* the thread that moves the gates in the ioctl way */
	__u32 no_preemption; /* answer of find_preemption: a program on a system call is never preempted */
	__u32 armed; /* no window begins before the loader sets this, nor after it is cleared; they may end */
	__u32 cgroups_version; /* how often user space has added target cgroups */
	__u32 tickets;	       /* given to triggers so far */
	__u32 recording;       /* triggers count from here on */
	__u32 accepts;	       /* there is room for another snapshot */
	__u32 reserved;	       /* elements of the reserves that are in use (kept.bpf.h) */
	__s64 storage_left;    /* bytes that storage of tasks may still take, or AUXBPF_STORAGE_UNLIMITED */
};

#define AUXBPF_STORAGE_UNLIMITED 0x7fffffffffffffffLL

/* What the programs write and both sides see. Aligned, so that no CPU's entry shares a line. */
struct auxbpf_memory {
	struct auxbpf_session session;
	struct auxbpf_cpu cpus[AUXBPF_MAX_CPUS] __attribute__((aligned(128)));
};

/* What tells at once that a switch is not to move the gate. */
enum auxbpf_switches {
	AUXBPF_SWITCHES_ANY,	/* nothing does */
	AUXBPF_SWITCHES_KNOWN,	/* it is closed, and of neither task is anything kept */
	AUXBPF_SWITCHES_USER,	/* it is as the last task of this user wanted it: nothing else decides */
	AUXBPF_SWITCHES_CGROUP, /* it is as the last task of this cgroup wanted it: nothing else decides */
};

/* At most this many regular events (-e): as many as have descriptors, each is opened on each CPU. */
#define AUXBPF_MAX_EVENTS 64

/* A regular event on a CPU whose samples a program decides about; see bpf/samples.bpf.h. */
struct auxbpf_sampled {
	__u64 event;	 /* its address in the kernel, 0: there is none, and none behind */
	__u64 known;	 /* overflows since a tick, of whose number the low half is in the high half here */
	__u64 overflows; /* all of them up to then */
	__u64 asked;	 /* of these the program was asked */
};

/* The kinds of targets that were asked for. A task is a target if it matches all of them. */
#define AUXBPF_BY_TASK (1u << 0)
#define AUXBPF_BY_CGROUP (1u << 1)
#define AUXBPF_BY_COMM (1u << 2)
#define AUXBPF_BY_UID (1u << 3)

/*
 * A condition, as tests that follow each other: a test compares one field, masked, with a value and says
 * which test comes next. No stack, and no more than AUXBPF_CONDITION_TESTS steps: the next test always comes
 * later in the table.
 */
#define AUXBPF_CONDITION_TESTS 32
#define AUXBPF_CONDITION_TRUE 254
#define AUXBPF_CONDITION_FALSE 255

/* All other comparisons are one of these with the next tests swapped: a > 3 is not a < 4. */
enum auxbpf_condition_op {
	AUXBPF_OP_EQ,
	AUXBPF_OP_LT,  /* unsigned */
	AUXBPF_OP_SLT, /* signed */
};

enum auxbpf_field {
	AUXBPF_FIELD_ARG0, /* system call arguments, in order */
	AUXBPF_FIELD_ARG1,
	AUXBPF_FIELD_ARG2,
	AUXBPF_FIELD_ARG3,
	AUXBPF_FIELD_ARG4,
	AUXBPF_FIELD_ARG5,
	AUXBPF_FIELD_PID, /* of the process, as users see it, in auxbpf's PID namespace */
	AUXBPF_FIELD_TID, /* of the task, likewise */
	AUXBPF_FIELD_UID, /* of the task's own credentials, in the initial user namespace */
	AUXBPF_FIELD_CPU,
	AUXBPF_FIELD_CGROUP,   /* id in the v2 hierarchy */
	AUXBPF_FIELD_COMM_LOW, /* the first 8 bytes of the name, in memory order, and the last 8 */
	AUXBPF_FIELD_COMM_HIGH,
	AUXBPF_FIELD_RET,     /* these two are known at the end of a system call or function only */
	AUXBPF_FIELD_LATENCY, /* ns */
	AUXBPF_FIELD_SIG,     /* the signal that was delivered, or that ended the process; 0: it exited */
	AUXBPF_FIELD_CODE,    /* exit status, 0 to 255; 0 if a signal ended the process */
	AUXBPF_FIELD_OFFCPU,  /* ns since the task left the CPU */
	AUXBPF_FIELD_RUNQ,    /* ns since it could have run */
	AUXBPF_FIELD_EXTRA0,  /* fields of a tracepoint, by struct trigger_extra */
	AUXBPF_FIELD_EXTRA1,
	AUXBPF_FIELD_EXTRA2,
	AUXBPF_FIELD_EXTRA3,
	AUXBPF_FIELD_EXTRA4,
	AUXBPF_FIELD_EXTRA5,
	AUXBPF_FIELD_EXTRA6,
	AUXBPF_FIELD_EXTRA7,
	AUXBPF_FIELD_NR,
};

struct auxbpf_condition_test {
	__u8 field;    /* enum auxbpf_field */
	__u8 op;       /* enum auxbpf_condition_op */
	__u8 if_true;  /* index of the next test, AUXBPF_CONDITION_TRUE or AUXBPF_CONDITION_FALSE */
	__u8 if_false; /* likewise */
	__u32 reserved;
	__u64 mask; /* applied to the field before the comparison */
	__u64 value;
};

struct auxbpf_condition {
	struct auxbpf_condition_test tests[AUXBPF_CONDITION_TESTS];
	__u32 nr_tests; /* at least one; BPF does not look at it */
	__u32 reserved;
};

/* The events at which the history is kept, one kind a rule. */
enum auxbpf_trigger_kind {
	AUXBPF_TRIGGER_SYSCALL,
	AUXBPF_TRIGGER_FUNCTION,
	AUXBPF_TRIGGER_TRACEPOINT,
	AUXBPF_TRIGGER_OFFCPU, /* a task runs again: how long it did not */
	AUXBPF_TRIGGER_RUNQ,   /* the same: how long it waited for the CPU */
	AUXBPF_TRIGGER_SIGNAL,
	AUXBPF_TRIGGER_EXIT,
	AUXBPF_TRIGGER_EXEC,
	AUXBPF_TRIGGER_FORK,
	AUXBPF_TRIGGER_OOM,
	AUXBPF_TRIGGER_USER, /* SIGUSR2 to auxbpf; there is no rule for it */
	AUXBPF_TRIGGER_NR,
};

/* At most this many rules, and as many fields of a tracepoint in one of them. */
#define AUXBPF_MAX_TRIGGERS 64
#define AUXBPF_TRIGGER_EXTRAS 8

/*
 * What a system call number means for --on-syscall: an entry of a table indexed by the number. From
 * AUXBPF_SYSCALL_CONDITION on it is listed with the condition of that index.
 */
#define AUXBPF_SYSCALL_NONE 0
#define AUXBPF_SYSCALL_ALWAYS 1
#define AUXBPF_SYSCALL_CONDITION 2
#define AUXBPF_MAX_CONDITIONS 64

/* Whether a system call of a number can have a window at all, whatever the kind of task. */
#define AUXBPF_NUMBER_NEVER 0
#define AUXBPF_NUMBER_COUNTS 1 /* listed for 64- or for 32-bit tasks, or continues a call */
#define AUXBPF_NUMBER_COMPAT 2 /* continues a call of a 32-bit task; else never */
/* Added to one of these, with --uid: a call of this number may make the task another user's. */
#define AUXBPF_NUMBER_USER 4
#define AUXBPF_NUMBER_ANY 7 /* no value is above it */

/*
 * File name patterns (glob(7)) over the 15 characters of a task's name, several at once, as a machine with a
 * bit for each place in a pattern: at a character c the places in `accepts[c]` move on by one, those in
 * `stays` remain. It matches if a place in `ends` is reached with the last character.
 */
#define AUXBPF_COMM_LEN 16
struct auxbpf_glob {
	__u64 begins;
	__u64 stays;
	__u64 ends;
	__u64 accepts[256];
};

/* Machine code of a seccomp filter: what bpf/seccomp_filters.bpf.c writes for each. */
struct auxbpf_filter {
	__u64 prog; /* the kernel's structure, with the rest its identity */
	__u64 addr;
	__u64 len;
};

/* One that a task has just got, with its code: in records of two sizes, most are small. */
struct auxbpf_new_filter {
	struct auxbpf_filter filter;
	__u8 code[];
};

/* The kernel takes 4,096 instructions at most (BPF_MAXINSNS), of which each becomes some of the machine's. */
#define AUXBPF_FILTER_MAX (256 * 1024)

/* A process that keeps the trace PMU from others: what bpf/pmu_holder.bpf.c writes. */
struct auxbpf_holder {
	__s32 pid;
	char comm[AUXBPF_COMM_LEN];
};

_Static_assert(sizeof(struct auxbpf_condition_test) == 24, "the same on both sides");
/* What the programs are told before they are loaded: read-only data, so the verifier removes what a session
 * does not use. */
/* Offsets in the kernel's structures: from a task's files to the object behind a descriptor. */
struct auxbpf_file_table {
	__u32 table;  /* of files_struct: fdt */
	__u32 size;   /* of fdtable: max_fds */
	__u32 files;  /* of fdtable: fd */
	__u32 object; /* of file: private_data */
};

struct auxbpf_config {
	__u32 control;	  /* enum auxbpf_control */
	__u32 kinds;	  /* AUXBPF_BY_* */
	__u32 on_cpu;	  /* a target has its window open whenever it runs */
	__u32 follow;	  /* the children of tasks that were picked are targets too */
	__u32 switches;	  /* enum auxbpf_switches */
	__u32 states;	  /* something about tasks is kept in their storage */
	__u32 conditions; /* tests of the longest one of a listed system call, 0: none has one */
	__s32 command;	  /* the process that is going to execute the command, 0: none */
	__s32 restart_nr, compat_restart_nr; /* of restart_syscall, -1: none */
	__u32 nr_cpus;			     /* possible ones, traced or not */
	__u32 cpus_listed;		     /* -C: the others have no event, and no trigger is of them */
	__u32 nr_pids, nr_tids, nr_uids;
	/* The number of the PID namespace that the numbers here are of, 0: the initial one. */
	__u32 pid_ns;
	__u32 wait;	     /* tell user space of every cgroup that is made */
	__u32 keep_moves;    /* of the gates, with their times */
	__u32 named_cgroups; /* how many conditions name by their paths */
	__s32 pids[AUXBPF_MAX_PIDS];
	__s32 tids[AUXBPF_MAX_PIDS];
	__u32 uids[AUXBPF_MAX_UIDS];
	char open_string[AUXBPF_GATE_STRING]; /* they carry the session's token */
	char close_string[AUXBPF_GATE_STRING];
	__u8 syscalls[AUXBPF_MAX_SYSCALLS]; /* AUXBPF_SYSCALL_* by number */
	__u8 compat_syscalls[AUXBPF_MAX_SYSCALLS];
	__u8 numbers[AUXBPF_MAX_SYSCALLS]; /* AUXBPF_NUMBER_*, from the two tables */
	struct auxbpf_glob comms;
	struct auxbpf_file_table file_table;
};

_Static_assert(sizeof(struct auxbpf_cpu) == 128, "two cache lines a CPU, the same on both sides");

#endif
