/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The oracle log: every branch that a guest really executed, as the trace unit
 * plugin saw it run (not as it encoded it). Written by tests/tools/trace-unit, read by
 * tests/tools/oracle.
 *
 * A file is one oracle_header and then oracle_records to the end of the file, all
 * little endian. They come in chunks: an ORACLE_CHUNK tells how many records of one
 * CPU follow, of which time, and whether there are marks among them, so that a reader
 * finds a phase of the run without reading the rest. Records of one CPU are in the
 * order of execution; order between CPUs is that of the TSC only.
 *
 * What is logged: every taken branch and every transfer to and from a handler. A
 * conditional branch that is not taken is not logged, but see ORACLE_PASSED. Both
 * ends of a record are guest virtual (linear) addresses.
 *
 * How a decoder of the trace sees a record, from its two TRACED flags:
 *   FROM and TO   a branch from -> to
 *   TO only       trace starts, 0 -> to
 *   FROM only     trace ends, from -> 0
 *   neither       nothing
 *
 * A mark is CPUID with eax = ORACLE_MARK_LEAF, executed by the guest at any
 * privilege level: ebx is one of enum oracle_mark, rcx and rdx its arguments. The
 * unit answers ORACLE_MARK_ANSWER in eax (other registers as they were, except that
 * the upper halves of rbx, rcx and rdx are cleared), whether or not a log is kept.
 * In A64 code it is HINT #ORACLE_MARK_HINT with ORACLE_MARK_LEAF in x0, the mark in
 * x1, its arguments (rcx and rdx below) in x2 and x3; the answer is in x0.
 */
#ifndef ORACLE_LOG_H
#define ORACLE_LOG_H

#include <stdint.h>

#define ORACLE_MAGIC "AUXORCL2" /* 8 bytes, without the final NUL */

#define ORACLE_MARK_LEAF 0x41584d4bu   /* "AXMK" */
#define ORACLE_MARK_ANSWER 0x41584f4bu /* "AXOK" */
#define ORACLE_MARK_HINT 122	       /* no instruction is allocated there */

enum oracle_mark {
	/*
	 * Log all vCPUs from here; rcx = enum oracle_start. Tasks with an id below rdx are QUIET from the
	 * start: the idle tasks, kernel threads and all others that were there before. If a log is kept, only
	 * rcx counts, from here on.
	 */
	ORACLE_MARK_START = 1,
	ORACLE_MARK_STOP = 2,	    /* stop logging on all vCPUs */
	ORACLE_MARK_NOTE = 3,	    /* rcx = a number, logged in a MARK record */
	ORACLE_MARK_SET_SYMBOL = 4, /* rcx = enum oracle_symbol, rdx = its value */
	/*
	 * Of the calling task only what is traced is logged, until the log stops: a recorder's own work would be
	 * most of the log. Of a process's first thread it holds for all its threads, but not for the processes
	 * that they make.
	 */
	ORACLE_MARK_QUIET = 5,
	ORACLE_MARK_LOUD = 6, /* the calling task is not QUIET, until the log stops */
};

enum oracle_start {
	ORACLE_START_ALL = 0,
	/*
	 * Only what is traced at one end at least, and MARK, SWITCH and UNIT: all that a comparison with a
	 * decoded trace needs. While the unit is off, the guest is not slowed down.
	 */
	ORACLE_START_TRACED = 1,
	/* Only MARK, SWITCH and UNIT: of much trace the bytes can be counted, where all branches are too
	 * many. */
	ORACLE_START_UNITS = 2,
};

/*
 * What the unit must know of the kernel to tell tasks apart. Without them the
 * task and pid of all records are 0.
 */
enum oracle_symbol {
	ORACLE_SYM_SWITCH_TO = 1,    /* address of __switch_to(prev, next) */
	ORACLE_SYM_CURRENT_TASK = 2, /* per-CPU variable current_task, on Arm __entry_task: as in kallsyms */
	ORACLE_SYM_TASK_PID = 3,     /* offsetof(struct task_struct, pid) */
	ORACLE_SYM_THIS_CPU_OFF = 4, /* x86: per-CPU variable this_cpu_off: as in kallsyms */
	ORACLE_SYM_TASK_TGID = 5,    /* offsetof(struct task_struct, tgid) */
	ORACLE_SYM_NR = 6,
};

