/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A task whose calls are made of branches that are written as text (branches.h), for tests of what writes them. Its functions are
 * named by their letters, but for o, whose name has what formats use themselves.
 */
#ifndef AUXBPF_TESTS_EXPORT_SYNTH_H
#define AUXBPF_TESTS_EXPORT_SYNTH_H

#include "branches.h"
#include "check.h"
#include "export/exported.h"

#define EXPORT_SYNTH_ODD_NAME "operator\"new\\ (\xff)"

struct export_synth {
	struct function_names names;
	struct traced_task task;
	struct call_limits limits;
	const struct window *windows[8];
	size_t nr_windows;
	const struct snapshot_line *snapshots[4];
	size_t nr_snapshots;
	const struct task_switch *switches;
	size_t nr_switches;
	bool is_sampled;
	struct left_out left_out;
};

/*
 * Makes the task of the branches @before. If @behind is not NULL there are a gap from 20 to 70, an error, and these branches behind
 * them.
 */
static inline void export_synth__make(struct export_synth *s, const char *before, const char *behind)
{
	*s = (struct export_synth){.task = {.pid = 7, .tid = 8, .name = strdup("a \"task\"")}};
	for (function_id id = 1; id <= 'z'; id++) {
		char letter[2] = {(char)id, 0};

		CHECK_EQ(function_names__add(&s->names, id, id == 'o' ? EXPORT_SYNTH_ODD_NAME : letter,
					     id < 'a' ? "[kernel]" : "prog"),
			 0);
	}
	call_tree__init(&s->task.tree);
	call_stack__init(&s->task.stack, &call_tree_observer, &s->task.tree);
	s->task.tree.cpu = 3;
	CHECK_EQ(branches__follow(&s->task.stack, before), 0);
	if (!behind)
		return;
	CHECK_EQ(call_stack__mark(&s->task.stack, CALL_MARK_GAP, 20, 70, NULL), 0);
	CHECK_EQ(call_stack__mark(&s->task.stack, CALL_MARK_ERROR, 70, 70, "why"), 0);
	CHECK_EQ(branches__follow(&s->task.stack, behind), 0);
}

/* Adds a sample, whose path is written as the functions' letters, the first caller first; capital letters are the kernel's. */
static inline void export_synth__sample(struct export_synth *s, uint64_t time, int32_t cpu, const char *path)
{
	struct sample sample = {.event = 'e'};
	struct task_sample kept = {.time = time, .cpu = cpu};
	struct sample_frame frames[16];

	for (size_t i = strlen(path); i-- > 0;)
		frames[sample.nr++] = (struct sample_frame){(function_id)path[i], path[i] < 'a'};
	kept.path = sample_paths__add(&s->task.samples, &s->names, &sample, frames);
	CHECK(kept.path);
	buf__add(&s->task.sample_list, &kept, sizeof(kept));
}

/* Writes it, as @nr tasks; the caller frees the bytes, and a NUL is behind them. */
static inline char *export_synth__write(struct export_synth *s, size_t nr,
					int (*write)(FILE *to, struct exported *exported), size_t *len)
{
	struct traced_task *tasks[] = {&s->task, &s->task};
	struct exported exported = {.capture = "cap\"ture",
				    .names = &s->names,
				    .tasks = tasks,
				    .nr_tasks = nr,
				    .windows = s->windows,
				    .nr_windows = s->nr_windows,
				    .snapshots = s->snapshots,
				    .nr_snapshots = s->nr_snapshots,
				    .switches = s->switches,
				    .nr_switches = s->nr_switches,
				    .is_sampled = s->is_sampled,
				    .limits = &s->limits};
	char *bytes = NULL;
	FILE *to = open_memstream(&bytes, len);

	CHECK(nr <= ARRAY_SIZE(tasks));
	CHECK_EQ(write(to, &exported), 0);
	fclose(to);
	s->left_out = exported.left_out;
	return bytes;
}

static inline void export_synth__release(struct export_synth *s)
{
	call_tree__clear(&s->task.tree);
	call_path__release(&s->task.samples);
	buf__release(&s->task.sample_list);
	call_stack__release(&s->task.stack);
	free(s->task.name);
	function_names__release(&s->names);
}

#endif
