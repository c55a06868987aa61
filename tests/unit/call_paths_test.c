// SPDX-License-Identifier: GPL-2.0-only
/*
 * The paths of calls from branches that are written as text (branches.h), and those that the tree of the same calls has.
 * G is a program of auxbpf, O one of others; T and R lead to programs. A path is "abc calls/self", - is time without trace.
 */
#include "branches.h"
#include "calls/call_paths.h"
#include "calls/call_tree.h"
#include "calls/gate_path.h"
#include "check.h"

#define MAX_PATHS 4096
#define MAX_DEPTH 128
#define NR_STEPS 60

struct sums {
	struct sum {
		char path[MAX_DEPTH];
		uint64_t calls, self;
	} list[MAX_PATHS];
	size_t nr;
	uint64_t nr_short;
};

static struct function_names names;

static void name_functions(void)
{
	for (function_id id = 1; id <= 'z'; id++) {
		char letter[2] = {(char)id, 0};
		const char *name = id == 'G'   ? "bpf_prog_0123456789abcdef_on_sys_enter"
				   : id == 'O' ? "bpf_prog_0123456789abcdef_of_others"
				   : id == 'T' ? "__traceiter_sys_enter"
				   : id == 'R' ? "bpf_trace_run2"
					       : letter;

		CHECK_EQ(function_names__add(&names, id, name, ""), 0);
	}
}

static void add(struct sums *sums, const char *path, uint64_t calls, uint64_t self)
{
	size_t i = 0;

	if (!calls && !self)
		return;
	while (i < sums->nr && strcmp(sums->list[i].path, path))
		i++;
	if (i == sums->nr) {
		if (!CHECK(i < MAX_PATHS))
			return;
		sums->list[sums->nr++] = (struct sum){0};
		snprintf(sums->list[i].path, MAX_DEPTH, "%s", path);
	}
	sums->list[i].calls += calls;
	sums->list[i].self += self;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct sum *)a)->path, ((const struct sum *)b)->path);
}

/* Writes the sums in the order of their paths. */
static void write_sums(struct sums *sums, char *to, size_t size)
{
	size_t len = 0;

	qsort(sums->list, sums->nr, sizeof(*sums->list), by_path);
	*to = '\0';
	for (size_t i = 0; i < sums->nr && len < size; i++)
		len += (size_t)snprintf(to + len, size - len, "%s%s %" PRIu64 "/%" PRIu64, len ? ", " : "",
					sums->list[i].path, sums->list[i].calls, sums->list[i].self);
}

static void sum_paths(const struct call_path *root, struct sums *sums)
{
	for (const struct call_path *p = call_path__next(root); p; p = call_path__next(p)) {
		char path[MAX_DEPTH] = "";
		size_t at = MAX_DEPTH - 1;

		for (const struct call_path *up = p; up != root; up = up->parent)
			path[--at] = up->is_gap ? '-' : (char)up->function;
		add(sums, path + at, p->calls, p->self);
	}
}

static void follow_paths(const char *branches, const struct call_paths_opts *opts, struct sums *sums)
{
	struct task_paths paths;
	struct call_stack stack;

	CHECK_EQ(task_paths__init(&paths, opts), 0);
	call_stack__init(&stack, &call_paths_observer, &paths);
	CHECK_EQ(branches__follow(&stack, branches), 0);
	CHECK_EQ(task_paths__finish(&paths, &stack), 0);
	sum_paths(&paths.root, sums);
	sums->nr_short = paths.nr_short;
	task_paths__release(&paths);
	call_stack__release(&stack);
}

static uint64_t begin_of(const struct call *call)
{
	while (call->kind == CALL_CALLER && call->first)
		call = call->first;
	return call->begin;
}

static uint64_t last_of(const struct call *call)
{
	uint64_t last = call->end;

	for (const struct call *c = call->first; c; c = c->next) {
		uint64_t inner = last_of(c);

		last = inner > last ? inner : last;
	}
	return last;
}

