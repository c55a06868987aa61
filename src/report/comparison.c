// SPDX-License-Identifier: GPL-2.0-only
#include "report/comparison.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "report/window_screen.h"

#define BETWEEN " > "
#define LEFT_OUT "..."

/* Causes that are less than this part of the difference are summed up. */
#define LEAST_PERCENT 1

/* So many of the calls in which the paths differ are named. */
#define MOST_NAMED 3

/* Characters in front of a path. */
#define COLUMNS_WIDTH 72

/* Blanks in front of a path on a line of its own. */
#define INDENT 8

static const char *name_of(const struct comparison *c, call_step step)
{
	return call_names__get(c->names, step);
}

static size_t steps_len(const struct comparison *c, const call_step *steps, size_t nr)
{
	size_t len = 0;

	for (size_t i = 0; i < nr; i++)
		len += strlen(name_of(c, steps[i])) + strlen(BETWEEN);
	return len;
}

/*
 * Finds how many steps at the begin and at the end fit, by turns, with what stands for the others between them; one of each
 * do anyway.
 */
static void fit_ends(const struct comparison *c, const call_step *steps, size_t nr, size_t width,
		     size_t *first, size_t *last)
{
	size_t len = steps_len(c, steps, 1) + steps_len(c, &steps[nr - 1], 1) + strlen(LEFT_OUT);

	*first = *last = 1;
	while (*first + *last < nr) {
		bool is_last = *last <= *first;
		const call_step *next = is_last ? &steps[nr - 1 - *last] : &steps[*first];

		len += steps_len(c, next, 1);
		if (len > width)
			break;
		*(is_last ? last : first) += 1;
	}
}

static void write_steps(FILE *to, const struct comparison *c, const call_step *steps, size_t nr, size_t width)
{
	size_t first = nr, last = 0;

	if (nr > 1 && width && steps_len(c, steps, nr) - strlen(BETWEEN) > width)
		fit_ends(c, steps, nr, width, &first, &last);
	for (size_t i = 0; i < first; i++)
		fprintf(to, "%s%s", i ? BETWEEN : "", name_of(c, steps[i]));
	if (first + last < nr)
		fputs(BETWEEN LEFT_OUT, to);
	for (size_t i = nr - last; i < nr; i++)
		fprintf(to, BETWEEN "%s", name_of(c, steps[i]));
}

char *comparison__path(const struct comparison *c, path_id path, size_t width)
{
	size_t nr, size;
	_cleanup_free_ call_step *steps = path_table__steps(c->paths, path, &nr);
	char *text = NULL;
	FILE *to = steps ? open_memstream(&text, &size) : NULL;

	if (!to)
		return NULL;
	if (nr)
		write_steps(to, c, steps, nr, width);
	else
		fputs("(outside of these calls)", to);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

static void print_us(FILE *to, uint64_t ns)
{
	fprintf(to, "%" PRIu64 ".%03" PRIu64 " us", ns / 1000, ns % 1000);
}

static int print_head(FILE *to, const struct comparison *c)
{
	_cleanup_free_ char *with = text__printable(c->with ? c->with : "");
	uint64_t median = c->others->median;

	if (!with)
		return -ENOMEM;
	window_screen__print_call(to, "# window ", c->window);
	fputs("# ", to);
	if (median)
		fprintf(to, "%.1f times ", (double)window__duration(c->window) / (double)median);
	fprintf(to, "the median of %zu %s%s, ", c->others->nr,
		c->with		     ? "in "
		: c->others->nr == 1 ? "other one"
				     : "others",
		with);
	print_us(to, median);
	fprintf(to, "; typical are %zu of them, as window %zu, ", c->nr_typical, c->typical->number);
	print_us(to, window__duration(c->typical));
	fputs("\n\n", to);
	return 0;
}

/* Prints the name of a call, or what a time without trace is. */
static void print_call(FILE *to, const struct comparison *c, const struct window_calls *window,
		       const struct call *call)
{
	call_step step = call_numbers__step(window->numbers, call);

	fprintf(to, "%s%s", name_of(c, step), call_step__is_call(step) ? "()" : "");
}

/* Prints a call and those of the same function in a row. Returns how many these are, @most at most. */
static size_t print_row(FILE *to, const struct comparison *c, const struct window_calls *window,
			const struct call **call, size_t most)
{
	call_step step = call_numbers__step(window->numbers, *call);
	size_t nr = 0;

	print_call(to, c, window, *call);
	while (nr < most && *call && call_numbers__step(window->numbers, *call) == step) {
		*call = call_parting__next(window, *call);
		nr++;
	}
	if (nr > 1)
		fprintf(to, " %zu times", nr);
	return nr;
}

static void print_side(FILE *to, const struct comparison *c, const struct window_calls *window,
		       const struct parting_side *side)
{
	const struct call *call = side->first;
	size_t left = side->nr;

	for (size_t named = 0; left && named < MOST_NAMED; named++) {
		if (named)
			fputs(", ", to);
		left -= print_row(to, c, window, &call, left);
	}
	if (left)
		fprintf(to, " and %zu more", left);
	if (side->nr)
		fputs(", then ", to);
	if (side->then)
		print_call(to, c, window, side->then);
	else
		fputs(side->in->parent ? "the return" : "the end", to);
}

static void print_parting(FILE *to, const struct comparison *c)
{
	const struct parting *p = c->parting;

	if (!p) {
		fputs("The paths do not part: the calls are the same.\n", to);
		return;
	}
	fputs("The paths part", to);
	if (p->here.in->parent) {
		fputs(" in ", to);
		print_call(to, c, c->here_calls, p->here.in);
	}
	fputs(p->here.behind ? ", behind " : ", at the begin", to);
	if (p->here.behind)
		print_call(to, c, c->here_calls, p->here.behind);
	fputs(".\n  here:     ", to);
	print_side(to, c, c->here_calls, &p->here);
	fputs("\n  typical:  ", to);
	print_side(to, c, c->typical_calls, &p->typical);
	fputc('\n', to);
	if (p->is_cut)
		fputs("  (too many calls to find where the paths meet again)\n", to);
}

static void describe_cause(char *to, size_t size, const struct cause *cause)
{
	static const char *const kinds[] = {
		[CAUSE_SELF] = "itself",
		[CAUSE_ONLY_HERE] = "only here",
		[CAUSE_ONLY_TYPICAL] = "only typical",
		[CAUSE_CALLS] = "",
		[CAUSE_UNTRACED] = "not traced",
	};
	const char *kind = kinds[cause->kind];
	bool here = cause->calls_here > cause->calls_typical;
	uint64_t more =
		here ? cause->calls_here - cause->calls_typical : cause->calls_typical - cause->calls_here;

	if (more && (cause->kind == CAUSE_SELF || cause->kind == CAUSE_CALLS))
		snprintf(to, size, "%s%s%" PRIu64 " call%s %s", kind, *kind ? ", " : "", more,
			 log__plural(more), here ? "more" : "less");
	else
		snprintf(to, size, "%s", kind);
}

/* Adds up what took more and what took less: the two may be as large as one another. */
static uint64_t add_up(const struct comparison *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->nr_causes; i++)
		sum += (uint64_t)llabs(cause__difference(&c->causes[i]));
	return sum;
}

