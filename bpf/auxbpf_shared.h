/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface between the BPF programs and the loader: sizes, the layout of maps, the meaning of flags.
 * Both sides include it, and its asserts see to it that both have the same layout.
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

/* The ways in which BPF moves the gate, best first. */
enum auxbpf_control {
	AUXBPF_CONTROL_KFUNC,	   /* bpf_perf_event_aux_pause() */
	AUXBPF_CONTROL_TRACEPOINT, /* two siblings of the AUX event on bpf_trace:bpf_trace_printk */
	AUXBPF_CONTROL_BREAKPOINT, /* two siblings that watch two variables of the BPF programs */
	AUXBPF_CONTROL_IOCTL,	   /* user space enables and disables the AUX event */
	AUXBPF_CONTROL_NR,
	AUXBPF_CONTROL_NONE, /* there is no AUX event: windows only decide which samples are kept */
};

/* So many of the last moves of each CPU's gate are kept, if moves are kept at all (keep_moves). */
#define AUXBPF_GATE_MOVES (1u << 14)

/* Length of the strings that open and close the gate, with the NUL. */
#define AUXBPF_GATE_STRING 16

/* At most this many windows from one tracepoint to another: each has a bit in a task's notes. */
#define AUXBPF_MAX_RANGES 32

/* At most this many users with --uid. */
#define AUXBPF_MAX_UIDS 16

/* Longest path of a cgroup that is recognised when it is made again, with the NUL. */
#define AUXBPF_CGROUP_PATH 512

/* Never the address of a cgroup nor the number of a user. */
#define AUXBPF_UNSETTLED (~0ULL)

/* A CPU's gate and its counters. Only programs on that CPU write it, except where a member says otherwise. */
struct auxbpf_cpu {
	__u64 event;   /* address of the CPU's AUX event (struct perf_event) in the kernel; 0: none */
	__u64 opens;   /* times the gate was opened */
	__u64 closes;  /* times the gate was closed */
	__u64 refused; /* actions that the kernel did not carry out; each is tried again at the next switch */
	__u64 windows; /* windows that began here */
	__u64 windows_resumed; /* times a task came back to this CPU inside its window */
	union {
		struct {
			__u16 want_open; /* the gate should be open */
			__u16 retry;	 /* the last action was refused, or is not over */
			__u32 known;	 /* something is kept of the running task; others may set it */
		};
		__u64 unsettled; /* 0: closed as wanted, no retry, nothing kept of the running task */
	};
	/* Windows that ended here and whose begin was not seen: the kernel skipped the programs. */
	__u64 missed;
	__u64 cut; /* windows in which the task ran on an untraced CPU, or ceased to be a target */
	/* Windows whose end was not seen: they are closed at the task's next system call. */
	__u64 overrun;
	__u64 dropped; /* messages to user space for which the ring buffer had no room */
	/*
	 * The cgroup or user whose tasks want the gate as it is, so that a switch to one of them need not
	 * move it. AUXBPF_UNSETTLED, which any CPU may set, says that nothing is known of that.
	 */
	__u64 settled_for;
	/*
	 * Set when the running task is no target: calls whose AUXBPF_NUMBER_* is up to this value are
	 * ignored. Any CPU may clear it.
	 */
	__u32 stranger;
	__u32 frozen;	 /* the ticket of the trigger for which the gate stays closed; 0: it is not frozen */
	__u64 no_memory; /* times that there was no memory for notes on a task or for the id of a cgroup */
	__u64 windows_ended; /* windows that ended here, of those that are kept (auxbpf_window.h) */
	__u32 in_window;     /* the running task may have a window open that is kept */
	__u32 reserved;
};

/* A program for which another one stands in when the kernel skips it. */
struct auxbpf_skippable {
	__u64 address;	/* in the kernel; 0: it is not known yet, or the program is not loaded */
	__u64 stood_in; /* how many times another one stood in for it */
};

/* The programs of bpf/trigger.bpf.c that another one stands in for, by their names. */
struct auxbpf_trigger_programs {
	struct auxbpf_skippable on_call, on_return, on_new_task, on_new_program, on_end;
};

