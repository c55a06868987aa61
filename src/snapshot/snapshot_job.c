// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/snapshot_job.h"
#include "trace/perf_event.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "capture/window_line.h"
#include "perfdata/record.h"

int snapshot_job__new(const struct cpu_traces *traces, bool moves, struct snapshot_job **ret)
{
	_cleanup_(cleanup__snapshot_job) struct snapshot_job *job = calloc(1, sizeof(*job));
	const size_t nr = traces->nr;
	int err;

	if (!job)
		return -ENOMEM;
	job->mem_size = nr * cpu_trace__size(&traces->cpus[0]);
	job->gaps = calloc(nr, sizeof(*job->gaps));
	job->lead_ins = calloc(nr, sizeof(*job->lead_ins));
	job->samples = calloc(nr, sizeof(*job->samples));
	if (moves)
		job->moves = calloc(nr * AUXBPF_GATE_MOVES, sizeof(*job->moves));
	err = snapshot__new(traces, &job->snapshot);
	if (!err && (!job->gaps || !job->lead_ins || !job->samples || (moves && !job->moves)))
		err = -ENOMEM;
	if (!err)
		*ret = steal_ptr(job);
	return err;
}

int snapshot_job__map(struct snapshot_job *job)
{
	void *mem = mmap(NULL, job->mem_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED) {
		log_err("no memory for a spare of %zu MiB: try a smaller --aux-size or --spare, or fewer "
			"CPUs "
			"with -C",
			job->mem_size >> 20);
		return -ENOMEM;
	}
	job->mem = mem;
	return 0;
}

/* If there is no memory now, the kernel gives each page when it is first written. */
void snapshot_job__populate(struct snapshot_job *job)
{
	if (madvise(job->mem, job->mem_size, MADV_POPULATE_WRITE))
		log_debug("no memory in advance for a spare: %s", strerror(errno));
}

void snapshot_job__free(struct snapshot_job *job)
{
	if (!job)
		return;
	if (job->mem)
		munmap(job->mem, job->mem_size);
	for (size_t i = 0; job->lead_ins && i < job->snapshot.nr; i++)
		buf__release(&job->lead_ins[i]);
	for (size_t i = 0; job->samples && i < job->snapshot.nr; i++)
		buf__release(&job->samples[i]);
	free(job->lead_ins);
	free(job->samples);
	free(job->moves);
	snapshot__release(&job->snapshot);
	buf__release(&job->sideband);
	free(job->gaps);
	free(job);
}

void snapshot_job__reset(struct snapshot_job *job)
{
	for (size_t i = 0; i < job->snapshot.nr_all; i++)
		job->snapshot.cpus[i].records = (struct span){0};
	for (size_t i = 0; i < job->snapshot.nr; i++) {
		struct snapshot_cpu *cpu = &job->snapshot.cpus[i];

		cpu->samples = cpu->aux.data[0] = cpu->aux.data[1] = (struct span){0};
		job->gaps[i] = (struct snapshot_gap){0};
		buf__release(&job->lead_ins[i]);
		buf__release(&job->samples[i]);
	}
	buf__release(&job->sideband);
	job->snapshot.tasks = job->snapshot.kernel = (struct span){0};
	job->snapshot.windows = (struct capture_windows){0};
	job->missed = job->no_memory = job->nr_gaps = 0;
	job->untimed = job->header_only = false;
}

uint64_t snapshot_job__begin(const struct snapshot_job *job)
{
	uint64_t end = snapshot_job__end(job), begin = end;

	for (size_t i = 0; i < job->snapshot.nr; i++) {
		const struct snapshot_gap *gap = &job->gaps[i];

		if (snapshot_cpu__bytes(&job->snapshot.cpus[i]) && gap->read - gap->covered < begin)
			begin = gap->read - gap->covered;
	}
	return job->untimed || end == UINT64_MAX ? 0 : begin;
}

uint64_t snapshot_job__end(const struct snapshot_job *job)
{
	uint64_t end = 0;

	for (size_t i = 0; i < job->snapshot.nr; i++)
		if (job->gaps[i].blind && job->gaps[i].read > end)
			end = job->gaps[i].read;
	return end ?: UINT64_MAX;
}

/* Returns @len bytes of the job's sideband from @at on. */
static struct span part(const struct snapshot_job *job, size_t at, size_t len)
{
	return len ? (struct span){job->sideband.data + at, len} : (struct span){0};
}

int snapshot_job__set_sideband(struct snapshot_job *job, const struct sideband_log *log)
{
	const struct span kernel = sideband_log__kernel(log);
	size_t state, at;

	sideband_log__add_state(log, &job->sideband, record__trailer_len(PERF_EVENT_SAMPLE_TYPE));
	state = job->sideband.len;
	buf__add(&job->sideband, kernel.data, kernel.len);
	for (size_t i = 0; i < job->snapshot.nr_all; i++) {
		const struct span records = sideband_log__recent(log, (unsigned int)i);

		buf__add(&job->sideband, records.data, records.len);
		job->snapshot.cpus[i].records.len = records.len;
	}
	if (buf__error(&job->sideband))
		return buf__error(&job->sideband);
	job->snapshot.tasks = part(job, 0, state);
	job->snapshot.kernel = part(job, state, kernel.len);
	at = state + kernel.len;
	for (size_t i = 0; i < job->snapshot.nr_all; i++) {
		job->snapshot.cpus[i].records = part(job, at, job->snapshot.cpus[i].records.len);
		at += job->snapshot.cpus[i].records.len;
	}
	return 0;
}

uint64_t snapshot_job__overwritten(const struct snapshot_job *job)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < job->snapshot.nr; i++)
		sum += job->gaps[i].overwritten;
	return sum;
}

uint64_t snapshot_job__payload(const struct snapshot_job *job)
{
	uint64_t sum = job->sideband.len + job->snapshot.windows.nr * WINDOW_LINE_ABOUT;

	for (size_t i = 0; i < job->snapshot.nr; i++)
		sum += snapshot_cpu__bytes(&job->snapshot.cpus[i]);
	return sum;
}
