// SPDX-License-Identifier: GPL-2.0-only
/* Which calls are handed over with which window. */
#include "branches.h"
#include "calls/function_names.h"
#include "check.h"
#include "report/traced_tasks.h"

#define TID 7

/* What was handed over: of each tree the numbers of its windows, and the first letter of each of its runs. */
struct taken {
	char text[256];
};

static int take(void *ctx, struct traced_task *task, const struct window_begin *windows, size_t nr)
{
	struct taken *taken = ctx;
	char *at = taken->text + strlen(taken->text);

	CHECK_EQ(task->tid, TID);
	for (size_t i = 0; i < nr; i++)
		at += sprintf(at, "%zu", windows[i].number);
	*at++ = ':';
	for (const struct call *c = task->tree.root.first; c; c = c->next)
		*at++ = (char)c->function;
	sprintf(at, " ");
	return 0;
}

/* Traces the function named so from @begin to @end, ns. */
static void trace(struct traced_tasks *tasks, char function, uint64_t begin, uint64_t end)
{
	struct branch b = {.tid = TID, .pid = TID, .to_function = (function_id)function, .to_offset = 4};

	b.time = begin;
	b.flags = BRANCH_BEGIN;
	b.to = branches__address(function, 4);
	CHECK_EQ(traced_tasks__branch(tasks, &b), 0);
	b.time = end;
	b.flags = BRANCH_END;
	b.from = b.to;
	b.from_function = b.to_function;
	b.to = 0;
	CHECK_EQ(traced_tasks__branch(tasks, &b), 0);
}

static struct traced_tasks begin(const struct function_names *names, struct taken *taken,
				 const struct window_begin *begins, size_t nr)
{
	*taken = (struct taken){0};
	return (struct traced_tasks){
		.names = names, .begins = begins, .nr_begins = nr, .take_window = take, .ctx = taken};
}

static void check(struct traced_tasks *tasks, const struct taken *taken, const char *want)
{
	CHECK_EQ(traced_tasks__finish(tasks), 0);
	CHECK_STREQ(taken->text, want);
	traced_tasks__release(tasks);
}

/* The calls of a capture do not go on in the next one, which may have older trace of the task, and other windows. */
static void test_captures(void)
{
	static const struct window_begin first[] = {{.tid = TID, .time = 100, .end = 200, .number = 1}};
	struct function_names names = {0};
	struct traced_tasks tasks = {.names = &names};
	struct buf list = {0};
	struct traced_task *task;
	const struct call *call;

	traced_tasks__begin_capture(&tasks, first, 1);
	trace(&tasks, 'B', 110000, 190000);
	task = id_hash__find(&tasks.hash, TID);
	CHECK_EQ(task->next, 1);
	CHECK_EQ(traced_tasks__end_capture(&tasks), 0);
	traced_tasks__begin_capture(&tasks, NULL, 0);
	CHECK_EQ(task->next, 0);
	trace(&tasks, 'A', 10000, 20000);
	CHECK_EQ(traced_tasks__end_capture(&tasks), 0);
	CHECK_EQ(traced_tasks__take(&tasks, &list), 0);
	CHECK_EQ(tasks.hash.nr, 0);
	if (CHECK_EQ(list.len, sizeof(task)))
		CHECK(*(struct traced_task **)(void *)list.data == task);
	CHECK_EQ(call_tree__sort(&task->tree), 0);
	call = task->tree.root.first;
	CHECK_EQ(call->function, 'A');
	CHECK_EQ(call->end, 20000);
	call = call->next;
	CHECK_EQ(call->function, 'B');
	CHECK_EQ(call->begin, 110000);
	CHECK(call->is_over && call->how == CALL_LEFT && !call->first && !call->next);
	CHECK_EQ(call->end, 190000);
	CHECK(task->tree.root.last == call);
	traced_task__free(task);
	buf__release(&list);
	traced_tasks__release(&tasks);
}

/* Samples are kept one by one if that is asked for, and come in the order of time, whichever capture told of them. */
static void test_samples(void)
{
	const struct sample_frame frame = {.function = 'b'};
	struct sample sample = {.tid = TID, .pid = TID, .event = 'e', .nr = 1};
	struct function_names names = {0};
	struct traced_tasks tasks = {.names = &names};
	const struct task_sample *list;
	struct traced_task *task;
	size_t nr;

	CHECK_EQ(traced_tasks__sample(&tasks, &sample, &frame), 0);
	task = id_hash__find(&tasks.hash, TID);
	(void)traced_task__samples(task, &nr);
	CHECK_EQ(nr, 0);
	tasks.keeps_samples = true;
	for (uint64_t time = 9; time; time--) {
		sample.time = time;
		sample.cpu = (int32_t)time;
		CHECK_EQ(traced_tasks__sample(&tasks, &sample, &frame), 0);
	}
	CHECK_EQ(task->samples.calls, 10);
	traced_task__keep_samples(task, 3, 5);
	list = traced_task__samples(task, &nr);
	if (CHECK_EQ(nr, 3)) {
		CHECK_EQ(list[0].time, 3);
		CHECK_EQ(list[2].cpu, 5);
		CHECK(list[0].path == list[1].path && list[0].path->self == 10);
	}
	traced_tasks__release(&tasks);
}

int main(void)
{
	/* The third one is inside of the second. */
	static const struct window_begin begins[] = {
		{.tid = TID, .time = 100000, .end = 200000, .number = 1},
		{.tid = TID, .time = 300000, .end = 400000, .number = 2},
		{.tid = TID, .time = 320000, .end = 360000, .number = 3},
		{.tid = TID, .time = 500000, .end = UINT64_MAX, .number = 4},
		{.tid = TID + 1, .time = 0, .end = UINT64_MAX, .number = 5},
	};
	struct function_names names = {0};
	struct traced_tasks tasks;
	struct taken taken;

	/* What ran before the first window is in none. */
	tasks = begin(&names, &taken, begins, ARRAY_SIZE(begins));
	trace(&tasks, 'A', 10000, 20000);
	trace(&tasks, 'B', 110000, 190000);
	trace(&tasks, 'C', 310000, 390000);
	trace(&tasks, 'D', 510000, 590000);
	check(&tasks, &taken, "1:B 23:C 4:D ");
	/* The trace of a window goes on behind a time without trace, also within the one that is inside of it. */
	tasks = begin(&names, &taken, begins, ARRAY_SIZE(begins));
	trace(&tasks, 'B', 110000, 120000);
	trace(&tasks, 'B', 150000, 190000);
	trace(&tasks, 'C', 305000, 310000);
	trace(&tasks, 'C', 340000, 390000);
	check(&tasks, &taken, "1:B 23:C ");
	/* Nothing was traced of the second one. */
	tasks = begin(&names, &taken, begins, ARRAY_SIZE(begins));
	trace(&tasks, 'B', 110000, 120000);
	trace(&tasks, 'D', 510000, 590000);
	check(&tasks, &taken, "123:B 4:D ");
	test_captures();
	test_samples();
	return check__done();
}
