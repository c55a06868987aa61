// SPDX-License-Identifier: GPL-2.0-only
#include "calls/profile_diff.h"

#include <errno.h>

/* A call is made much more often than another one if it is so many times as often, and so many calls more. */
#define TIMES_MORE 2
#define CALLS_MORE 4

struct diff {
	const struct numbered_path *paths;
	const struct call_profile *here, *typical;
	size_t nr;
	uint64_t *only_here; /* by path: ns in the calls below it that the window alone has */
	bool *is_in;	     /* by path: it counts with one that it goes on from */
	struct buf causes;
};

static bool is_more(uint64_t calls, uint64_t other)
{
	return calls >= other + CALLS_MORE && calls / TIMES_MORE >= other;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* From the last paths to the first ones. */
static void add_up_only_here(struct diff *d)
{
	for (path_id path = (path_id)d->nr - 1; path > 0; path--) {
		struct path_values here = call_profile__get(d->here, path);

		if (!call_step__is_call(d->paths[path].step))
			continue;
		if (here.calls && !call_profile__get(d->typical, path).calls)
			d->only_here[path] = here.total;
		d->only_here[d->paths[path].parent] += d->only_here[path];
	}
}

/*
 * How a path counts that both have. One that is called much more often counts whole, unless most of that is in a call
 * below it that only the window has: that tells more.
 */
static enum cause_kind kind_of_both(const struct diff *d, path_id path, const struct path_values *here,
				    const struct path_values *typical)
{
	if (!is_more(here->calls, typical->calls) && !is_more(typical->calls, here->calls))
		return CAUSE_SELF;
	return d->only_here[path] > distance(here->total, typical->total) / 2 ? CAUSE_SELF : CAUSE_CALLS;
}

static enum cause_kind kind_of(const struct diff *d, path_id path, const struct path_values *here,
			       const struct path_values *typical)
{
	if (path && !call_step__is_call(d->paths[path].step))
		return CAUSE_UNTRACED;
	if (!typical->calls)
		return CAUSE_ONLY_HERE;
	return here->calls ? kind_of_both(d, path, here, typical) : CAUSE_ONLY_TYPICAL;
}

/* A path comes after the one it goes on from, so that is_in of that one holds. */
static void add_cause(struct diff *d, path_id path)
{
	struct path_values here = call_profile__get(d->here, path),
			   typical = call_profile__get(d->typical, path);
	struct cause cause = {.path = path, .calls_here = here.calls, .calls_typical = typical.calls};
	bool is_whole;

	if (path)
		d->is_in[path] = d->is_in[d->paths[path].parent];
	if (!here.calls && !typical.calls)
		return;
	cause.kind = kind_of(d, path, &here, &typical);
	if (d->is_in[path] && cause.kind != CAUSE_UNTRACED)
		return;
	is_whole = cause.kind != CAUSE_SELF && cause.kind != CAUSE_UNTRACED;
	d->is_in[path] |= is_whole;
	cause.here = is_whole ? here.total : here.self;
	cause.typical = is_whole ? typical.total : typical.self;
	if (cause.here != cause.typical)
		buf__add(&d->causes, &cause, sizeof(cause));
}

/* The largest first; of those of one size the path that was seen first. */
static int compare(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;
	uint64_t dx = distance(x->here, x->typical), dy = distance(y->here, y->typical);

	if (dx != dy)
		return dx < dy ? 1 : -1;
	return (x->path > y->path) - (x->path < y->path);
}

int profile_diff__list(const struct path_table *paths, const struct call_profile *here,
		       const struct call_profile *typical, struct cause **ret, size_t *nr)
{
	size_t nr_paths = path_table__nr(paths);
	_cleanup_free_ uint64_t *only_here = calloc(nr_paths, sizeof(*only_here));
	_cleanup_free_ bool *is_in = calloc(nr_paths, sizeof(*is_in));
	struct diff d = {.paths = path_table__list(paths),
			 .here = here,
			 .typical = typical,
			 .nr = nr_paths,
			 .only_here = only_here,
			 .is_in = is_in};

	if (!only_here || !is_in)
		return -ENOMEM;
	add_up_only_here(&d);
	for (path_id path = 0; path < nr_paths; path++)
		add_cause(&d, path);
	*nr = d.causes.len / sizeof(struct cause);
	*ret = (struct cause *)(void *)d.causes.data;
	if (buf__error(&d.causes)) {
		buf__release(&d.causes);
		return -ENOMEM;
	}
	if (*nr)
		qsort(*ret, *nr, sizeof(struct cause), compare);
	return 0;
}