/* The state that the loader and the programs share while a session runs. */
struct auxbpf_session {
	__u64 open_cell;    /* written to open the gate in the breakpoint way */
	__u64 close_cell;   /* written to close it */
	__u64 live_targets; /* picked tasks (-p, -t, the command, their children) before their last switch */
	__u64 live_command; /* those of live_targets that are threads of the command */
	__u64 marked;	    /* tasks that the last pass of mark_targets made targets */
	__u64 object;	    /* answer of find_object: the address of the object behind a descriptor */
	__u64 cell_address; /* answer of find_cells: where open_cell is in the kernel */
	/* Programs that on_skip stands in for, or on_trigger_skip. */
	struct auxbpf_skippable on_sys_enter, on_sys_exit;
	/* Programs that only on_trigger_skip stands in for. */
	struct auxbpf_trigger_programs trigger_programs;
	/* The descriptor that find_object is asked about. */
	__s32 fd;
	__s32 command;	     /* the process of the command, in the initial PID namespace */
	__s32 mover;	     /* the thread that moves the gates in the ioctl way */
	__u32 no_preemption; /* answer of find_preemption: a program on a system call is never preempted */
	/* Set and cleared by the loader. Windows begin only while it is set; they may end later. */
	__u32 armed;
	__u32 cgroups_version; /* how often user space has added target cgroups */
	__u32 tickets;	       /* number of tickets given to triggers so far */
	__u32 recording;       /* triggers are looked at; set when `accepts` is set for the first time */
	__u32 accepts;	       /* there is room for another snapshot; without it triggers are only counted */
	__u32 reserved;	       /* elements of the reserves that are in use (kept.bpf.h) */
	__s64 storage_left;    /* bytes that storage of tasks may still take, or AUXBPF_STORAGE_UNLIMITED */
};

#define AUXBPF_STORAGE_UNLIMITED 0x7fffffffffffffffLL

/*
 * The memory that the programs write and both sides see. It is aligned so that no two CPUs share a cache
 * line.
 */
struct auxbpf_memory {
	struct auxbpf_session session;
	struct auxbpf_cpu cpus[AUXBPF_MAX_CPUS] __attribute__((aligned(128)));
};

/* The test by which most switches of tasks find at once that the gate need not move. */
enum auxbpf_switches {
	AUXBPF_SWITCHES_ANY,   /* there is none: each switch looks at the next task */
	AUXBPF_SWITCHES_KNOWN, /* the gate is closed, and nothing is kept of either task */
	/* Only the user decides, and the gate is as the last task of this user wanted it. */
	AUXBPF_SWITCHES_USER,
	/* Only the cgroup decides, and the gate is as the last task of this cgroup wanted it. */
	AUXBPF_SWITCHES_CGROUP,
};

/* At most this many regular events (-e). Each takes a descriptor on each CPU. */
#define AUXBPF_MAX_EVENTS 64

/* A regular event on a CPU. A program decides which of its samples are kept (bpf/samples.bpf.h). */
struct auxbpf_sampled {
	__u64 event;	 /* its address in the kernel; 0: this entry and those behind it are unused */
	__u64 known;	 /* low half: overflows since a tick; high half: the low half of that tick's number */
	__u64 overflows; /* all overflows that were counted up to then */
	__u64 asked;	 /* those about which the program was asked */
};

/* The kinds of targets that were asked for. A task is a target if it matches all of them. */
#define AUXBPF_BY_TASK (1u << 0)
#define AUXBPF_BY_CGROUP (1u << 1)
#define AUXBPF_BY_COMM (1u << 2)
#define AUXBPF_BY_UID (1u << 3)

/*
 * A condition is a table of tests. A test compares one field, masked, with a value, and says which test comes
 * next. The next test is always further down in the table, so evaluation needs no stack and takes at most
 * AUXBPF_CONDITION_TESTS steps.
 */
#define AUXBPF_CONDITION_TESTS 32
#define AUXBPF_CONDITION_TRUE 254
#define AUXBPF_CONDITION_FALSE 255

