// SPDX-License-Identifier: GPL-2.0-only
/*
 * gate_bench: measures what the gate's BPF programs cost, beside BPF programs that do nothing, perf record
 * and bpftrace, all in one run. In every round each of them listens for a while and the same work is timed,
 * so that what changes on the machine changes for all. No limits are checked: the figures are for people.
 *
 *	gate_bench		the table: in instructions in the lab with tests/bench/count.c, elsewhere in ns
 *	gate_bench --ready	says "ready" and waits; the tools are told to run this
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "programs.h"
#include "variant.h"

#define TIMED_ROUNDS 3
#define MAX_VARIANTS 32

struct results {
	const struct variant *variants;
	size_t nr;
	size_t nr_rounds;
	double cost[MAX_VARIANTS][WORK_NR][TIMED_ROUNDS]; /* negative: not measured */
};

static const char *const titles[WORK_NR] = {
	[WORK_MISS] = "a system call that does not match (getppid)",
	[WORK_OTHER] = "one that matches (uname), of a task that is no target",
	[WORK_TARGET] = "one that matches, the target's",
	[WORK_SWITCH] =
		"a context switch (sched_yield) between two tasks that are no targets, or both of --cgroup",
	[WORK_MOVE] = "a context switch from or to the target",
};

static void measure(const struct bench *bench, struct results *r, size_t i, size_t round)
{
	const struct variant *v = &r->variants[i];
	struct listener *listener = NULL;
	int err = listener__new(v, bench, &listener);

	for (enum work work = 0; work < WORK_NR; work++)
		r->cost[i][work][round] =
			!err && (v->works & WORK_BIT(work)) ? workers__measure(bench->workers, work) : -1;
	if (listener)
		listener__free(listener);
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Finds the least and the median of the rounds; both are negative if one is missing. */
static void summarize(const struct results *r, size_t i, enum work work, double *least, double *median)
{
	double sorted[TIMED_ROUNDS];

	memcpy(sorted, r->cost[i][work], sizeof(sorted));
	qsort(sorted, r->nr_rounds, sizeof(*sorted), compare);
	*least = sorted[0];
	*median = *least < 0 ? -1 : sorted[r->nr_rounds / 2];
}

/* Returns what the variant adds to the cost of the work, negative if that was not measured. */
static double added(const struct results *r, size_t i, enum work work)
{
	double nothing, least, median;

	summarize(r, 0, work, &nothing, &median);
	summarize(r, i, work, &least, &median);
	return least < 0 || least < nothing ? -1 : least - nothing;
}

static double added_by(const struct results *r, enum yardstick yardstick, enum work work)
{
	for (size_t i = 1; i < r->nr; i++)
		if (r->variants[i].yardstick == yardstick && added(r, i, work) > 0)
			return added(r, i, work);
	return -1;
}

static void print_ratio(double value, double of)
{
	if (value < 0 || of <= 0)
		printf(" %9s", "-");
	else
		printf(" %9.2f", value / of);
}

static void print_row(const struct results *r, size_t i, enum work work)
{
	double least, median;

	if (!(r->variants[i].works & WORK_BIT(work)))
		return;
	summarize(r, i, work, &least, &median);
	if (least < 0) {
		printf("  %-42s %9s\n", r->variants[i].name, "not here");
		return;
	}
	printf("  %-42s %9.1f %9.1f", r->variants[i].name, least, median);
	if (i) {
		printf(" %9.1f", added(r, i, work));
		print_ratio(added(r, i, work), added_by(r, YARDSTICK_EMPTY, work));
		print_ratio(added(r, i, work), added_by(r, YARDSTICK_BPFTRACE, work));
	}
	printf("\n");
}

static void print_table(const struct results *r)
{
	for (enum work work = 0; work < WORK_NR; work++) {
		printf("\n%s\n  %-42s %9s %9s %9s %9s %9s\n", titles[work],
		       work__counts() ? "instructions, kernel and user space"
				      : "ns, the least and the median of the rounds",
		       "least", "median", "added", "/empty", "/bpftrace");
		for (size_t i = 0; i < r->nr; i++)
			print_row(r, i, work);
	}
}

static int run(const struct bench *bench)
{
	struct results r = {.nr_rounds = work__counts() ? 1 : TIMED_ROUNDS};

	r.variants = variants__list(&r.nr);
	for (size_t round = 0; round < r.nr_rounds; round++)
		for (size_t i = 0; i < r.nr; i++) {
			fprintf(stderr, "\rround %zu of %zu, %zu of %zu: %-44s", round + 1, r.nr_rounds,
				i + 1, r.nr, r.variants[i].name);
			measure(bench, &r, i, round);
		}
	fprintf(stderr, "\r%80s\r", "");
	print_table(&r);
	return programs__print(bench);
}

/*
 * Moves all workers into one cgroup, whoever listens: the deeper a cgroup is, the more the kernel does at a
 * switch.
 */
static int settle(const struct bench_cgroups *cgroups, const struct workers *workers)
{
	int err = 0;

	for (enum worker i = 0; !err && i < WORKER_NR; i++)
		err = bench_cgroups__enter(cgroups, 0, workers__pid(workers, i));
	return err;
}

int main(int argc, char **argv)
{
	_cleanup_(cleanup__bench_cgroups) struct bench_cgroups *cgroups = NULL;
	_cleanup_(cleanup__workers) struct workers *workers = NULL;
	struct bench bench = {.self = argv[0]};
	int err;

	if (argc > 1 && !strcmp(argv[1], "--ready")) {
		puts("ready");
		fflush(stdout);
		pause();
		return 0;
	}
	err = bench_cgroups__new(BENCH_CGROUPS, &cgroups);
	if (!err)
		err = workers__new(&workers);
	bench.cgroups = cgroups;
	bench.workers = workers;
	if (!err)
		err = settle(cgroups, workers);
	if (!err)
		err = run(&bench);
	return err ? 1 : 0;
}
