// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/snapshot_totals.h"

#include "base/log.h"
#include "capture/capture_opts.h"
#include "summary/losses.h"

void snapshot_totals__add(struct snapshot_totals *totals, const struct snapshot_job *job)
{
	const uint64_t overwritten = snapshot_job__overwritten(job);
	uint64_t bytes = 0;

	for (size_t i = 0; i < job->snapshot.nr; i++)
		bytes += snapshot_cpu__bytes(&job->snapshot.cpus[i]);
	__atomic_add_fetch(&totals->bytes, bytes, __ATOMIC_RELAXED);
	totals->gaps += job->nr_gaps;
	totals->overwritten += overwritten;
	totals->nr_overwritten += overwritten > 0;
	__atomic_add_fetch(&totals->nr, 1, __ATOMIC_RELAXED);
}

void snapshot_totals__log_one(const struct capture_opts *opts, const struct snapshot_job *job,
			      uint64_t aux_bytes, const char *rule)
{
	char text[80];
	const char *lost =
		losses__of_snapshot(job->nr_gaps, snapshot_job__overwritten(job), text, sizeof(text));
	uint64_t samples = 0;

	for (size_t i = 0; i < job->snapshot.nr; i++)
		samples += job->gaps[i].nr_samples;
	if (job->header_only)
		log_info("no rule fired and no SIGUSR2 came: nothing but the header was written, to %s/%s",
			 opts->output, job->name);
	else if (!capture_opts__copies_aux(opts))
		log_info("%s: %llu sample%s, %s", job->name, (unsigned long long)samples,
			 log__plural(samples), rule);
	else if (opts->samples)
		log_info("%s: %llu bytes of trace%s, %llu sample%s, %s", job->name,
			 (unsigned long long)aux_bytes, lost, (unsigned long long)samples,
			 log__plural(samples), rule);
	else
		log_info("%s: %llu bytes of trace%s, %s", job->name, (unsigned long long)aux_bytes, lost,
			 rule);
}

void snapshot_totals__log(const struct snapshot_totals *totals, const char *dir, uint64_t seen,
			  uint64_t missed)
{
	log_info("%llu snapshot%s in %s, of %llu trigger%s seen; %llu missed", (unsigned long long)totals->nr,
		 log__plural(totals->nr), dir, (unsigned long long)seen, log__plural(seen),
		 (unsigned long long)missed);
	if (totals->gaps)
		log_info("%llu gap%s in the trace of the snapshots: the index says in which",
			 (unsigned long long)totals->gaps, log__plural(totals->gaps));
	if (totals->overwritten)
		log_info("%llu bytes of trace, the oldest of %llu snapshot%s, were overwritten before they "
			 "were copied: the index says of which; a larger --aux-size has more time for that",
			 (unsigned long long)totals->overwritten, (unsigned long long)totals->nr_overwritten,
			 log__plural(totals->nr_overwritten));
}
