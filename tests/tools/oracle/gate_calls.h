/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calls that a task is in, for the gate check: what a function of the gate calls is the gate's own doing,
 * however long it takes (a lock that another CPU holds, memory, being preempted).
 */
#ifndef ORACLE_GATE_CALLS_H
#define ORACLE_GATE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "oracle_log.h"
#include "slack.h"

#define MAX_CALLS 32

struct gate_call {
	uint64_t at; /* the call instruction */
	bool own;    /* of a function that is the gate's own ("own" in slack.h), on its path */
};

/* The latest calls that did not return yet; older ones than MAX_CALLS are forgotten. */
struct gate_calls {
	struct gate_call call[MAX_CALLS];
	unsigned int nr;
};

/* Follows a branch of kernel mode that is on no detour. @own_path: it is on the gate's way. */
void gate_calls__branch(struct gate_calls *calls, struct slack *slack, const struct oracle_record *rec,
			bool own_path) _nonnull_(1, 2, 3);

/*
 * Whether the branch that gate_calls__branch() saw last leads from what the gate does to a function that
 * @kind has not. *@at is then the call behind which that one returns; it counts as returned from.
 */
bool gate_calls__leave(struct gate_calls *calls, struct slack *slack, enum slack_kind kind,
		       const struct oracle_record *rec, uint64_t *at) _nonnull_(1, 2, 4, 5);

/* Whether a return to @to is one behind the call at @at. */
bool gate_calls__is_behind(uint64_t to, uint64_t at);

#endif
