// SPDX-License-Identifier: GPL-2.0-only
#include "check.h"
#include "rules/named_cgroups.h"

/* Conditions that name one path mean one cgroup, though it was made again between them. */
static void test_one_id_a_path(void)
{
	struct named_cgroups set = {0};
	char path[] = "/a/b";
	uint64_t id = 0;

	CHECK_EQ(named_cgroups__add(&set, path, 7, &id), 0);
	CHECK_EQ(id, 7);
	path[3] = 'c';
	CHECK_EQ(named_cgroups__add(&set, path, 8, &id), 0);
	CHECK_EQ(id, 8);
	CHECK_EQ(named_cgroups__add(&set, "/a/b", 9, &id), 0);
	CHECK_EQ(id, 7);
	CHECK_EQ(set.nr, 2);
	CHECK_STREQ(set.all[0].path, "/a/b");
	CHECK_STREQ(set.all[1].path, "/a/c");
	named_cgroups__release(&set);
	CHECK_EQ(set.nr, 0);
	CHECK(!set.all);
}

int main(void)
{
	test_one_id_a_path();
	return check__done();
}