/* Sums up what is in a call of the tree, whose path is @path. Returns the time that is not the call's own. */
static uint64_t sum_inside(const struct call *call, const char *path, uint64_t last,
			   const struct call_paths_opts *opts, struct sums *sums)
{
	uint64_t inner = 0;

	for (const struct call *c = call->first; c; c = c->next) {
		uint64_t took = (c->is_over ? c->end : last) - begin_of(c);
		char own[MAX_DEPTH];

		snprintf(own, sizeof(own), "%s%c", path, c->mark ? '-' : (char)c->function);
		if (c->mark && took >= opts->min_duration)
			add(sums, own, 0, took);
		if (c->is_gate || (!c->mark && took < opts->min_duration)) {
			struct sums *none = calloc(1, sizeof(*none));

			if (!c->is_gate) {
				sums->nr_short++;
				sum_inside(c, "", last, opts, none);
				CHECK_EQ(none->nr, 0);
				sums->nr_short += none->nr_short;
			}
			free(none);
		} else if (!c->mark) {
			uint64_t others = sum_inside(c, own, last, opts, sums);

			add(sums, own, 1, took - others);
		}
		if (c->is_gate || took >= opts->min_duration)
			inner += took;
	}
	return inner;
}

static void follow_tree(const char *branches, const struct call_paths_opts *opts, struct sums *sums)
{
	struct call_stack stack;
	struct call_tree tree;

	call_tree__init(&tree);
	call_stack__init(&stack, &call_tree_observer, &tree);
	CHECK_EQ(branches__follow(&stack, branches), 0);
	if (!opts->with_gate)
		gate_path__mark(&tree, opts->names);
	sum_inside(&tree.root, "", last_of(&tree.root), opts, sums);
	call_tree__clear(&tree);
	call_stack__release(&stack);
}

/* Checks that paths are the same ones as those of the tree, and if @want is not NULL, that they are these. */
static void test(const char *branches, struct call_paths_opts opts, const char *want)
{
	struct sums *paths = calloc(1, sizeof(*paths)), *tree = calloc(1, sizeof(*tree));
	static char got[1 << 20], of_tree[1 << 20];

	opts.names = &names;
	follow_paths(branches, &opts, paths);
	follow_tree(branches, &opts, tree);
	write_sums(paths, got, sizeof(got));
	write_sums(tree, of_tree, sizeof(of_tree));
	if (!CHECK_STREQ(got, of_tree) || (want && !CHECK_STREQ(got, want)))
		fprintf(stderr, "branches: %s\n", branches);
	CHECK_EQ(paths->nr_short, tree->nr_short);
	free(paths);
	free(tree);
}

static void test_paths(void)
{
	const struct call_paths_opts all = {0};

	test("begin - a0; @10; call a10 b0; @20; call b4 c0; @25; ret c8 b9; @40; ret b10 a15; @100; call "
	     "a20 c0; @101; ret c8 a25",
	     all, "a 1/69, ab 1/25, abc 1/5, ac 1/1");
	/* A tail call stands in the place of the one before it. */
	test("begin - a0; @10; call a10 b0; @20; jmp b4 c0; @50; ret c8 a15", all, "a 1/9, ab 1/10, ac 1/30");
	/* The mode is a part of the path: calls of one letter in upper case are the kernel's. */
	test("begin - a0; @5; sys a10 A0; @9; sysret A4 a12; @10; call a20 b0", all, "a 1/5, aA 1/4, ab 1/0");
}

/* A call that was seen before its caller was known is put below it. */
static void test_callers(void)
{
	const struct call_paths_opts all = {0};

	test("begin - c30; @10; ret c40 b15; @20; ret b20 a15; @30; call a20 d0; @35; ret d1 a25", all,
	     "a 1/10, ab 1/10, abc 1/9, ad 1/5");
	/* Not what came before the kernel was left in between. */
	test("begin - A0; @5; endsys A4 -; @7; begin - C30; @9; ret C40 B15", all, "A 1/4, B 1/0, BC 1/2");
	/* Calls of the same function before and behind it are added. */
	test("begin - c30; @4; ret c40 b15; @5; call b20 c0; @9; ret c4 b25", all, "b 1/1, bc 2/7");
}

