// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "gate_calls.h"

/* No call instruction is longer: it returns to at most so many bytes behind its beginning. */
#define MAX_CALL 16

bool gate_calls__is_behind(uint64_t to, uint64_t at)
{
	return at && to > at && to - at < MAX_CALL;
}

static void gate_calls__push(struct gate_calls *calls, uint64_t at)
{
	if (calls->nr == MAX_CALLS)
		memmove(calls->call, calls->call + 1, --calls->nr * sizeof(*calls->call));
	calls->call[calls->nr++] = (struct gate_call){.at = at};
}

/* A function that was jumped to returns for the one that jumped. */
static void gate_calls__return(struct gate_calls *calls, uint64_t to)
{
	for (unsigned int i = calls->nr; i-- > 0;) {
		if (gate_calls__is_behind(to, calls->call[i].at)) {
			calls->nr = i;
			return;
		}
	}
}

void gate_calls__branch(struct gate_calls *calls, struct slack *slack, const struct oracle_record *rec,
			bool own_path)
{
	if (rec->kind == ORACLE_RET) {
		gate_calls__return(calls, rec->to);
		return;
	}
	if (rec->kind == ORACLE_CALL || rec->kind == ORACLE_IND_CALL)
		gate_calls__push(calls, rec->from);
	if (own_path && calls->nr && slack__allows(slack, SLACK_OWN, rec->to) &&
	    !slack__allows(slack, SLACK_OWN, rec->from))
		calls->call[calls->nr - 1].own = true;
}

/* A call that began before the gate's path did is known by the function that goes on. */
static bool is_own(const struct gate_calls *calls, struct slack *slack, const struct oracle_record *rec)
{
	if (slack__allows(slack, SLACK_OWN, rec->from))
		return true;
	for (unsigned int i = 0; i < calls->nr; i++)
		if (calls->call[i].own)
			return true;
	return false;
}

bool gate_calls__leave(struct gate_calls *calls, struct slack *slack, enum slack_kind kind,
		       const struct oracle_record *rec, uint64_t *at)
{
	if (rec->kind < ORACLE_JCC || rec->kind >= ORACLE_RET || slack__allows(slack, kind, rec->to) ||
	    !is_own(calls, slack, rec))
		return false;
	*at = calls->nr ? calls->call[--calls->nr].at : 0;
	return true;
}