enum oracle_kind {
	ORACLE_JCC = 1,	       /* conditional branch, taken (also LOOPcc, JrCXZ) */
	ORACLE_JMP = 2,	       /* direct near jump */
	ORACLE_CALL = 3,       /* direct near call */
	ORACLE_IND_JMP = 4,    /* indirect near jump */
	ORACLE_IND_CALL = 5,   /* indirect near call */
	ORACLE_RET = 6,	       /* near return */
	ORACLE_SYSCALL = 7,    /* SYSCALL, SYSENTER, SVC; nr = eax, w8 (w7 of 32-bit code) at it */
	ORACLE_SYSRET = 8,     /* SYSRET or SYSEXIT */
	ORACLE_IRET = 9,       /* IRET, ERET */
	ORACLE_SWINT = 10,     /* INT n, INT3, INT1, INTO; nr = vector, for INT 0x80 eax */
	ORACLE_EXCEPTION = 11, /* a fault or trap; nr = vector if known, else 0; on Arm ESR.EC */
	ORACLE_INTERRUPT = 12, /* external interrupt, NMI; nr = vector if known, else 0; on Arm 0 */
	ORACLE_FAR_OTHER = 13, /* far jump, far call, far return */
	ORACLE_UNIT = 14,   /* WRMSR (MSR) switched the unit, or on Arm its buffer: from = it, to = the next;
			     * nr = the low 32 bits of how many bytes of trace the CPU's unit has written so
			     * far */
	ORACLE_MARK = 15,   /* a mark ran: from = it, nr = its rcx (START, STOP: op) */
	ORACLE_SWITCH = 16, /* __switch_to was entered: task, pid = the next task */
	ORACLE_LOST = 17,   /* defined for readers; the unit never drops a record */
	/*
	 * Arm: an instruction that the packets tell of though it led to the next one: a conditional branch that
	 * was not taken, or ISB. Logged only where trace ends with it (traced at `from` only), and with
	 * ORACLE_SYNCED.
	 */
	ORACLE_PASSED = 18,
	/*
	 * The head of a chunk, not an event: nr = how many records of the same CPU follow, tsc and to = their least
	 * and greatest TSC, from = how many of them are marks.
	 */
	ORACLE_CHUNK = 19,
};

/* Flags of a record. */
#define ORACLE_TRACED_FROM 0x01u /* the unit was tracing at `from` */
#define ORACLE_TRACED_TO 0x02u	 /* the unit is tracing at `to` */
#define ORACLE_COMPAT 0x04u	 /* `from` ran in 32-bit code */
#define ORACLE_USER_FROM 0x08u	 /* `from` ran in user mode */
#define ORACLE_BUFFER_OFF 0x10u	 /* of UNIT, on Arm: the trace buffer is off since then */
/*
 * On Arm: the unit synchronized behind it, so the packets tell where `to` is. Which record that is depends on
 * the number of bytes, and so on time stamps: it differs from run to run.
 */
#define ORACLE_SYNCED 0x20u

struct oracle_header {
	char magic[8];
	uint32_t record_size; /* sizeof(struct oracle_record) of the writer */
	uint32_t nr_cpus;
};

struct oracle_record {
	uint64_t tsc;  /* guest TSC as the branch retired */
	uint64_t from; /* the branch; of an interrupt: the instruction that did not
			* run; of a fault: the faulting one */
	uint64_t to;   /* where execution went on */
	uint64_t task; /* struct task_struct * as `current` says at `from`; 0 unknown */
	uint32_t pid;  /* the task's tid in the first PID namespace */
	uint32_t nr;   /* see the kinds; 0 where nothing is said */
	uint16_t cpu;
	uint8_t kind;  /* enum oracle_kind */
	uint8_t flags; /* ORACLE_TRACED_FROM ... */
	uint32_t reserved;
};

_Static_assert(sizeof(struct oracle_header) == 16, "oracle_header is a file format");
_Static_assert(sizeof(struct oracle_record) == 48, "oracle_record is a file format");

/* The head of a chunk of these records; at least one, all of one CPU. */
static inline struct oracle_record oracle_chunk__head(const struct oracle_record *records, uint32_t nr)
{
	struct oracle_record head = {
		.tsc = records[0].tsc,
		.to = records[0].tsc,
		.nr = nr,
		.cpu = records[0].cpu,
		.kind = ORACLE_CHUNK,
	};

	for (uint32_t i = 0; i < nr; i++) {
		if (records[i].tsc < head.tsc)
			head.tsc = records[i].tsc;
		if (records[i].tsc > head.to)
			head.to = records[i].tsc;
		if (records[i].kind == ORACLE_MARK)
			head.from++;
	}
	return head;
}

#endif
