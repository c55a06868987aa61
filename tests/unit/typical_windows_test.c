// SPDX-License-Identifier: GPL-2.0-only
#include "check.h"
#include "report/typical_windows.h"

/* Windows of "read" that take so many ns; behind them one of "write", and one that is not over. */
static size_t make(struct window *list, const uint64_t *durations, size_t nr)
{
	static char read[] = "read", write[] = "write";

	for (size_t i = 0; i < nr + 2; i++) {
		list[i] = (struct window){.number = i + 1,
					  .name = i == nr ? write : read,
					  .is_over = i <= nr,
					  .begin = 1000,
					  .end = 1000 + (i < nr ? durations[i] : 7)};
	}
	return nr + 2;
}

static struct typical_windows find(const struct windows *windows, const bool *chosen)
{
	struct typical_windows t;

	CHECK_EQ(typical_windows__find(&t, windows, "read", chosen), 0);
	return t;
}

static void test_middle(void)
{
	const uint64_t durations[] = {10, 12, 900, 11, 13, 14, 1, 12};
	struct window list[10];
	struct windows windows = {.list = list, .nr = make(list, durations, 8)};
	struct typical_windows t = find(&windows, NULL);

	CHECK_EQ(t.nr, 8);
	CHECK_EQ(t.median, 12);
	CHECK_EQ(t.low, 11);
	CHECK_EQ(t.high, 13);
	CHECK(typical_windows__has(&t, &list[1]));
	CHECK(typical_windows__has(&t, &list[3]));
	CHECK(!typical_windows__has(&t, &list[0]));
	CHECK(!typical_windows__has(&t, &list[2]));
	/* Of another kind, and not over. */
	CHECK(!typical_windows__has(&t, &list[8]));
	CHECK(!typical_windows__has(&t, &list[9]));
}

static void test_few(void)
{
	const uint64_t durations[] = {10, 20, 900};
	const bool chosen[] = {false, false, true, false, false}, all[] = {true, true, true, true, true};
	struct window list[5];
	struct windows windows = {.list = list, .nr = make(list, durations, 3)};
	struct typical_windows t = find(&windows, chosen);

	/* Of two the lesser one; both are typical, the one that is chosen is not. */
	CHECK_EQ(t.nr, 2);
	CHECK_EQ(t.median, 10);
	CHECK(typical_windows__has(&t, &list[0]) && typical_windows__has(&t, &list[1]));
	CHECK(!typical_windows__has(&t, &list[2]));
	CHECK_EQ(find(&windows, all).nr, 0);
	windows.nr = 0;
	CHECK_EQ(find(&windows, NULL).nr, 0);
}

int main(void)
{
	test_middle();
	test_few();
	return check__done();
}
