// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace_bytes.h"

struct cpu_bytes {
	uint64_t end; /* of the last snapshot */
	uint64_t sum;
	uint64_t written;
};

struct bytes_check {
	struct cpu_bytes *cpus;
	unsigned int nr_cpus;
	FILE *out;
	bool wrong;
};

/* The counter of the unit has 32 bits: what counts is how it moves. */
static uint64_t count_written(const struct oracle_log *log, unsigned int cpu)
{
	const struct oracle_record *rec;
	struct oracle_cursor cur;
	uint64_t written = 0;
	bool known = false;
	uint32_t last = 0;

	oracle_cursor__init(&cur, log, cpu);
	while ((rec = oracle_cursor__next(&cur))) {
		if (rec->kind != ORACLE_UNIT)
			continue;
		if (known)
			written += (uint32_t)(rec->nr - last);
		last = rec->nr;
		known = true;
	}
	return written;
}

static void check_range(struct bytes_check *c, unsigned int line, unsigned int cpu, uint64_t begin,
			uint64_t end)
{
	struct cpu_bytes *of = &c->cpus[cpu];

	if (end < begin || begin < of->end) {
		fprintf(c->out, "WRONG: line %u: cpu %u: bytes %" PRIu64 " to %" PRIu64, line, cpu, begin,
			end);
		fprintf(c->out,
			end < begin ? " end before they begin\n"
				    : ", but a snapshot before has those to %" PRIu64 "\n",
			of->end);
		c->wrong = true;
	}
	of->sum += end - begin;
	of->end = end;
}

static int read_lines(struct bytes_check *c, FILE *f, const char *path)
{
	uint64_t begin, end;
	unsigned int cpu;
	char text[128];

	for (unsigned int line = 1; fgets(text, sizeof(text), f); line++) {
		if (sscanf(text, "%u %" SCNu64 " %" SCNu64, &cpu, &begin, &end) != 3 || cpu >= c->nr_cpus) {
			fprintf(stderr, "oracle-check: %s: line %u is not of a CPU of the log: %s", path,
				line, text);
			return -EINVAL;
		}
		check_range(c, line, cpu, begin, end);
	}
	return 0;
}

static void check_sums(struct bytes_check *c)
{
	for (unsigned int cpu = 0; cpu < c->nr_cpus; cpu++) {
		const struct cpu_bytes *of = &c->cpus[cpu];

		fprintf(c->out,
			"cpu %u: %" PRIu64 " bytes in snapshots, of %" PRIu64 " that the unit wrote\n", cpu,
			of->sum, of->written);
		if (of->sum <= of->written)
			continue;
		fprintf(c->out, "WRONG: cpu %u: the unit wrote less\n", cpu);
		c->wrong = true;
	}
}

int trace_bytes__check(const struct oracle_log *log, const char *path, FILE *out)
{
	struct bytes_check c = {.nr_cpus = oracle_log__nr_cpus(log), .out = out};
	_cleanup_free_ struct cpu_bytes *cpus = calloc(c.nr_cpus, sizeof(*cpus));
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	int err;

	if (!cpus)
		return -ENOMEM;
	if (!f) {
		err = -errno;
		fprintf(stderr, "oracle-check: cannot read %s: %s\n", path, strerror(-err));
		return err;
	}
	c.cpus = cpus;
	for (unsigned int cpu = 0; cpu < c.nr_cpus; cpu++)
		cpus[cpu].written = count_written(log, cpu);
	err = read_lines(&c, f, path);
	if (err)
		return err;
	check_sums(&c);
	return c.wrong;
}
