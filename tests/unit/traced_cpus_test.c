// SPDX-License-Identifier: GPL-2.0-only
/* Which CPUs are traced, on machines that sysfs only tells of. */
#include <errno.h>

#include "auxbpf_shared.h"
#include "check.h"
#include "root_dir.h"
#include "session/traced_cpus.h"

#define ONLINE "/sys/devices/system/cpu/online"
#define FENCE (-77)

static struct root_dir root;

static int choose(const char *online, int *listed, size_t nr_listed, int *cpus, size_t max, size_t *nr_all)
{
	const struct target_set targets = {.cpus = listed, .nr_cpus = nr_listed};

	CHECK(root_dir__put(&root, ONLINE, online));
	return traced_cpus__choose(root.path, &targets, cpus, max, nr_all);
}

static void test_all(void)
{
	int cpus[8];
	size_t nr_all = 0;

	CHECK_EQ(choose("0,2-3\n", NULL, 0, cpus, 8, &nr_all), 3);
	CHECK_EQ(nr_all, 3);
	CHECK_EQ(cpus[0], 0);
	CHECK_EQ(cpus[2], 3);
}

static void test_listed(void)
{
	int cpus[8], listed[] = {1, 3}, offline[] = {1, 4};
	size_t nr_all = 0;

	CHECK_EQ(choose("0-3\n", listed, 2, cpus, 8, &nr_all), 2);
	CHECK_EQ(nr_all, 4);
	CHECK_EQ(cpus[0], 1);
	CHECK_EQ(cpus[1], 3);
	CHECK_EQ(cpus[2], 0);
	CHECK_EQ(cpus[3], 2);
	CHECK_EQ(choose("0-3\n", offline, 2, cpus, 8, &nr_all), -ENODEV);
}

/* A kernel for as many CPUs as there are. */
static void test_most(void)
{
	static int cpus[AUXBPF_MAX_CPUS];
	int last[] = {AUXBPF_MAX_CPUS - 1};
	size_t nr_all = 0;

	CHECK_EQ(choose("0-8191\n", NULL, 0, cpus, AUXBPF_MAX_CPUS, &nr_all), AUXBPF_MAX_CPUS);
	CHECK_EQ(nr_all, AUXBPF_MAX_CPUS);
	CHECK_EQ(cpus[AUXBPF_MAX_CPUS - 1], AUXBPF_MAX_CPUS - 1);
	CHECK_EQ(choose("0-8191\n", last, 1, cpus, AUXBPF_MAX_CPUS, &nr_all), 1);
	CHECK_EQ(cpus[0], AUXBPF_MAX_CPUS - 1);
	CHECK_EQ(cpus[AUXBPF_MAX_CPUS - 1], AUXBPF_MAX_CPUS - 2);
}

/* More than there is room for: refused, with and without -C, and nothing is written behind the room. */
static void test_too_many(void)
{
	int cpus[4096 + 1], listed[] = {5000};
	size_t nr_all = 0;

	cpus[4096] = FENCE;
	CHECK_EQ(choose("0-8191\n", NULL, 0, cpus, 4096, &nr_all), -E2BIG);
	CHECK_EQ(choose("0-8191\n", listed, 1, cpus, 4096, &nr_all), -E2BIG);
	CHECK_EQ(cpus[4096], FENCE);
}

int main(void)
{
	if (!root_dir__make(&root))
		return 1;
	test_all();
	test_listed();
	test_most();
	test_too_many();
	root_dir__remove(&root);
	return check__done();
}
