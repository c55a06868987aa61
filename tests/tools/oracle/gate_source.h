/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What opens and closes the window of a task in the gate check: its listed system calls and functions, the
 * range, and the detours that it is on.
 *
 * A user function is entered by the branch to its entry, in user mode or by the kernel (a signal handler);
 * the return to an instruction that was interrupted is no entry. It is left where the kernel's trampoline
 * says so: by the system call uretprobe (x86_64 from 6.11 on), else by an INT3, on Arm BRK, that is no
 * entry. A kernel function is entered by the branch to its entry and left by the return behind the call
 * that runs it: its caller's or, if a BPF trampoline calls the rest of it, that one's.
 */
#ifndef ORACLE_GATE_SOURCE_H
#define ORACLE_GATE_SOURCE_H

#include "gate_check.h"
#include "gate_tasks.h"

#define NR_URETPROBE 335 /* arch/x86/entry/syscalls/syscall_64.tbl */

bool source__is_syscall(const struct gate_check_opts *opts, const struct oracle_record *rec) _nonnull_(1, 2);
bool source__is_exec(const struct gate_check_opts *opts, const struct oracle_record *rec) _nonnull_(1, 2);
bool source__is_return_to_user(const struct oracle_record *rec) _nonnull_(1);

/* Whether something is open that makes a window; never for on_cpu, which needs nothing else. */
bool source__is_open(const struct gate_task *task) _nonnull_(1);

enum source_event {
	SOURCE_NONE,
	SOURCE_SYSCALL_BEGIN,
	SOURCE_SYSCALL_END,  /* into the sys_exit tracepoint */
	SOURCE_SYSCALL_LOST, /* past it, in user mode or on the way there */
	SOURCE_CALL,	     /* of a function, or to the begin of a range */
	SOURCE_RETURN,	     /* from a function, or to the end of a range */
};

/* What a branch of the task that is on no detour opens or closes; the task's state follows. */
enum source_event source__branch(const struct gate_check_opts *opts, struct gate_task *task,
				 const struct oracle_record *rec) _nonnull_(1, 2, 3);

/* Whether @addr is where a listed kernel function begins: where it calls what traces it. */
bool source__is_prologue(const struct gate_check_opts *opts, uint64_t addr) _nonnull_(1);

enum detour_event {
	DETOUR_NONE,
	DETOUR_BEGINS,
	DETOUR_GOES_ON, /* to its last branch */
	DETOUR_LOST,	/* back in user mode from an interrupt of the kernel: no detour any more */
	DETOUR_TOO_DEEP,
};

/* Whether a branch is on a detour. @own_path: the task is on the gate's own path, where it may be preempted.
 */
enum detour_event source__detour(const struct gate_check_opts *opts, struct gate_task *task,
				 const struct oracle_record *rec, bool own_path) _nonnull_(1, 2, 3);

#endif
