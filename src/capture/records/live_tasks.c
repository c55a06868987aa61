// SPDX-License-Identifier: GPL-2.0-only
#include "capture/records/live_tasks.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "capture/records/synth.h"

/* The time for looking at what strangers have mapped, ns. */
#define STRANGERS_TIME 2000000000ull

int live_tasks__set_targets(struct live_tasks *tasks, const int *targets, size_t nr)
{
	tasks->targets = calloc(nr + 1, sizeof(*targets));
	if (!tasks->targets)
		return -ENOMEM;
	if (nr)
		memcpy(tasks->targets, targets, nr * sizeof(*targets));
	tasks->nr_targets = nr;
	return 0;
}

static void tell_cut(struct live_tasks *tasks, unsigned int cut)
{
	if (!cut || tasks->told)
		return;
	tasks->told = true;
	log_warn("%u process%s, none of them a target, %s mapped more than there is room and time for: "
		 "what is left out has no names",
		 cut, cut == 1 ? "" : "es", cut == 1 ? "has" : "have");
}

/* The build ids of what is mapped are in the records. */
int live_tasks__read(struct live_tasks *tasks, struct buf *b)
{
	_cleanup_(cleanup__build_id_set) struct build_id_set *ids = NULL;
	unsigned int cut = 0;
	struct synth synth = {
		.root = tasks->root,
		.trailer = tasks->trailer,
		.out = b,
		.helper = &tasks->helper,
		.data = tasks->data,
		.namespaces = tasks->namespaces,
		.first = tasks->targets,
		.nr_first = tasks->nr_targets,
		.max_maps = tasks->max_maps,
		.until = tasks->max_maps ? clock__ns(CLOCK_MONOTONIC) + STRANGERS_TIME : 0,
		.cut = &cut,
	};
	int err = build_id_set__new(&ids);

	synth.ids = ids;
	if (!err)
		err = synth__tasks(&synth);
	tell_cut(tasks, cut);
	return err;
}

void live_tasks__release(struct live_tasks *tasks)
{
	free(tasks->targets);
	file_helper__release(&tasks->helper);
	*tasks = (struct live_tasks){0};
}
