// SPDX-License-Identifier: GPL-2.0-only
/* The memory limits of both cgroup hierarchies, up the tree. */
#include <stdint.h>

#include "check.h"
#include "containers/memory_limit.h"
#include "root_dir.h"

#define MOUNT_V1 "30 20 0:26 / /v1/memory rw - cgroup cgroup rw,memory\n"
#define MOUNT_OTHER "31 20 0:27 / /v1/cpu rw - cgroup cgroup rw,cpu\n"
#define MOUNT_V2 "32 20 0:28 / /v2 rw - cgroup2 cgroup2 rw\n"

static struct root_dir root;

static void put(const char *name, const char *text)
{
	CHECK(root_dir__put(&root, name, text));
}

static void test_none(void)
{
	CHECK_EQ(memory_limit__read(root.path), UINT64_MAX);
	put("/proc/self/mountinfo", MOUNT_V2);
	put("/proc/self/cgroup", "0::/a/b\n");
	CHECK_EQ(memory_limit__read(root.path), UINT64_MAX);
	put("/v2/a/b/memory.max", "max\n");
	CHECK_EQ(memory_limit__read(root.path), UINT64_MAX);
}

/* The least one counts, wherever it is above; that of a neighbour does not. */
static void test_v2(void)
{
	put("/v2/a/memory.max", "94371840\n");
	put("/v2/a/c/memory.max", "4096\n");
	CHECK_EQ(memory_limit__read(root.path), 94371840);
	put("/v2/a/b/memory.max", "1048576\n");
	CHECK_EQ(memory_limit__read(root.path), 1048576);
	put("/v2/a/b/memory.max", "99371840\n");
	CHECK_EQ(memory_limit__read(root.path), 94371840);
}

static void test_v1(void)
{
	put("/proc/self/mountinfo", MOUNT_OTHER MOUNT_V1 MOUNT_V2);
	put("/proc/self/cgroup", "7:cpu:/x\n4:cpuset,memory:/x/y\n2:memory_not:/z\n0::/\n");
	put("/v1/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("/v1/memory/z/memory.limit_in_bytes", "1\n");
	CHECK_EQ(memory_limit__read(root.path), UINT64_MAX);
	put("/v1/memory/x/memory.limit_in_bytes", "41943040\n");
	CHECK_EQ(memory_limit__read(root.path), 41943040);
}

/* A container that has no cgroup namespace of its own sees its own cgroup at the mount. */
static void test_container(void)
{
	put("/proc/self/mountinfo", MOUNT_V2);
	put("/proc/self/cgroup", "0::/system.slice/docker-1.scope\n");
	put("/v2/memory.max", "2097152\n");
	CHECK_EQ(memory_limit__read(root.path), 2097152);
}

int main(void)
{
	if (!CHECK(root_dir__make(&root)))
		return check__done();
	test_none();
	test_v2();
	test_v1();
	test_container();
	root_dir__remove(&root);
	return check__done();
}
