// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where time off the CPU is in the calls of a task. Trees are made of text (tree_text.h) and begin at 1000 ns; times off the CPU
 * are written as begin-end, in ns behind that, and the CPUs are 0 and 1 in turn. In what comes out they are [begin-end].
 */
#include "calls/off_cpu.h"
#include "tree_text.h"

#define BASE 1000

static void write_calls(const struct call *first, char **at)
{
	for (const struct call *c = first; c; c = c->next) {
		if (c != first)
			*(*at)++ = ' ';
		if (c->mark == CALL_MARK_OFF)
			*at += sprintf(*at, "[%u-%u]", (unsigned int)(c->begin - BASE),
				       (unsigned int)(c->end - BASE));
		else
			*(*at)++ = c->mark ? '-' : (char)c->function;
		if (!c->first)
			continue;
		*(*at)++ = '(';
		write_calls(c->first, at);
		*(*at)++ = ')';
	}
	**at = '\0';
}

static void add_switch(struct off_times *times, uint64_t time, int32_t cpu, bool is_out)
{
	const struct task_switch s = {.time = BASE + time, .tid = 7, .cpu = cpu, .is_out = is_out};

	CHECK_EQ(off_times__switch(times, &s), 0);
}

static void add_times(struct off_times *times, const char *text)
{
	unsigned int begin, end;
	int32_t cpu = 0;

	for (int len; sscanf(text, " %u-%u%n", &begin, &end, &len) == 2; text += len) {
		add_switch(times, begin, cpu, true);
		cpu = !cpu;
		add_switch(times, end, cpu, false);
	}
}

static void test_with(const char *calls, const char *off, bool with_gate, const char *want)
{
	struct call_names names = {0};
	struct off_times times = {0};
	struct tree_text t;
	char got[256] = "", *at = got;

	tree_text__make(&t, &names, calls);
	add_times(&times, off);
	CHECK_EQ(off_times__mark(&times, &t.tree, with_gate), 0);
	write_calls(t.tree.root.first, &at);
	if (!CHECK_STREQ(got, want))
		fprintf(stderr, "calls: %s, off the CPU: %s\n", calls, off);
	off_times__release(&times);
	tree_text__release(&t);
	call_names__release(&names);
}

static void test(const char *calls, const char *off, const char *want)
{
	test_with(calls, off, false, want);
}

static void test_places(void)
{
	/* In a time without trace, which is longer: its mark stays. */
	test("A(B -100 C)", "10-90", "A(B - [10-90] C)");
	test("A(B -100 C)", "10-30 40-90", "A(B - [10-30] [40-90] C)");
	/* The trace goes on: B has called the switch S, and runs again 100 ns later. */
	test("A(B(S100) C)", "12-90", "A(B(S([12-90])) C)");
	test("A(B100(S1) C)", "12-90", "A(B([12-90] S) C)");
	/* The kernel does some more behind the record of a switch, and some before that of the next one. */
	test("A(B(D1 S98 D1) C)", "1-100", "A(B(D S([1-100]) D) C)");
	/* The first thing in a call. */
	test("A50(B)", "10-40", "A([10-40] B)");
	/* Two, at two places. */
	test("A(B50 C50)", "10-40 60-90", "A(B([10-40]) C([60-90]))");
}

static void test_outside(void)
{
	/* No call is known to go on meanwhile: before the first one, between two, and behind the last one. */
	test("A1 -100 B1", "10-90", "A - B");
	test("A1 B1", "100-200", "A B");
	test("", "100-200", "");
	/* The callers of what ran first are known later; time off the CPU between their parts was inside of them. */
	test("?B50 ^A", "10-40", "A(B([10-40]))");
	/* It was in auxbpf's own work, which is not shown, or is. */
	test("A(X!(Y!100) B)", "10-90", "A(X(Y) [10-90] B)");
	test_with("A(X!(Y!100) B)", "10-90", true, "A(X(Y([10-90])) B)");
}

static void check_list(struct off_times *times, size_t nr, uint64_t begin, uint64_t end)
{
	CHECK_EQ(times->nr, nr);
	CHECK_EQ(times->list[0].begin, BASE + begin);
	CHECK_EQ(times->list[0].end, BASE + end);
	CHECK_EQ(times->list[0].cpu, 2);
	CHECK_EQ(times->list[0].end_cpu, 3);
	off_times__release(times);
}

static void test_switches(void)
{
	struct off_times times = {0};

	/* It came before the first record. */
	add_switch(&times, 5, 2, false);
	add_switch(&times, 10, 2, true);
	add_switch(&times, 20, 3, false);
	add_switch(&times, 30, 3, true);
	check_list(&times, 1, 10, 20);
	/* A record was lost in between: when it was off the CPU is not known before the next ones. */
	add_switch(&times, 1, 2, true);
	add_switch(&times, 10, 2, true);
	add_switch(&times, 20, 3, false);
	add_switch(&times, 25, 3, false);
	check_list(&times, 1, 10, 20);
}

int main(void)
{
	test_places();
	test_outside();
	test_switches();
	return check__done();
}
