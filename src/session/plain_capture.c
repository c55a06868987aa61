// SPDX-License-Identifier: GPL-2.0-only
#include "session/plain_capture.h"

#include <errno.h>

#include "base/log.h"
#include "snapshot/snapshot_cut.h"
#include "snapshot/snapshot_job.h"

static void show_cpu(const struct cpu_trace *cpu, struct snapshot_cpu *ret)
{
	aux_new__find(&cpu->position, cpu->ring.aux, ring__aux_head(&cpu->ring), &ret->aux);
	ret->aux.reference = tsc__read();
}

static uint64_t trace_bytes(const struct snapshot *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->nr; i++)
		sum += snapshot_cpu__bytes(&s->cpus[i]);
	return sum;
}

/* Drops trace that is older than the sideband, as nobody knows whose it is. */
static int drop_old(const struct plain_capture *capture, struct snapshot_job *job)
{
	_cleanup_(cleanup__snapshot_cut) struct snapshot_cut *cut = NULL;
	const struct trace_pmu *pmu = &capture->opts->event->pmu;
	uint64_t all = trace_bytes(&job->snapshot);
	bool timed;
	int err;

	job->since = snapshot_sideband__pin(capture->sideband);
	if (!job->since)
		return 0;
	timed = snapshot_cut__untimed_cpu(pmu, capture->traces->cpus, capture->traces->nr) < 0;
	err = snapshot_cut__new(pmu->ops, capture->traces->nr, timed, 0, &cut);
	if (!err)
		err = snapshot_cut__apply(cut, job);
	if (!err && trace_bytes(&job->snapshot) < all)
		log_warn(
			"%llu bytes of trace, the oldest, are left out: there was no room for the records of "
			"tasks and switches of that time; a larger --aux-size makes room for more",
			(unsigned long long)(all - trace_bytes(&job->snapshot)));
	return err;
}

static int add_sideband(const struct plain_capture *capture, struct snapshot_job *job)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = NULL;
	int err = snapshot_sideband__copy(capture->sideband, 0, UINT64_MAX, &log);

	return err ? err : snapshot_job__set_sideband(job, log);
}

int plain_capture__write(const struct plain_capture *capture, uint64_t *aux_bytes)
{
	_cleanup_(cleanup__snapshot_job) struct snapshot_job *job = NULL;
	int err = snapshot_job__new(capture->traces, false, &job);

	if (err)
		return err;
	for (size_t i = 0; i < capture->traces->nr; i++)
		show_cpu(&capture->traces->cpus[i], &job->snapshot.cpus[i]);
	err = cpu_trace__clock(&capture->traces->cpus[0], &job->snapshot.tsc);
	if (!err)
		err = drop_old(capture, job);
	if (!err)
		err = add_sideband(capture, job);
	kept_windows__read(capture->windows, NULL, &job->snapshot.windows);
	return err ? err : snapshot__write(capture->opts, capture->file, NULL, &job->snapshot, aux_bytes);
}