static double percent(int64_t difference, uint64_t all)
{
	return all ? (double)difference * 100 / (double)all : 0;
}

static void print_difference(FILE *to, int64_t difference)
{
	fprintf(to, "%+14.3f", (double)difference / 1000);
}

/* Prints a path behind the columns, or where it does not fit there on a line of its own. */
static int print_path(FILE *to, const struct comparison *c, path_id id, size_t width)
{
	_cleanup_free_ char *path = comparison__path(c, id, 0), *fits = NULL;

	if (!path)
		return -ENOMEM;
	if (!width || strlen(path) + COLUMNS_WIDTH <= width) {
		fprintf(to, "  %s\n", path);
		return 0;
	}
	fits = comparison__path(c, id, width > INDENT ? width - INDENT : 1);
	if (!fits)
		return -ENOMEM;
	fprintf(to, "\n%*s%s\n", INDENT, "", fits);
	return 0;
}

static int print_cause(FILE *to, const struct comparison *c, const struct cause *cause, uint64_t all,
		       size_t width)
{
	char words[64];

	describe_cause(words, sizeof(words), cause);
	print_difference(to, cause__difference(cause));
	fprintf(to, " %14.3f %14.3f %6.1f%%  %-16s", (double)cause->here / 1000,
		(double)cause->typical / 1000, percent(cause__difference(cause), all), words);
	return print_path(to, c, cause->path, width);
}

int comparison__print(FILE *to, const struct comparison *c, size_t width)
{
	const uint64_t all = add_up(c), least = all * LEAST_PERCENT / 100;
	int64_t rest = c->difference;
	size_t i;
	int err = print_head(to, c);

	if (err)
		return err;
	print_parting(to, c);
	fputs("\n# difference us        this us     typical us  share  what              path\n", to);
	for (i = 0; !err && i < c->nr_causes && llabs(cause__difference(&c->causes[i])) >= (int64_t)least;
	     i++) {
		rest -= cause__difference(&c->causes[i]);
		err = print_cause(to, c, &c->causes[i], all, width);
	}
	if (err)
		return err;
	if (i == c->nr_causes && !rest)
		return 0;
	print_difference(to, rest);
	fprintf(to, " %14s %14s %6.1f%%  %-16s  %zu smaller one%s\n", "", "", percent(rest, all), "the rest",
		c->nr_causes - i, log__plural(c->nr_causes - i));
	return 0;
}