/* auxbpf's own work is left out, and with it the kernel's way to it; its time is that of nobody. */
static void test_gate(void)
{
	const struct call_paths_opts all = {0}, with_gate = {.with_gate = true};
	const char
		*own = "begin - A0; @4; call A4 T0; call T4 R0; call R4 G0; @9; ret G8 R9; ret R20 T9; "
		       "@20; ret T20 A9; @30; call A20 B0; @35; ret B4 A25",
		*both = "begin - A0; call A4 T0; call T4 O0; ret O8 T9; call T10 G0; ret G8 T15; ret T20 A9; "
			"@20; call A20 B0",
		*ended = "begin - A0; call A4 B0; call B4 T0; call T4 G0; @9; end G8 -";

	test(own, all, "A 1/13, AB 1/5");
	test(own, with_gate, "A 1/13, AB 1/5, AT 1/11, ATR 1/2, ATRG 1/3");
	test(both, all, "A 1/14, AB 1/0, AT 1/3, ATO 1/1");
	test(ended, all, "A 1/1, AB 1/1");
	/* The trace begins in it. */
	test("begin - G30; ret G40 R15; ret R20 T15; ret T20 A15; call A20 B0; @9; ret B4 A25", all,
	     "A 1/1, AB 1/4");
}

static void test_short(void)
{
	const char *branches =
		"begin - a0; @10; call a10 b0; @20; call b4 c0; @25; ret c8 b9; @40; ret b10 a15; "
		"@50; call a20 c0; call c4 b0; @53; ret b8 c9; @54; ret c10 a25";

	test(branches, (struct call_paths_opts){.min_duration = 5}, "a 1/23, ab 1/25, abc 1/5");
	test(branches, (struct call_paths_opts){.min_duration = 6}, "a 1/23, ab 1/30");
	test(branches, (struct call_paths_opts){.min_duration = 60}, "");
}

/* A time without trace is a path of its own. */
static void test_gap(void)
{
	struct call_paths_opts opts = {.names = &names};
	struct sums *sums = calloc(1, sizeof(*sums));
	struct task_paths paths;
	struct call_stack stack;
	char got[256];

	CHECK_EQ(task_paths__init(&paths, &opts), 0);
	call_stack__init(&stack, &call_paths_observer, &paths);
	CHECK_EQ(branches__follow(&stack, "begin - a0; @10; call a10 b0; @20; end b4 -"), 0);
	CHECK_EQ(call_stack__mark(&stack, CALL_MARK_GAP, 20, 70, NULL), 0);
	CHECK_EQ(call_stack__mark(&stack, CALL_MARK_ERROR, 70, 70, "why"), 0);
	CHECK_EQ(branches__follow(&stack, "@70; begin - b8; @75; ret b10 a15"), 0);
	CHECK_EQ(task_paths__finish(&paths, &stack), 0);
	sum_paths(&paths.root, sums);
	write_sums(sums, got, sizeof(got));
	CHECK_STREQ(got, "a 1/9, ab 1/15, ab- 0/50");
	free(sums);
	task_paths__release(&paths);
	call_stack__release(&stack);
}

static uint64_t random_state = 1;

static unsigned int below(unsigned int limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)((random_state >> 33) % limit);
}

/* Writes branches as they may come, most of them calls and the returns from these. */
static void make_branches(char *to, size_t size)
{
	static const char letters[] = "abcABTRGO_";
	size_t len = (size_t)snprintf(to, size, "begin - a50"), depth = 0;
	char callers[NR_STEPS], at = 'a';

	for (unsigned int i = 0; i < NR_STEPS; i++) {
		char next = letters[below(sizeof(letters) - 1)];
		unsigned int what = below(20);

		if (!below(3))
			len += (size_t)snprintf(to + len, size - len, "; @%u", i * 10 + below(9) + 5);
		if (what < 9) {
			len += (size_t)snprintf(to + len, size - len, "; call %c10 %c0", at, next);
			callers[depth++] = at;
			at = next;
		} else if (what < 16) {
			next = depth ? callers[--depth] : next;
			len += (size_t)snprintf(to + len, size - len, "; ret %c40 %c15", at, next);
			at = next;
		} else if (what < 18) {
			len += (size_t)snprintf(to + len, size - len, "; jmp %c20 %c0", at, next);
			at = next;
		} else {
			len += (size_t)snprintf(to + len, size - len, "; end %c24 -; begin - %c28", at, next);
			at = next;
		}
	}
}

static void test_random(void)
{
	char branches[NR_STEPS * 48];

	for (unsigned int i = 0; i < 1000; i++) {
		make_branches(branches, sizeof(branches));
		test(branches,
		     (struct call_paths_opts){.min_duration = below(2) * below(40), .with_gate = !below(4)},
		     NULL);
	}
}

int main(void)
{
	name_functions();
	test_paths();
	test_callers();
	test_gate();
	test_short();
	test_gap();
	test_random();
	function_names__release(&names);
	return check__done();
}
