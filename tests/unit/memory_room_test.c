// SPDX-License-Identifier: GPL-2.0-only
/* What captures and streams ask for, and what is kept of sideband, where the memory cgroup has a limit. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "capture/capture_opts.h"
#include "check.h"
#include "rings/memory_room.h"
#include "rings/snapshot_sideband.h"
#include "root_dir.h"
#include "session/stream.h"

#define MIB (UINT64_C(1) << 20)
#define MOUNT "32 20 0:28 / /v2 rw - cgroup2 cgroup2 rw\n"

static struct root_dir root;

static void set_limit(uint64_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)bytes);
	CHECK(root_dir__put(&root, "/v2/a/memory.max", text));
}

/*
 * Of each CPU a capture has the least three times, each with a ring of 512 KiB, and 128 KiB of moves; a stream has two
 * such rings. auxbpf itself has 8 MiB.
 */
static void test_check(void)
{
	const struct stream_opts stream = {0};
	const struct window_set windows = {.on_cpu = true};
	const struct capture_opts capture = {.root = root.path, .windows = &windows};
	const struct capture_opts streamed = {.root = root.path, .windows = &windows, .stream = &stream};

	CHECK_EQ(memory_room__check(&capture, 4096), 0);
	set_limit(33 * MIB + MIB / 4);
	CHECK_EQ(memory_room__check(&capture, 2), 0);
	CHECK_EQ(memory_room__check(&capture, 3), -ENOMEM);
	set_limit(33 * MIB + MIB / 4 - 1);
	CHECK_EQ(memory_room__check(&capture, 2), -ENOMEM);
	set_limit(32 * MIB);
	CHECK_EQ(memory_room__check(&streamed, 8), 0);
	CHECK_EQ(memory_room__check(&streamed, 9), -ENOMEM);
}

/* What is asked for, or what there is room for beside the spares; 0 where that is nothing. */
static void test_sideband(void)
{
	set_limit(UINT64_MAX);
	CHECK_EQ(memory_room__sideband(root.path, 2, 0, 4 * MIB), 4 * MIB);
	set_limit(51 * MIB);
	CHECK_EQ(memory_room__sideband(root.path, 2, 0, 4 * MIB), 4 * MIB);
	CHECK_EQ(memory_room__sideband(root.path, 2, 12 * MIB, 4 * MIB), 2 * MIB);
	CHECK_EQ(memory_room__sideband(root.path, 2, 24 * MIB, 4 * MIB), 0);
	CHECK_EQ(memory_room__sideband(root.path, 2, 64 * MIB, 4 * MIB), 0);
}

/* With up to 16 CPUs each keeps 4,096 windows of 128 bytes, and twice while a file is made. */
static void test_windows(void)
{
	const long nr = sysconf(_SC_NPROCESSORS_CONF);
	struct window_set windows = {.on_cpu = true};
	const struct capture_opts opts = {.root = root.path, .windows = &windows};

	CHECK_EQ(memory_room__windows(&opts), 0);
	windows.nr_functions = 1;
	CHECK(memory_room__windows(&opts) <= 16 * MIB);
	if (nr <= 16)
		CHECK_EQ(memory_room__windows(&opts), nr * MIB);
}

int main(void)
{
	CHECK(root_dir__make(&root));
	CHECK(root_dir__put(&root, "/proc/self/mountinfo", MOUNT));
	CHECK(root_dir__put(&root, "/proc/self/cgroup", "0::/a\n"));
	test_check();
	test_sideband();
	test_windows();
	root_dir__remove(&root);
	return check__done();
}
