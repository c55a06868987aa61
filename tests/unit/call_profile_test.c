// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "calls/call_profile.h"
#include "check.h"
#include "tree_text.h"

struct run {
	struct call_names names;
	struct path_table paths;
	struct call_profile profile;
};

static void fold_time(struct run *run, const char *text, uint64_t more, uint64_t off)
{
	struct tree_text t;

	*run = (struct run){0};
	tree_text__make(&t, &run->names, text);
	t.window.begin -= more;
	t.window.off = off;
	CHECK_EQ(call_profile__fold(&run->profile, &run->paths, &t.window), 0);
	tree_text__release(&t);
}

static void fold(struct run *run, const char *text)
{
	fold_time(run, text, 0, 0);
}

static void check(const struct run *run, const char *way, uint64_t calls, uint64_t total, uint64_t self)
{
	struct path_values v =
		call_profile__get(&run->profile, tree_text__path(&run->paths, &run->names, way));

	if (!CHECK(v.calls == calls && v.total == total && v.self == self))
		fprintf(stderr, "%s: %llu calls, %llu, %llu ns\n", way, (unsigned long long)v.calls,
			(unsigned long long)v.total, (unsigned long long)v.self);
}

static void release(struct run *run)
{
	call_profile__release(&run->profile);
	path_table__release(&run->paths);
	call_names__release(&run->names);
}

static void test_merge(void)
{
	struct run run;

	fold(&run, "a10(b5(c2) d3 b7(c1 e4)) d1");
	check(&run, "a", 1, 32, 10);
	check(&run, "ab", 2, 19, 12);
	check(&run, "abc", 2, 3, 3);
	check(&run, "abe", 1, 4, 4);
	check(&run, "ad", 1, 3, 3);
	/* Another path to a function of the same name. */
	check(&run, "d", 1, 1, 1);
	check(&run, "", 1, 33, 0);
	release(&run);
}

/* The kernel's function of a name is another one than the program's, and a function that calls itself has several paths. */
static void test_paths(void)
{
	struct run run;
	call_step *steps;
	size_t nr;

	fold(&run, "a1(a2(a4 B8))");
	check(&run, "a", 1, 15, 1);
	check(&run, "aa", 1, 14, 2);
	check(&run, "aaa", 1, 4, 4);
	steps = path_table__steps(&run.paths, tree_text__path(&run.paths, &run.names, "aaB"), &nr);
	CHECK_EQ(nr, 3);
	CHECK_STREQ(call_names__get(&run.names, steps[0]), "a");
	CHECK_STREQ(call_names__get(&run.names, steps[2]), "B");
	CHECK(steps[0] != steps[2]);
	free(steps);
	release(&run);
}

/* auxbpf's own calls are in no time but the window's. */
static void test_gate(void)
{
	struct run run;

	fold(&run, "A10(B5 G!100(C20) B5)");
	check(&run, "A", 1, 20, 10);
	CHECK_EQ(tree_text__path(&run.paths, &run.names, "AG"), 0);
	check(&run, "", 1, 20, 0);
	release(&run);
}

static void test_untraced(void)
{
	struct run run;

	/* The time off the CPU is a step below the call; it is in the total of the window alone. */
	fold_time(&run, "A10(B5(-1000))", 0, 900);
	check(&run, "AB", 1, 5, 5);
	check(&run, "AB-", 1, 1000, 1000);
	check(&run, "A", 1, 15, 10);
	check(&run, "", 1, 1015, 0);
	CHECK_STREQ(call_names__get(&run.names, CALL_STEP_OFF), "(off the CPU)");
	CHECK_EQ(path_table__list(&run.paths)[tree_text__path(&run.paths, &run.names, "AB-")].step,
		 CALL_STEP_OFF);
	release(&run);
	/* On Arm the call that closed the gate seems to take that time. */
	fold_time(&run, "A10(B5(G!1000 -3) G!1000)", 0, 900);
	check(&run, "AB", 1, 5, 5);
	check(&run, "AB-", 1, 900, 900);
	check(&run, "", 1, 915, 0);
	release(&run);
	/* In user mode it may have been in the kernel. */
	fold_time(&run, "a10(b5(-1000))", 0, 0);
	CHECK_EQ(path_table__list(&run.paths)[tree_text__path(&run.paths, &run.names, "ab-")].step,
		 CALL_STEP_UNTRACED);
	release(&run);
	/* The trace does not show where the task was off the CPU. */
	fold_time(&run, "A10", 500, 300);
	check(&run, "A", 1, 10, 10);
	check(&run, "-", 1, 300, 300);
	check(&run, "", 1, 510, 200);
	release(&run);
	/* It cannot have been off the CPU for longer than there was time. */
	fold_time(&run, "A10", 500, 9000);
	check(&run, "-", 1, 500, 500);
	check(&run, "", 1, 510, 0);
	release(&run);
}