/* The comparisons of a test. All others are one of these with the next tests swapped: a > 3 is not a < 4. */
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
	AUXBPF_FIELD_PID,  /* number of the process in auxbpf's PID namespace, as users see it */
	AUXBPF_FIELD_TID,  /* number of the task, likewise */
	AUXBPF_FIELD_PPID, /* number of the process's parent, likewise; 0: it is not in that namespace */
	AUXBPF_FIELD_UID,  /* user of the task's own credentials, in the initial user namespace */
	AUXBPF_FIELD_CPU,
	AUXBPF_FIELD_CGROUP, /* id in the v2 hierarchy */
	/* The first 8 bytes of the task's name, in memory order; the next field has the last 8. */
	AUXBPF_FIELD_COMM_LOW,
	AUXBPF_FIELD_COMM_HIGH,
	AUXBPF_FIELD_RET,     /* known only at the end of a system call or function */
	AUXBPF_FIELD_LATENCY, /* ns; known only there, and at the end of an interrupt's handler */
	AUXBPF_FIELD_SIG,     /* the signal that was delivered, or that ended the process; 0: it exited */
	AUXBPF_FIELD_CODE,    /* exit status, 0 to 255; 0 if a signal ended the process */
	AUXBPF_FIELD_OFFCPU,  /* ns since the task left the CPU */
	AUXBPF_FIELD_RUNQ,    /* ns since it could have run */
	AUXBPF_FIELD_IRQ,     /* number of the interrupt, as the kernel counts soft or hard ones */
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

/* The kinds of events at which a snapshot is taken. Each rule is of one kind. */
enum auxbpf_trigger_kind {
	AUXBPF_TRIGGER_SYSCALL,
	AUXBPF_TRIGGER_FUNCTION,
	AUXBPF_TRIGGER_TRACEPOINT,
	AUXBPF_TRIGGER_OFFCPU, /* a task runs again after it was off the CPU */
	AUXBPF_TRIGGER_RUNQ,   /* a task runs again after it waited for the CPU */
	AUXBPF_TRIGGER_SIGNAL,
	AUXBPF_TRIGGER_EXIT,
	AUXBPF_TRIGGER_EXEC,
	AUXBPF_TRIGGER_FORK,
	AUXBPF_TRIGGER_OOM,
	AUXBPF_TRIGGER_SOFTIRQ, /* the handler of a soft interrupt ends */
	AUXBPF_TRIGGER_IRQ,	/* the handler of a hard interrupt ends */
	AUXBPF_TRIGGER_USER,	/* SIGUSR2 to auxbpf; there is no rule for it */
	AUXBPF_TRIGGER_NR,
};

/* At most this many rules, and this many fields of a tracepoint in one rule. */
#define AUXBPF_MAX_TRIGGERS 64
#define AUXBPF_TRIGGER_EXTRAS 8

/*
 * The entries of a table that --on-syscall makes, indexed by the number of a system call: it is not listed,
 * listed, or, from AUXBPF_SYSCALL_CONDITION on, listed with the condition whose index is the rest.
 */
#define AUXBPF_SYSCALL_NONE 0
#define AUXBPF_SYSCALL_ALWAYS 1
#define AUXBPF_SYSCALL_CONDITION 2
#define AUXBPF_MAX_CONDITIONS 64

/* Whether a system call of this number can have a window at all, in a 64- or a 32-bit task. */
#define AUXBPF_NUMBER_NEVER 0
#define AUXBPF_NUMBER_COUNTS 1 /* listed for 64- or for 32-bit tasks, or continues a call */
#define AUXBPF_NUMBER_COMPAT 2 /* continues a call if its task is a 32-bit one, and has no window otherwise */
/* Added to one of these with --uid: a call of this number may change the task's user. */
#define AUXBPF_NUMBER_USER 4
#define AUXBPF_NUMBER_ANY 7 /* no value is above it */

