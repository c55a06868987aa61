// SPDX-License-Identifier: GPL-2.0-only
/* Lines for flame graphs, from branches that are written as text (branches.h), as they come and from a tree. */
#include "branches.h"
#include "check.h"
#include "export/folded.h"

static struct function_names names;

/* o's name has what the format uses itself. */
static void name_functions(void)
{
	for (function_id id = 1; id <= 'z'; id++) {
		char letter[2] = {(char)id, 0};

		CHECK_EQ(function_names__add(&names, id, id == 'o' ? "operator;new (x)" : letter, ""), 0);
	}
}

static char *write_task(struct traced_task *task, const struct call_limits *limits, struct left_out *left_out)
{
	struct exported exported = {.names = &names, .tasks = &task, .nr_tasks = 1, .limits = limits};
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	CHECK_EQ(folded__write(to, &exported), 0);
	fclose(to);
	*left_out = exported.left_out;
	return text;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines; their order is any. */
static void sort(char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	char *lines[64], *rest = copy;
	size_t nr = 0;

	while (rest && *rest && nr < ARRAY_SIZE(lines))
		lines[nr++] = strsep(&rest, "\n");
	qsort(lines, nr, sizeof(*lines), compare);
	for (size_t i = 0; i < nr; i++)
		text += sprintf(text, "%s\n", lines[i]);
}

/* Makes the paths as the branches come, or from a tree of them, and checks the lines. */
static void test_way(const char *branches, struct call_limits limits, bool from_tree, const char *want,
		     const struct left_out *want_left_out)
{
	const struct call_paths_opts opts = {.names = &names, .min_duration = limits.min_duration};
	char name[] = "my;task";
	struct traced_task task = {.name = name};
	struct left_out left_out;
	char *got;

	CHECK_EQ(task_paths__init(&task.paths, &opts), 0);
	call_tree__init(&task.tree);
	if (from_tree)
		call_stack__init(&task.stack, &call_tree_observer, &task.tree);
	else
		call_stack__init(&task.stack, &call_paths_observer, &task.paths);
	CHECK_EQ(branches__follow(&task.stack, branches), 0);
	CHECK_EQ(from_tree ? folded__count(&task.tree, &task.paths)
			   : task_paths__finish(&task.paths, &task.stack),
		 0);
	got = write_task(&task, &limits, &left_out);
	sort(got);
	CHECK_STREQ(got, want);
	CHECK_EQ(left_out.nr_short, want_left_out->nr_short);
	CHECK_EQ(left_out.nr_deep, want_left_out->nr_deep);
	free(got);
	call_tree__clear(&task.tree);
	call_stack__release(&task.stack);
	task_paths__release(&task.paths);
}

static void test(const char *branches, struct call_limits limits, const char *want, struct left_out left_out)
{
	test_way(branches, limits, false, want, &left_out);
	test_way(branches, limits, true, want, &left_out);
}

static void test_lines(void)
{
	const struct call_limits all = {0};

	test("begin - a0; @10; call a10 o0; @20; sys o4 A0; @25; sysret A8 o6; @40; ret o10 a15", all,
	     "my:task;a 9\nmy:task;a;operator:new (x) 25\nmy:task;a;operator:new (x);A_[k] 5\n",
	     (struct left_out){0});
	/* A caller that is known by a return only, and one that is still running. */
	test("begin - c30; @10; ret c40 b15; @20; call b20 d0; @30; jmp d4 e0", all,
	     "my:task;b 10\nmy:task;b;c 9\nmy:task;b;d 10\n", (struct left_out){0});
	test("begin - a0", all, "", (struct left_out){0});
}

static void test_limits(void)
{
	const char *branches =
		"begin - a0; @10; call a10 b0; @20; call b4 c0; @25; ret c8 b9; @40; ret b10 a15; "
		"@50; call a20 c0; @52; ret c8 a25; @60; call a30 d0; @70; ret d4 a35";

	test(branches, (struct call_limits){.depth = 2},
	     "my:task;a 27\nmy:task;a;b 30\nmy:task;a;c 2\nmy:task;a;d 10\n",
	     (struct left_out){.nr_deep = 1});
	test(branches, (struct call_limits){.depth = 1}, "my:task;a 69\n", (struct left_out){.nr_deep = 4});
	test(branches, (struct call_limits){.min_duration = 5, .depth = 2},
	     "my:task;a 29\nmy:task;a;b 30\nmy:task;a;d 10\n",
	     (struct left_out){.nr_short = 1, .nr_deep = 1});
	test(branches, (struct call_limits){.min_duration = 100}, "", (struct left_out){.nr_short = 5});
}

int main(void)
{
	name_functions();
	test_lines();
	test_limits();
	function_names__release(&names);
	return check__done();
}