/* Calls that were running, or are not over, have the time of the window that they were in. */
static void test_ends(void)
{
	struct run run;
	struct tree_text t;

	run = (struct run){0};
	tree_text__make(&t, &run.names, "A10(B5) A3");
	t.window.begin += 4;
	t.window.end -= 1;
	CHECK_EQ(call_profile__fold(&run.profile, &run.paths, &t.window), 0);
	check(&run, "A", 2, 13, 8);
	check(&run, "", 1, 13, 0);
	tree_text__release(&t);
	release(&run);
	/* The function that was running is seen only at its return. */
	run = (struct run){0};
	tree_text__make(&t, &run.names, "A(");
	CHECK_EQ(t.tree.nr, 1);
	t.window.end = 1500;
	CHECK_EQ(call_profile__fold(&run.profile, &run.paths, &t.window), 0);
	check(&run, "A", 1, 500, 500);
	tree_text__release(&t);
	release(&run);
}

/* A caller that is known by a return into it has begun before what it had called; a time may go back. */
static void test_begins(void)
{
	struct run run = {0};
	struct tree_text t;

	fold(&run, "B5 ^A3");
	check(&run, "A", 1, 8, 3);
	check(&run, "AB", 1, 5, 5);
	release(&run);
	fold(&run, "?A10(B5)");
	check(&run, "A", 1, 15, 10);
	release(&run);
	run = (struct run){0};
	tree_text__make(&t, &run.names, "C10 A10");
	t.tree.root.last->end -= 15;
	CHECK_EQ(call_profile__fold(&run.profile, &run.paths, &t.window), 0);
	check(&run, "A", 1, 0, 0);
	check(&run, "", 1, 20, 10);
	tree_text__release(&t);
	release(&run);
}

/* What ran at another time is not the window's, but for what the trace's times may be off. */
static void test_outside(void)
{
	struct run run = {0};
	struct tree_text t;

	tree_text__make(&t, &run.names, "A10 C10 -9000 B10 D10 -9000 E10");
	t.window.begin += 10 + 10 + 9000;
	t.window.end = t.window.begin + 10;
	CHECK_EQ(call_profile__fold(&run.profile, &run.paths, &t.window), 0);
	CHECK_EQ(tree_text__path(&run.paths, &run.names, "A"), 0);
	CHECK_EQ(tree_text__path(&run.paths, &run.names, "E"), 0);
	check(&run, "B", 1, 10, 10);
	check(&run, "D", 1, 0, 0);
	check(&run, "", 1, 10, 0);
	tree_text__release(&t);
	release(&run);
}

/* A window without calls, and more paths than the first hash has room for. */
static void test_sizes(void)
{
	struct run run;
	path_id path = 0, again;

	fold(&run, "");
	check(&run, "", 1, 0, 0);
	for (call_step step = 2; step < 5000; step++)
		CHECK_EQ(path_table__get(&run.paths, path / 2, step, &path), 0);
	CHECK_EQ(path_table__nr(&run.paths), 4999);
	for (path_id id = 1; id < 4999; id++) {
		const struct numbered_path *p = &path_table__list(&run.paths)[id];

		CHECK_EQ(path_table__get(&run.paths, p->parent, p->step, &again), 0);
		CHECK_EQ(again, id);
	}
	release(&run);
}

static void test_names(void)
{
	struct call_names names = {0};
	struct call_numbers one, other;
	struct call call = {.function = 1, .is_kernel = true}, same = {.function = 2, .is_kernel = true};

	CHECK_EQ(call_numbers__init(&one, &names), 0);
	CHECK_EQ(call_numbers__init(&other, &names), 0);
	CHECK_STREQ(call_names__get(&names, call_numbers__step(&one, &call)), "[unknown]");
	/* Captures number their functions as they are seen. */
	CHECK_EQ(call_numbers__add(&one, 1, "vfs_read"), 0);
	CHECK_EQ(call_numbers__add(&other, 1, "x"), 0);
	CHECK_EQ(call_numbers__add(&other, 2, "vfs_read"), 0);
	CHECK_EQ(call_numbers__add(&other, 9, "late"), -EBADMSG);
	CHECK_EQ(call_numbers__step(&one, &call), call_numbers__step(&other, &same));
	CHECK_STREQ(call_names__get(&names, call_numbers__step(&one, &call)), "vfs_read");
	call.function = 99;
	CHECK_STREQ(call_names__get(&names, call_numbers__step(&one, &call)), "[unknown]");
	call_numbers__release(&one);
	call_numbers__release(&other);
	call_names__release(&names);
}

int main(void)
{
	test_merge();
	test_paths();
	test_gate();
	test_untraced();
	test_ends();
	test_begins();
	test_outside();
	test_sizes();
	test_names();
	return check__done();
}
