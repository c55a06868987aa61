// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "traced_stream.h"

bool traced_stream__shows(const struct oracle_record *rec)
{
	unsigned int traced = rec->flags & (ORACLE_TRACED_FROM | ORACLE_TRACED_TO);

	if (!traced)
		return false;
	if (rec->kind == ORACLE_UNIT)
		return traced != (ORACLE_TRACED_FROM | ORACLE_TRACED_TO);
	return oracle_record__is_branch(rec);
}

int traced_stream__collect(struct record_list *s, const struct oracle_log *log, unsigned int cpu)
{
	const struct oracle_record *rec;
	struct oracle_cursor cur;

	if (cpu >= oracle_log__nr_cpus(log))
		return 0;
	oracle_cursor__init(&cur, log, cpu);
	while ((rec = oracle_cursor__next(&cur)))
		if (traced_stream__shows(rec) && record_list__add(s, rec))
			return -ENOMEM;
	return 0;
}

/* The records of one CPU are in the file, which is mapped, in the order of their execution. */
uint64_t traced_stream__find(const struct record_list *s, const struct oracle_record *rec)
{
	uint64_t lo = 0, hi = s->nr;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (s->rec[mid] < rec)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct decoded_branch traced_stream__as_decoded(const struct oracle_record *rec)
{
	return (struct decoded_branch){
		.from = rec->flags & ORACLE_TRACED_FROM ? rec->from : 0,
		.to = rec->flags & ORACLE_TRACED_TO ? rec->to : 0,
	};
}
