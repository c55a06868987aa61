// SPDX-License-Identifier: GPL-2.0-only
#include "summary/losses.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

void losses__log_records(int cpu, uint64_t nr)
{
	if (nr)
		log_warn("CPU %d: the kernel lost %llu records of tasks, mappings and switches: some of the "
			 "trace may not decode",
			 cpu, (unsigned long long)nr);
}

void losses__log_stops(int cpu, uint64_t nr)
{
	if (nr)
		log_warn("CPU %d: the kernel stopped the trace %llu time%s, and some of it is missing: the "
			 "unit had an error, or another session has its sink; end that one, and record "
			 "again",
			 cpu, (unsigned long long)nr, log__plural(nr));
}

const char *losses__gaps(uint64_t nr, char *text, size_t size)
{
	*text = '\0';
	if (nr)
		snprintf(text, size, " with %llu gap%s", (unsigned long long)nr, log__plural(nr));
	return text;
}

const char *losses__of_snapshot(uint64_t gaps, uint64_t overwritten, char *text, size_t size)
{
	size_t len;

	losses__gaps(gaps, text, size);
	len = strlen(text);
	if (overwritten)
		snprintf(text + len, size - len, "%s %llu overwritten", gaps ? " and" : " with",
			 (unsigned long long)overwritten);
	return text;
}
