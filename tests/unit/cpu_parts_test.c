// SPDX-License-Identifier: GPL-2.0-only
/* Each CPU is in one part, the first one first, and no part has much more to do than another. */
#include "base/cpu_parts.h"
#include "check.h"

#define MAX 8192

static unsigned int seen[MAX];

/* How many CPUs the part has. */
static size_t walk(const struct cpu_parts *parts, unsigned int part)
{
	size_t n = 0, cpu;

	while (n <= parts->nr_cpus && (cpu = cpu_parts__cpu(parts, part, n)) < parts->nr_cpus) {
		seen[cpu]++;
		n++;
	}
	CHECK_EQ(cpu_parts__cpu(parts, part, n), parts->nr_cpus);
	return n;
}

static void test(size_t nr_cpus, unsigned int nr, size_t first)
{
	const struct cpu_parts parts = {nr_cpus, nr, first};
	size_t least = MAX, most = 0, once = 0;

	memset(seen, 0, sizeof(seen));
	CHECK_EQ(cpu_parts__cpu(&parts, 0, 0), first);
	for (unsigned int part = 0; part < nr; part++) {
		size_t n = walk(&parts, part);

		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	for (size_t i = 0; i < nr_cpus; i++)
		once += seen[i] == 1;
	CHECK_EQ(once, nr_cpus);
	CHECK(most - least <= 1);
	if (nr > 1)
		CHECK(most <= CPUS_A_PART);
}

int main(void)
{
	static const size_t machines[] = {1, 2, 7, 8, 9, 16, 17, 63, 128, 255, 256, 257, MAX};

	CHECK_EQ(cpu_parts__count(8), 1);
	CHECK_EQ(cpu_parts__count(9), 2);
	CHECK_EQ(cpu_parts__count(256), 32);
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		size_t nr_cpus = machines[i];

		test(nr_cpus, cpu_parts__count(nr_cpus), 0);
		test(nr_cpus, cpu_parts__count(nr_cpus), nr_cpus / 2);
		test(nr_cpus, cpu_parts__count(nr_cpus), nr_cpus - 1);
		test(nr_cpus, 1, nr_cpus - 1);
	}
	return check__done();
}
