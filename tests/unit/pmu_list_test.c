// SPDX-License-Identifier: GPL-2.0-only
/* The PMUs of a made-up machine. */
#include <stdbool.h>

#include "check.h"
#include "root_dir.h"
#include "trace/pmu_list.h"

#define DEVICES "/sys/bus/event_source/devices"

static void test_pmus(const struct root_dir *root)
{
	struct pmu_files pmus;

	CHECK_EQ(pmu_list__pmus(root->path, &pmus), 0);
	if (CHECK_EQ(pmus.nr, 3)) {
		CHECK_STREQ(pmus.items[0].name, "cpu");
		CHECK_STREQ(pmus.items[0].value, "4");
		CHECK_STREQ(pmus.items[1].name, "intel_pt");
		CHECK_STREQ(pmus.items[1].value, "8");
		CHECK_STREQ(pmus.items[2].name, "odd");
		CHECK_STREQ(pmus.items[2].value, "");
	}
	pmu_files__release(&pmus);
	CHECK(pmus.nr == 0 && !pmus.items);
}

static void test_files(const struct root_dir *root)
{
	struct pmu_files files;

	CHECK_EQ(pmu_list__files(root->path, "intel_pt", "format", &files), 0);
	if (CHECK_EQ(files.nr, 3)) {
		CHECK_STREQ(files.items[0].name, "cyc");
		CHECK_STREQ(files.items[0].value, "config:1");
		CHECK_STREQ(files.items[1].name, "long");
		CHECK_STREQ(files.items[1].value, "");
		CHECK_STREQ(files.items[2].name, "tsc");
		CHECK_STREQ(files.items[2].value, "config:10");
	}
	pmu_files__release(&files);
	CHECK_EQ(pmu_list__files(root->path, "intel_pt", "caps", &files), 0);
	CHECK_EQ(files.nr, 0);
	CHECK_EQ(pmu_list__files(root->path, "none", "format", &files), 0);
	CHECK_EQ(files.nr, 0);
}

static void test_no_sysfs(void)
{
	struct pmu_files pmus;

	CHECK_EQ(pmu_list__pmus("/nowhere", &pmus), 0);
	CHECK_EQ(pmus.nr, 0);
}

int main(void)
{
	struct root_dir root;
	char text[512];

	memset(text, 'x', sizeof(text));
	if (CHECK(root_dir__make(&root))) {
		CHECK(root_dir__put(&root, DEVICES "/odd/uevent", ""));
		CHECK(root_dir__put(&root, DEVICES "/intel_pt/type", "8\n"));
		CHECK(root_dir__put(&root, DEVICES "/cpu/type", "4\n"));
		CHECK(root_dir__put(&root, DEVICES "/intel_pt/format/tsc", "config:10\n"));
		CHECK(root_dir__put(&root, DEVICES "/intel_pt/format/cyc", "config:1\n"));
		CHECK(root_dir__put_bytes(&root, DEVICES "/intel_pt/format/long", text, sizeof(text)));
		test_pmus(&root);
		test_files(&root);
		test_no_sysfs();
		root_dir__remove(&root);
	}
	return check__done();
}
