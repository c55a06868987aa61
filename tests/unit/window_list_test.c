// SPDX-License-Identifier: GPL-2.0-only
/* Which windows a capture tells of, how many are missing, and their order. */
#include "check.h"
#include "capture/window_list.h"

static const struct auxbpf_window ended[] = {
	{.number = 5, .begin = 10, .end = 20},
	{.number = 6, .begin = 30, .end = 40},
	{.number = 7, .begin = 50, .end = 60},
	{.number = 8, .begin = 70, .end = 80},
};

/* The numbers of those that are kept, as digits. */
static long keep(const struct window_span *range, uint64_t told)
{
	struct auxbpf_window windows[ARRAY_SIZE(ended)];
	size_t nr;
	long digits = 0;

	memcpy(windows, ended, sizeof(ended));
	nr = window_list__keep(windows, ARRAY_SIZE(ended), range, told);
	for (size_t i = 0; i < nr; i++)
		digits = digits * 10 + (long)windows[i].number;
	return digits;
}

static void test_keep(void)
{
	CHECK_EQ(keep(NULL, 8), 5678);
	CHECK_EQ(keep(&(struct window_span){.end = UINT64_MAX}, 8), 5678);
	/* An earlier capture tells of the first six, and the trace begins in the second. */
	CHECK_EQ(keep(&(struct window_span){.begin = 35, .end = 65}, 6), 67);
	CHECK_EQ(keep(&(struct window_span){.begin = 61, .end = 100}, 6), 78);
	CHECK_EQ(keep(&(struct window_span){.begin = 61, .new_from = 61, .end = 100}, 6), 8);
	CHECK_EQ(keep(&(struct window_span){.begin = 60, .new_from = 60, .end = 70}, 6), 78);
	CHECK_EQ(keep(&(struct window_span){.begin = 60, .new_from = 60, .end = 69}, 8), 7);
	CHECK_EQ(keep(&(struct window_span){.begin = 81, .end = 9}, 0), 0);
}

static void test_keep_open(void)
{
	const struct window_span range = {.begin = 50, .new_from = 50, .end = 60};
	struct auxbpf_window windows[] = {
		{.begin = 10, .cut = AUXBPF_CUT_OPEN},
		{.begin = 61, .cut = AUXBPF_CUT_OPEN},
	};

	CHECK_EQ(window_list__keep(windows, 2, &range, 0), 1);
	CHECK_EQ(windows[0].begin, 10);
}

static void test_missing(void)
{
	const struct window_span range = {.begin = 15, .new_from = 15, .end = 100};
	const struct window_span later = {.begin = 21, .new_from = 21, .end = 100};

	CHECK_EQ(window_list__missing(NULL, 3, 8, 4, ended), 4);
	CHECK_EQ(window_list__missing(NULL, 3, 8, 8, ended), 0);
	CHECK_EQ(window_list__missing(NULL, 0, 8, 0, NULL), 8);
	CHECK_EQ(window_list__missing(&range, 3, 8, 4, ended), 1);
	CHECK_EQ(window_list__missing(&range, 4, 8, 4, ended), 0);
	CHECK_EQ(window_list__missing(&range, 8, 8, 4, ended), 0);
	/* The oldest that is kept is older than the capture. */
	CHECK_EQ(window_list__missing(&later, 3, 8, 4, ended), 0);
	CHECK_EQ(window_list__missing(&later, 3, 8, 0, NULL), 5);
}

static void test_sort(void)
{
	struct auxbpf_window w[] = {
		{.begin = 30, .tid = 1, .kind = AUXBPF_WINDOW_SYSCALL, .cut = AUXBPF_CUT_OPEN},
		{.begin = 30, .tid = 2, .kind = AUXBPF_WINDOW_SYSCALL, .cut = AUXBPF_CUT_OPEN},
		{.begin = 30, .tid = 1, .kind = AUXBPF_WINDOW_USER_FUNCTION, .cut = AUXBPF_CUT_OPEN},
		{.begin = 30, .tid = 1, .kind = AUXBPF_WINDOW_SYSCALL, .end = 40},
		{.begin = 20, .tid = 9, .kind = AUXBPF_WINDOW_SYSCALL, .end = 50},
	};

	CHECK_EQ(window_list__sort(w, ARRAY_SIZE(w)), 4);
	CHECK_EQ(w[0].begin, 20);
	CHECK_EQ(w[1].end, 40);
	CHECK_EQ(w[1].cut, AUXBPF_CUT_NONE);
	CHECK_EQ(w[2].kind, AUXBPF_WINDOW_USER_FUNCTION);
	CHECK_EQ(w[3].tid, 2);
	CHECK_EQ(w[3].cut, AUXBPF_CUT_OPEN);
}

int main(void)
{
	test_keep();
	test_keep_open();
	test_missing();
	test_sort();
	return check__done();
}
