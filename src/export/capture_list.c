// SPDX-License-Identifier: GPL-2.0-only
#include "export/capture_list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

/* How many snapshots are not exported, and why. */
struct left {
	size_t nr_gone, nr_other_boots;
};

static bool is_same_boot(const struct snapshot_line *a, const struct snapshot_line *b)
{
	return a->boot && b->boot ? !strcmp(a->boot, b->boot) : a->boot == b->boot;
}

/* Adds a capture, whose path it owns then. */
static int add(struct capture_list *captures, char *path, const struct snapshot_line *snapshot)
{
	struct listed_capture *grown = reallocarray(captures->list, captures->nr + 1, sizeof(*grown));

	if (!path || !grown) {
		captures->list = grown ? grown : captures->list;
		free(path);
		return -ENOMEM;
	}
	captures->list = grown;
	captures->list[captures->nr++] = (struct listed_capture){.path = path, .snapshot = snapshot};
	return 0;
}

/* The index may be of a stranger: it names files of its own directory, and no others. */
static bool is_there(const char *path, const struct snapshot_line *snapshot)
{
	return !strchr(snapshot->name, '/') && !access(path, F_OK);
}

static int add_snapshot(struct capture_list *captures, const char *dir, const struct snapshot_line *snapshot,
			struct left *left)
{
	char *path;

	if (asprintf(&path, "%s/%s", dir, snapshot->name) < 0)
		return -ENOMEM;
	if (is_there(path, snapshot))
		return add(captures, path, snapshot);
	left->nr_gone++;
	free(path);
	return 0;
}

/* Takes away those of other boots than the last one. */
static void keep_boot(struct capture_list *captures, struct left *left)
{
	const struct snapshot_line *newest = captures->nr ? captures->list[captures->nr - 1].snapshot : NULL;
	size_t kept = 0;

	for (size_t i = 0; i < captures->nr; i++) {
		struct listed_capture *capture = &captures->list[i];

		if (is_same_boot(capture->snapshot, newest))
			captures->list[kept++] = *capture;
		else
			free(capture->path);
	}
	left->nr_other_boots = captures->nr - kept;
	captures->nr = kept;
}

static void tell_left(const struct left *left)
{
	if (left->nr_gone)
		log_warn("left out: %zu snapshot%s of the index that %s not there", left->nr_gone,
			 log__plural(left->nr_gone), left->nr_gone == 1 ? "is" : "are");
	if (left->nr_other_boots)
		log_warn("left out: %zu snapshot%s of other boots than the newest one: their clocks are not "
			 "its "
			 "clock; --folded and --speedscope take them",
			 left->nr_other_boots, log__plural(left->nr_other_boots));
}

static int list_snapshots(struct capture_list *captures, const struct capture_list_opts *opts)
{
	struct left left = {0};
	int err = 0;

	captures->is_dir = true;
	for (size_t i = 0; !err && i < snapshots__nr(&captures->snapshots); i++)
		err = add_snapshot(captures, opts->path, snapshots__at(&captures->snapshots, i), &left);
	if (err)
		return err;
	if (opts->one_clock)
		keep_boot(captures, &left);
	tell_left(&left);
	if (captures->nr)
		return 0;
	log_err("'%s' has no snapshot%s", opts->path, opts->rule ? " of such a rule" : "");
	return -ENOENT;
}

static int list_capture(struct capture_list *captures, const char *path)
{
	const struct snapshot_line *snapshot;
	int err = snapshots__read_one(&captures->snapshots, path, &snapshot);

	return err ? err : add(captures, strdup(path), snapshot);
}

int capture_list__read(struct capture_list *captures, const struct capture_list_opts *opts)
{
	int err = snapshots__read(&captures->snapshots, opts->path, opts->rule);

	if (!err)
		return list_snapshots(captures, opts);
	if (err != -ENOENT)
		return err;
	if (!opts->rule)
		return list_capture(captures, opts->path);
	log_err("'%s' is no directory of snapshots: it has no index.ndjson", opts->path);
	return err;
}

void capture_list__release(struct capture_list *captures)
{
	for (size_t i = 0; i < captures->nr; i++)
		free(captures->list[i].path);
	free(captures->list);
	snapshots__release(&captures->snapshots);
	*captures = (struct capture_list){0};
}
