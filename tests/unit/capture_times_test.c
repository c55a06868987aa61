// SPDX-License-Identifier: GPL-2.0-only
/* When a capture ends, as its header tells, and files that are none. */
#include <linux/perf_event.h>
#include <sys/stat.h>

#include "check.h"
#include "decode/capture_times.h"
#include "perfdata/perfdata.h"
#include "root_dir.h"

static struct root_dir dir;
static struct buf file;

static int write_to_file(void *ctx, uint64_t offset, struct span span)
{
	size_t end = (size_t)offset + span.len;

	if (end > file.len)
		buf__add(&file, NULL, end - file.len);
	buf__put_at(&file, (size_t)offset, span.data, span.len);
	return buf__error(&file);
}

/* Makes a file with a feature in front of the times, and one behind them. */
static void make_file(const uint64_t *times, size_t size)
{
	static const struct perf_event_attr attr = {.size = sizeof(attr)};
	static const struct feature_event events[1] = {{.attr = &attr, .name = "cpu-clock"}};
	const struct perfdata_sink sink = {.write = write_to_file};
	struct perfdata *pd;
	uint64_t len;

	buf__truncate(&file, 0);
	if (!CHECK_EQ(perfdata__new(&sink, events, 1, &pd), 0))
		return;
	CHECK_EQ(perfdata__set_feature(pd, FEATURE_HOSTNAME, (struct span){"12345678", 8}), 0);
	CHECK_EQ(perfdata__set_feature(pd, FEATURE_SAMPLE_TIME, (struct span){times, size}), 0);
	CHECK_EQ(perfdata__set_feature(pd, FEATURE_COMPRESSED, (struct span){"12345678", 8}), 0);
	CHECK_EQ(perfdata__finish(pd, &len), 0);
	perfdata__free(pd);
}

static uint64_t last_of(const char *name)
{
	char path[128];

	CHECK(root_dir__put_bytes(&dir, "/dir/data", file.data, file.len));
	CHECK(root_dir__put_bytes(&dir, "/file", file.data, file.len));
	snprintf(path, sizeof(path), "%s/%s", dir.path, name);
	return capture_times__last(path);
}

static void test_captures(void)
{
	const uint64_t times[] = {4711, 4713000000000};

	make_file(times, sizeof(times));
	CHECK_EQ(last_of("file"), 4713000000000);
	CHECK_EQ(last_of("dir"), 4713000000000);
	CHECK_EQ(last_of("none"), 0);
	CHECK_EQ(last_of(""), 0);
	/* A file that is cut off anywhere is none, or tells the same. */
	for (size_t len = file.len; len; len--) {
		uint64_t last;

		buf__truncate(&file, len);
		last = last_of("file");
		CHECK(!last || last == times[1]);
	}
	make_file(times, 8);
	CHECK_EQ(last_of("file"), 0);
	make_file(times, 0);
	CHECK_EQ(last_of("file"), 0);
}

/* Another magic number, and records that end behind any file. */
static void test_damaged(void)
{
	static const uint64_t size = INT64_MAX;
	const uint64_t times[] = {1, 2};
	char path[128];

	make_file(times, sizeof(times));
	buf__put_at(&file, 0, "PERFFILE", 8);
	CHECK_EQ(last_of("file"), 0);
	make_file(times, sizeof(times));
	buf__put_at(&file, 48, &size, sizeof(size));
	CHECK_EQ(last_of("file"), 0);
	snprintf(path, sizeof(path), "%s/fifo", dir.path);
	CHECK_EQ(mkfifo(path, 0600), 0);
	CHECK_EQ(last_of("fifo"), 0);
}

int main(void)
{
	if (!CHECK(root_dir__make(&dir)))
		return check__done();
	test_captures();
	test_damaged();
	buf__release(&file);
	root_dir__remove(&dir);
	return check__done();
}
