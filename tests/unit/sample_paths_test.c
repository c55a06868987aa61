// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples by path, written as the functions' letters from the outermost: "abA" is one in the kernel's A, called by b, which a
 * program's a has called. Capital letters are the kernel's.
 */
#include <inttypes.h>

#include "calls/sample_paths.h"
#include "check.h"

static struct function_names names;

static void make_names(void)
{
	for (function_id id = 1; id <= 'z'; id++) {
		char letter[2] = {(char)id, 0};

		CHECK_EQ(function_names__add(&names, id, letter, "prog"), 0);
	}
}

static void add(struct call_path *root, char event, const char *path)
{
	struct sample sample = {.event = (function_id)event};
	struct sample_frame frames[16];

	for (size_t i = strlen(path); i-- > 0;)
		frames[sample.nr++] = (struct sample_frame){(function_id)path[i], path[i] < 'a'};
	CHECK(sample_paths__add(root, &names, &sample, frames));
}

/* Writes each path below @root, in their order: a dot for each caller, the name, the samples in it and below it, and in itself. */
static void test(const struct call_path *root, const char *want)
{
	char got[512] = "", *to = got;

	for (const struct call_path *path = root->first; path; path = call_path__next(path)) {
		for (const struct call_path *at = path->parent; at != root; at = at->parent)
			to += sprintf(to, ".");
		to += sprintf(to, "%s%s%" PRIu64 "/%" PRIu64 " ",
			      function_names__get(&names, path->function)->name, path->is_kernel ? "!" : "",
			      path->calls, path->self);
	}
	CHECK_STREQ(got, want);
}

static void test_paths(void)
{
	struct call_path root = {0};

	add(&root, 'e', "ab");
	add(&root, 'e', "abA");
	add(&root, 'e', "ac");
	add(&root, 'e', "ac");
	add(&root, 'e', "ac");
	add(&root, 'e', "d");
	add(&root, 'e', "");
	CHECK_EQ(sample_paths__sort(&root, &names), 0);
	CHECK_EQ(root.calls, 7);
	test(&root, "e7/1 .a5/0 ..c3/3 ..b2/1 ...A!1/1 .d1/1 ");
	call_path__release(&root);
	CHECK(!root.first);
}

/* A function that calls itself is below itself; the kernel's is another one than the program's of that name. */
static void test_events(void)
{
	struct call_path root = {0};
	const struct sample sample = {.event = 'E', .nr = 1};
	const struct sample_frame kernel = {'a', 1};

	add(&root, 'E', "aa");
	CHECK(sample_paths__add(&root, &names, &sample, &kernel));
	add(&root, 'e', "a");
	CHECK_EQ(sample_paths__sort(&root, &names), 0);
	CHECK_EQ(root.first->calls, 2);
	CHECK_EQ(root.first->function, 'E');
	test(&root, "E2/0 .a1/0 ..a1/1 .a!1/1 e1/0 .a1/1 ");
	call_path__release(&root);
}

int main(void)
{
	make_names();
	test_paths();
	test_events();
	function_names__release(&names);
	return check__done();
}
