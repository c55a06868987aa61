// SPDX-License-Identifier: GPL-2.0-only
#include "capture/records/cgroup_records.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/path.h"
#include "base/thread.h"
#include "containers/cgroup_tree.h"
#include "perfdata/record.h"
#include "sideband/cgroup_list.h"

struct cgroup_records {
	struct cgroup_tree *tree;
	size_t trailer;
	pthread_mutex_t lock; /* protects the list: one thread follows, another one writes a file */
	struct cgroup_list list;
};

/* Checks that perf_event is in the hierarchy of version 2, whose number is 0 (cgroups(7)). */
static int check_hierarchy(const char *root)
{
	char text[4096], *line;
	unsigned int hierarchy;

	if (path__read(root, text, sizeof(text), "/proc/cgroups") < 0)
		return 0;
	line = strstr(text, "\nperf_event");
	if (!line || sscanf(line, " perf_event %u", &hierarchy) != 1 || !hierarchy)
		return 0;
	log_err("--all-cgroups: the controller perf_event is in a hierarchy of cgroup v1 here, and only v2 "
		"is followed; boot with systemd.unified_cgroup_hierarchy=1");
	return -ENOTSUP;
}

static int note(void *ctx, const char *path, uint64_t id)
{
	struct cgroup_records *cgroups = ctx;

	if (path)
		cgroup_list__add(&cgroups->list, id, path, cgroups->trailer);
	return buf__error(&cgroups->list.records);
}

int cgroup_records__new(const char *root, size_t trailer, struct cgroup_records **ret)
{
	_cleanup_(cleanup__cgroup_records) struct cgroup_records *cgroups = calloc(1, sizeof(*cgroups));
	int err;

	if (!cgroups)
		return -ENOMEM;
	cgroups->trailer = trailer;
	thread__init_lock(&cgroups->lock);
	err = check_hierarchy(root);
	if (!err)
		err = cgroup_tree__open(root, &cgroups->tree);
	if (err)
		return err;
	err = cgroup_tree__walk(cgroups->tree, "/", note, cgroups);
	if (err) {
		log_err("--all-cgroups: cannot read the cgroups: %s", strerror(-err));
		return err;
	}
	cgroups->list.kept = cgroups->list.nr;
	*ret = steal_ptr(cgroups);
	return 0;
}

void cgroup_records__free(struct cgroup_records *cgroups)
{
	if (!cgroups)
		return;
	cgroup_tree__free(cgroups->tree);
	cgroup_list__release(&cgroups->list);
	pthread_mutex_destroy(&cgroups->lock);
	free(cgroups);
}

static int drop_gone(struct cgroup_records *cgroups)
{
	_cleanup_cgroup_set_ struct cgroup_set living = {0};
	int err = cgroup_tree__add_subtree(cgroups->tree, "/", &living);

	if (err) /* it is tried again later */
		return err == -ENOMEM ? err : 0;
	pthread_mutex_lock(&cgroups->lock);
	cgroup_list__keep(&cgroups->list, living.ids, living.nr);
	pthread_mutex_unlock(&cgroups->lock);
	return 0;
}

int cgroup_records__follow(struct cgroup_records *cgroups, struct span records)
{
	const struct perf_event_header *record;
	const char *path;
	size_t pos = 0;
	uint64_t id;

	pthread_mutex_lock(&cgroups->lock);
	while ((record = record__next(records, &pos))) {
		path = record__cgroup(record, &id);
		if (path)
			cgroup_list__add(&cgroups->list, id, path, cgroups->trailer);
	}
	pthread_mutex_unlock(&cgroups->lock);
	if (buf__error(&cgroups->list.records))
		return buf__error(&cgroups->list.records);
	return cgroup_list__is_due(&cgroups->list) ? drop_gone(cgroups) : 0;
}

void cgroup_records__add(struct cgroup_records *cgroups, struct buf *b)
{
	pthread_mutex_lock(&cgroups->lock);
	buf__add_buf(b, &cgroups->list.records);
	pthread_mutex_unlock(&cgroups->lock);
}
