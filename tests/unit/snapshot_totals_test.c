// SPDX-License-Identifier: GPL-2.0-only
/*
 * The totals of a recording: each loss that a snapshot has is added up and said at the end, and none that is not there.
 */
#include "base/log.h"
#include "capture/capture_opts.h"
#include "check.h"
#include "said.h"
#include "snapshot/snapshot_totals.h"

/* Returns what @say says of @of. */
static const char *said(void (*say)(const void *of), const void *of)
{
	static char text[4096];
	struct said begun;

	log__set_level(LOG_INFO);
	begun = said__begin();
	say(of);
	said__end(begun, text, sizeof(text));
	return text;
}

static void say_totals(const void *totals)
{
	snapshot_totals__log(totals, "out", 7, 2);
}

static void say_one(const void *job)
{
	static const struct trace_event event;
	static const struct capture_opts opts = {.event = &event, .output = "out"};

	snapshot_totals__log_one(&opts, job, 4096, "end");
}

/* Adds a snapshot of two CPUs: 3 and 5 bytes of trace, with @gaps gaps, behind @overwritten bytes that were lost. */
static void add(struct snapshot_totals *totals, uint64_t gaps, uint64_t overwritten)
{
	struct snapshot_cpu cpus[2] = {{.aux = {.data = {{"abc", 3}}}},
				       {.aux = {.data = {{"ab", 2}, {"cde", 3}}}}};
	struct snapshot_gap of_cpus[2] = {{.overwritten = overwritten}};
	struct snapshot_job job = {
		.snapshot = {.cpus = cpus, .nr = 2, .nr_all = 2}, .gaps = of_cpus, .nr_gaps = gaps};

	snapshot_totals__add(totals, &job);
}

static void test_nothing_lost(void)
{
	struct snapshot_totals totals = {0};

	add(&totals, 0, 0);
	CHECK_EQ(totals.bytes, 8);
	CHECK_STREQ(said(say_totals, &totals), "auxbpf: 1 snapshot in out, of 7 triggers seen; 2 missed\n");
}

static void test_losses(void)
{
	struct snapshot_totals totals = {0};

	add(&totals, 2, 0);
	add(&totals, 0, 100);
	add(&totals, 1, 11);
	CHECK_EQ(totals.nr, 3);
	CHECK_EQ(totals.bytes, 24);
	CHECK_STREQ(said(say_totals, &totals),
		    "auxbpf: 3 snapshots in out, of 7 triggers seen; 2 missed\n"
		    "auxbpf: 3 gaps in the trace of the snapshots: the index says in which\n"
		    "auxbpf: 111 bytes of trace, the oldest of 2 snapshots, were overwritten before they "
		    "were copied: the index says of which; a larger --aux-size has more time for that\n");
}

/* One snapshot's own line has its losses, too. */
static void test_one(void)
{
	struct snapshot_gap of_cpu = {.overwritten = 12};
	struct snapshot_cpu cpu = {0};
	struct snapshot_job job = {.snapshot = {.cpus = &cpu, .nr = 1, .nr_all = 1},
				   .gaps = &of_cpu,
				   .nr_gaps = 3,
				   .name = "x.data"};

	CHECK_STREQ(said(say_one, &job),
		    "auxbpf: x.data: 4096 bytes of trace with 3 gaps and 12 overwritten, end\n");
}

int main(void)
{
	test_nothing_lost();
	test_losses();
	test_one();
	return check__done();
}
