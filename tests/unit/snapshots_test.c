// SPDX-License-Identifier: GPL-2.0-only
/* The line of a snapshot in the index beside it, and indexes of others, which may hold anything. */
#include <errno.h>

#include "check.h"
#include "report/snapshots.h"
#include "root_dir.h"

static struct root_dir dir;

static void write_index(const char *lines)
{
	CHECK(root_dir__put(&dir, "/index.ndjson", lines));
}

/* Reads the line of @name; the caller releases @snapshots. */
static const struct snapshot_line *read_one(struct snapshots *snapshots, const char *name, int want)
{
	const struct snapshot_line *line = NULL;
	char path[256];

	*snapshots = (struct snapshots){0};
	snprintf(path, sizeof(path), "%s/%s", dir.path, name);
	CHECK_EQ(snapshots__read_one(snapshots, path, &line), want);
	return line;
}

#define LINE(name, more)                                                                                     \
	"{\"schema\":\"auxbpf-snapshot-1\",\"snapshot\":\"" name "\",\"rule\":\"end\",\"time\":\"now\"" more \
	"}\n"

static void test_found(void)
{
	const struct snapshot_line *line;
	struct snapshots snapshots;

	write_index(LINE("a.data", "") LINE("b.data", ",\"boot\":\"b-1\",\"trigger_ns\":70,\"cpus\":[{"
						      "\"cpu\":3,\"covered_ns\":5,\"blind_ns\":6}]"));
	line = read_one(&snapshots, "b.data", 0);
	if (CHECK(line) && CHECK_EQ(line->nr_cpus, 1)) {
		CHECK_EQ(line->trigger, 70);
		CHECK_STREQ(line->boot, "b-1");
		CHECK_EQ(line->cpus[0].cpu, 3);
		CHECK_EQ(line->cpus[0].covered, 5);
		CHECK_EQ(line->cpus[0].blind, 6);
	}
	snapshots__release(&snapshots);
	line = read_one(&snapshots, "a.data/", 0);
	CHECK(line && !line->trigger && !line->nr_cpus && !line->boot);
	snapshots__release(&snapshots);
	CHECK(!read_one(&snapshots, "c.data", 0));
	snapshots__release(&snapshots);
}

static void test_strange(void)
{
	const struct snapshot_line *line;
	struct snapshots snapshots;

	write_index(
		"[]\n3\n\"a\"\nnull\n{\n{}\n" LINE("a.data", ",\"cpus\":{\"cpu\":1},\"trigger_ns\":\"x\"")
			LINE("b.data", ",\"cpus\":[1,null,[],\"cpu\",{\"cpu\":[]},{}],\"trigger_ns\":{}"));
	line = read_one(&snapshots, "a.data", 0);
	CHECK(line && !line->nr_cpus && !line->trigger);
	snapshots__release(&snapshots);
	line = read_one(&snapshots, "b.data", 0);
	if (CHECK(line)) {
		CHECK_EQ(line->nr_cpus, 2);
		CHECK_EQ(line->cpus[0].cpu, 0);
	}
	snapshots__release(&snapshots);
}

/* Nobody writes into the FIFO. */
static void test_no_file(void)
{
	struct snapshots snapshots;
	char path[256];

	snprintf(path, sizeof(path), "%s/index.ndjson", dir.path);
	CHECK_EQ(unlink(path), 0);
	CHECK(!read_one(&snapshots, "a.data", 0));
	snapshots__release(&snapshots);
	CHECK_EQ(mkfifo(path, 0600), 0);
	CHECK(!read_one(&snapshots, "a.data", -EINVAL));
	snapshots__release(&snapshots);
}

int main(void)
{
	if (!CHECK(root_dir__make(&dir)))
		return check__done();
	test_found();
	test_strange();
	test_no_file();
	root_dir__remove(&dir);
	return check__done();
}