/*
 * File name patterns (glob(7)) for the name of a task, which has at most 15 characters. Several patterns are
 * compiled to one automaton, which has a bit for each place in a pattern: at a character c the places in
 * `accepts[c]` move on by one, and those in `stays` remain. A name matches if a place in `ends` is reached
 * with its last character.
 */
#define AUXBPF_COMM_LEN 16
struct auxbpf_glob {
	__u64 begins;
	__u64 stays;
	__u64 ends;
	__u64 accepts[256];
};

/* The machine code of a seccomp filter, as bpf/seccomp_filters.bpf.c tells of it. */
struct auxbpf_filter {
	__u64 prog; /* address of the kernel's structure; the three members together identify a filter */
	__u64 addr;
	__u64 len;
};

/*
 * A filter that a task has just got, with its code. These records have two sizes, because most filters are
 * small.
 */
struct auxbpf_new_filter {
	struct auxbpf_filter filter;
	__u8 code[];
};

/*
 * Largest machine code of a filter, bytes. The kernel takes at most 4,096 instructions (BPF_MAXINSNS), and
 * each becomes a few of the machine's.
 */
#define AUXBPF_FILTER_MAX (256 * 1024)

/* A process that keeps the trace PMU from others, as bpf/pmu_holder.bpf.c tells of it. */
struct auxbpf_holder {
	__s32 pid;
	char comm[AUXBPF_COMM_LEN];
};

_Static_assert(sizeof(struct auxbpf_condition_test) == 24, "the same on both sides");

/* Offsets in the kernel's structures, on the way from a task's files to the object behind a descriptor. */
struct auxbpf_file_table {
	__u32 table;  /* of files_struct: fdt */
	__u32 size;   /* of fdtable: max_fds */
	__u32 files;  /* of fdtable: fd */
	__u32 object; /* of file: private_data */
};

/*
 * The settings of a session, which the programs get before they are loaded. They are read-only data, so the
 * verifier removes the code that a session does not use.
 */
struct auxbpf_config {
	__u32 control;	/* enum auxbpf_control */
	__u32 kinds;	/* AUXBPF_BY_* */
	__u32 on_cpu;	/* a target has its window open whenever it runs */
	__u32 follow;	/* the children of tasks that were picked are targets too */
	__u32 switches; /* enum auxbpf_switches */
	__u32 states;	/* something about tasks is kept in their storage */
	/* Number of tests in the longest condition of a listed system call; 0: none has one. */
	__u32 conditions;
	__s32 command;			     /* the process that is going to execute the command, 0: none */
	__s32 restart_nr, compat_restart_nr; /* numbers of restart_syscall; -1: none */
	__u32 nr_cpus;			     /* number of possible CPUs, traced or not */
	/* -C was given: CPUs that are not listed have no event, and no rule fires there. */
	__u32 cpus_listed;
	__u32 nr_pids, nr_tids, nr_uids;
	/* The PID namespace whose numbers are used here; 0: the initial one. */
	__u32 pid_ns;
	__u32 wait;	     /* tell user space of every cgroup that is made */
	__u32 keep_moves;    /* keep the moves of the gates with their times */
	__u32 keep_windows;  /* keep so many of the last windows of each CPU, a power of two; 0: none */
	__u32 named_cgroups; /* number of cgroups that conditions name by their paths */
	__s32 pids[AUXBPF_MAX_PIDS];
	__s32 tids[AUXBPF_MAX_PIDS];
	__u32 uids[AUXBPF_MAX_UIDS];
	char open_string[AUXBPF_GATE_STRING]; /* they carry the session's token */
	char close_string[AUXBPF_GATE_STRING];
	__u8 syscalls[AUXBPF_MAX_SYSCALLS]; /* AUXBPF_SYSCALL_*, by the number of the call */
	__u8 compat_syscalls[AUXBPF_MAX_SYSCALLS];
	__u8 numbers[AUXBPF_MAX_SYSCALLS]; /* AUXBPF_NUMBER_*, made from the two tables above */
	struct auxbpf_glob comms;
	struct auxbpf_file_table file_table;
};

_Static_assert(sizeof(struct auxbpf_cpu) == 128, "two cache lines a CPU, the same on both sides");

#endif
