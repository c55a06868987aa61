/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the gate check knows of each task: whether it counts, what opens its window, and the branches in that
 * window that were not traced lately.
 */
#ifndef ORACLE_GATE_TASKS_H
#define ORACLE_GATE_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "gate_calls.h"
#include "record_list.h"
#include "slack.h"

/* Whether what a task does is looked at: gate_target.h. */
enum gate_member {
	MEMBER_NO,
	MEMBER_EITHER, /* it may be a target or not */
	MEMBER_YES,
};

/* What takes a task off its path for a while: an interrupt, or a call that lets others run. */
struct detour {
	uint64_t at; /* the instruction that did not run, or the call */
	bool call;
	bool user; /* an interrupt of user mode */
};

#define MAX_DETOURS 16

/* A kernel function that a task is in. */
struct frame {
	uint64_t at; /* the call that its return goes behind, 0 if it was jumped to */
};

#define MAX_FRAMES 16

struct gate_task {
	uint64_t addr; /* struct task_struct *: the key */
	uint32_t pid;
	bool known; /* pid is that of a record */

	/* gate_target.h */
	enum gate_member member;
	enum gate_member becomes; /* what it is from the next switch to it on */
	bool settles;		  /* then only from its next stretch of user mode on */
	bool awaits_exec;	  /* counts from its first execve on */
	uint64_t exec_at;	  /* the system call of that one */

	/* gate_source.h */
	bool syscall;		 /* in a listed system call */
	unsigned int user_depth; /* of listed user functions */
	struct frame frame[MAX_FRAMES];
	unsigned int nr_frames;
	bool in_range;	  /* past the range's begin and not at its end */
	uint64_t left_at; /* where it last left user mode */
	struct detour detour[MAX_DETOURS];
	unsigned int nr_detours;
	struct gate_calls calls;
	struct record_list own; /* the branches of the gate's own call that it is in: gate_own.h */
	uint64_t own_different; /* of these when it was last counted */

	/* gate_window.h */
	bool in_window;
	bool closing;			   /* the window is over, the gate's closing awaited */
	const struct oracle_record *start; /* of the window */
	uint64_t traced;		   /* branches of the window */
	struct record_list path;	   /* the latest branches: not traced, or if closing traced */
	enum slack_kind path_kind;	   /* the slack that they may be, or SLACK_NONE */
};

struct gate_tasks {
	struct gate_task **slot; /* open addressing; a power of two */
	uint32_t nr_slots;
	uint32_t nr;
};

/* The task, made with pid 0 if it is not known. The pointer stays valid. NULL without memory. */
struct gate_task *gate_tasks__get(struct gate_tasks *tasks, uint64_t addr) _must_check_ _nonnull_(1);

/* Forgets all but the address: the kernel made a new task at it. */
void gate_task__reset(struct gate_task *task, uint32_t pid) _nonnull_(1);

void gate_tasks__release(struct gate_tasks *tasks) _nonnull_(1);

#endif
