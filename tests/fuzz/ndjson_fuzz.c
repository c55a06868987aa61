// SPDX-License-Identifier: GPL-2.0-only
/* The lines of a capture's windows, and those of an index of snapshots, each of which belongs to the capture "a". */
#include <errno.h>

#include "fuzz_root.h"
#include "report/snapshots.h"
#include "report/windows.h"

#define SLOWEST 3

static void check_windows(const struct windows *windows)
{
	_cleanup_free_ struct window_begin *begins = windows__begins(windows);
	struct window *slowest[SLOWEST];
	size_t nr = windows__slowest(windows, slowest, SLOWEST);

	FUZZ_CHECK(begins);
	for (size_t i = 0; i < windows->nr; i++) {
		FUZZ_CHECK(windows->list[i].number == i + 1);
		FUZZ_CHECK(windows->list[i].name);
		FUZZ_CHECK(!i || windows->list[i - 1].begin <= windows->list[i].begin);
		FUZZ_CHECK(!i || begins[i - 1].tid <= begins[i].tid);
	}
	FUZZ_CHECK(nr <= SLOWEST);
	for (size_t i = 1; i < nr; i++)
		FUZZ_CHECK(window__duration(slowest[i - 1]) >= window__duration(slowest[i]));
}

static void read_windows(const char *capture)
{
	struct windows windows = {0};
	int err = windows__read(&windows, capture);

	FUZZ_CHECK(!err || err == -EBADMSG);
	if (!err)
		check_windows(&windows);
	windows__release(&windows);
}

static void read_index(const char *capture)
{
	struct snapshots snapshots = {0};
	const struct snapshot_line *line;

	FUZZ_CHECK(!snapshots__read_one(&snapshots, capture, &line));
	for (size_t i = 0; i < snapshots__nr(&snapshots); i++) {
		const struct snapshot_line *s = snapshots__at(&snapshots, i);

		FUZZ_CHECK(s->name && s->rule && s->time && s->json);
	}
	FUZZ_CHECK(!line || !strcmp(line->name, "a"));
	snapshots__release(&snapshots);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	char capture[PATH_MAX];

	fuzz_root__put("/a/windows.ndjson", &in);
	fuzz_root__put("/index.ndjson", &in);
	snprintf(capture, sizeof(capture), "%s/a", fuzz_root__path());
	read_windows(capture);
	read_index(capture);
	return 0;
}
