// SPDX-License-Identifier: GPL-2.0-only
#include "report/window_screen.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "report/duration_groups.h"
#include "report/json_line.h"

#define NR_SLOWEST 10
#define BAR 40 /* characters of the longest bar */

static int make_groups(struct duration_groups *groups, const struct windows *windows, struct histogram *all)
{
	for (size_t i = 0; i < windows->nr; i++) {
		const struct window *w = &windows->list[i];
		struct duration_group *group = w->is_over ? duration_groups__get(groups, w->name) : NULL;

		if (!w->is_over)
			continue;
		if (!group)
			return -ENOMEM;
		group->nr++;
		duration_group__add(group, window__duration(w));
		histogram__add(all, window__duration(w));
	}
	return 0;
}

static int by_total(const void *a, const void *b)
{
	const struct duration_group *x = *(struct duration_group *const *)a,
				    *y = *(struct duration_group *const *)b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void print_us(FILE *to, uint64_t ns)
{
	fprintf(to, " %9" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
}

static void print_groups(FILE *to, const struct duration_groups *groups)
{
	fputs("\n#     nr      total us        p50 us        p90 us        p99 us        max us  windows "
	      "in\n",
	      to);
	for (size_t i = 0; i < groups->nr; i++) {
		const struct duration_group *group = groups->list[i];

		fprintf(to, "%8" PRIu64, group->nr);
		print_us(to, group->total);
		print_us(to, histogram__permille(&group->durations, 500));
		print_us(to, histogram__permille(&group->durations, 900));
		print_us(to, histogram__permille(&group->durations, 990));
		print_us(to, group->durations.max);
		fprintf(to, "  %s\n", group->name);
	}
}

/* Counts the durations by powers of two, as bpftrace's hist() does. */
static void count_powers(const struct windows *windows, uint64_t powers[64])
{
	for (size_t i = 0; i < windows->nr; i++) {
		uint64_t ns = window__duration(&windows->list[i]);

		if (windows->list[i].is_over)
			powers[ns ? 63 - __builtin_clzll(ns) : 0]++;
	}
}

static void print_step(FILE *to, unsigned int power, uint64_t nr, uint64_t most)
{
	char bar[BAR + 1] = "";

	memset(bar, '@', (size_t)(nr * BAR / most));
	fprintf(to, "%12.3f us to %12.3f us %8" PRIu64 " |%-*s|\n", (double)(1ull << power) / 1000,
		(double)(1ull << power) / 500, nr, BAR, bar);
}

static void print_histogram(FILE *to, const struct windows *windows)
{
	uint64_t powers[64] = {0}, most = 0;
	unsigned int first = 64, last = 0;

	count_powers(windows, powers);
	for (unsigned int i = 0; i < 64; i++) {
		most = powers[i] > most ? powers[i] : most;
		if (powers[i]) {
			first = i < first ? i : first;
			last = i;
		}
	}
	fputs("\n# how long they took\n", to);
	for (unsigned int i = first; i <= last && most; i++)
		print_step(to, i, powers[i], most);
}

/* Small numbers are decimal, as of descriptors and sizes; others are addresses or flags. */
static void print_args(FILE *to, const struct window *w)
{
	for (size_t i = 0; w->has_args && i < ARRAY_SIZE(w->args); i++)
		fprintf(to, w->args[i] < 1 << 20 ? "%s%" PRIu64 : "%s0x%" PRIx64, i ? ", " : "(", w->args[i]);
	if (w->has_args)
		fputc(')', to);
}

static void print_window(FILE *to, const char *before, const struct window *w, bool with_args)
{
	uint64_t ns = window__duration(w);

	fprintf(to, "%s%zu: %s", before, w->number, w->name);
	if (with_args)
		print_args(to, w);
	if (w->result)
		fprintf(to, " = %s", w->result);
	fprintf(to, ", %s %" PRId32 "/%" PRId32 ", CPU %" PRId32 ", at %" PRIu64 ".%09" PRIu64, w->comm,
		w->pid, w->tid, w->cpu, w->begin / 1000000000, w->begin % 1000000000);
	if (w->is_over)
		fprintf(to, ", %" PRIu64 ".%03" PRIu64 " us", ns / 1000, ns % 1000);
	else
		fputs(", not over", to);
	if (w->off)
		fprintf(to, ", of it %" PRIu64 ".%03" PRIu64 " us off the CPU", w->off / 1000, w->off % 1000);
	fputc('\n', to);
}

void window_screen__print_window(FILE *to, const char *before, const struct window *window)
{
	print_window(to, before, window, false);
}

void window_screen__print_call(FILE *to, const char *before, const struct window *window)
{
	print_window(to, before, window, true);
}

static void print_slowest(FILE *to, const struct windows *windows)
{
	struct window *slowest[NR_SLOWEST];
	size_t nr = windows__slowest(windows, slowest, NR_SLOWEST);

	fputs("\n# the slowest\n", to);
	for (size_t i = 0; i < nr; i++)
		window_screen__print_window(to, "window ", slowest[i]);
}

int window_screen__print(FILE *to, const struct windows *windows)
{
	struct histogram all = {0};
	struct duration_groups groups = {0};
	int err = make_groups(&groups, windows, &all);

	if (!err) {
		fprintf(to, "# %zu window%s", windows->nr, log__plural(windows->nr));
		if (windows->nr > all.nr)
			fprintf(to, ", %" PRIu64 " of them not over", windows->nr - all.nr);
		if (windows->left_out)
			fprintf(to, "; %" PRIu64 " older ones were not kept", windows->left_out);
		fputc('\n', to);
	}
	if (!err && all.nr) {
		qsort(groups.list, groups.nr, sizeof(struct duration_group *), by_total);
		print_groups(to, &groups);
		print_histogram(to, windows);
		print_slowest(to, windows);
	}
	duration_groups__release(&groups);
	return err;
}

int window_screen__print_json(FILE *to, const struct windows *windows)
{
	int err = 0;

	for (size_t i = 0; !err && i < windows->nr; i++) {
		const struct window *w = &windows->list[i];
		struct json_object *object = json_object_new_object();

		json__add_u64(object, "window", w->number);
		json__add_text(object, "name", w->name);
		json__add_text(object, "result", w->result);
		json__add_text(object, "comm", w->comm);
		json__add_i64(object, "pid", w->pid);
		json__add_i64(object, "tid", w->tid);
		json__add_i64(object, "cpu", w->cpu);
		json__add_u64(object, "begin_ns", w->begin);
		if (w->is_over)
			json__add_u64(object, "end_ns", w->end);
		else
			json__add_null(object, "end_ns");
		json__add_u64(object, "off_ns", w->off);
		json__add_u64(object, "moves", w->moves);
		err = json_line__print(to, object);
	}
	return err;
}
