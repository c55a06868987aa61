// SPDX-License-Identifier: GPL-2.0-only
#include "report/site_lines.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/build_ids.h"
#include "files/debug_dir.h"
#include "symbols/source_lines.h"

struct search {
	struct call_sites *sites;
	struct function_names *names;
	struct file_helper helper;
	char *cache; /* that may have the files */
	bool found;  /* any line */
};

/* Finds the directory that has files by their build ids: that of the capture, or perf's. NULL: there is none. */
static char *find_cache(const char *capture)
{
	_cleanup_free_ char *own = NULL, *path = NULL;
	const char *home = getenv("HOME");

	if (asprintf(&own, "%s/" DEBUG_DIR, capture) < 0)
		return NULL;
	path = realpath(own, NULL);
	if (path || !home)
		return steal_ptr(path);
	return asprintf(&path, "%s/.debug", home) < 0 ? NULL : steal_ptr(path);
}

/* Adds the inlined functions of a file. @ids gets their numbers; the first one is for none. */
static int add_inlined(struct search *s, const struct source_lines *lines, const char *object,
		       inlined_id *ids)
{
	int err = 0;

	for (size_t i = 0; !err && i < lines->nr_instances; i++) {
		const struct source_instance *in = &lines->instances[i];
		function_id function = (function_id)(s->names->nr ? s->names->nr : 1);

		err = function_names__add(s->names, function, in->name, object);
		if (!err)
			err = call_sites__add_inlined(s->sites, function, in->where.file, in->where.line,
						      ids[in->where.instance], &ids[i + 1]);
	}
	return err;
}

/* Tells the call sites in @list, of one file, what was found. */
static int take_lines(struct search *s, const struct source_lines *lines, const site_id *list,
		      const char *object)
{
	_cleanup_free_ inlined_id *ids = calloc(lines->nr_instances + 1, sizeof(*ids));
	int err = ids ? add_inlined(s, lines, object, ids) : -ENOMEM;

	for (size_t i = 0; !err && i < lines->nr; i++) {
		const struct source_line *line = &lines->lines[i];

		err = call_sites__set_place(s->sites, list[i], line->file, line->line, ids[line->instance]);
		s->found |= *line->file;
	}
	return err;
}

/* Returns the name of the symbol that a call site is in; "" if it has none, or another function stands for it. */
static const char *symbol_of(const struct function_names *names, function_id function)
{
	if (function_names__same(names, function) != function)
		return "";
	return function_names__get(names, function)->name;
}

/* Looks into the file that has the @nr call sites in @list. Returns 0, also if nothing is found, or -ENOMEM. */
static int look_into(struct search *s, const site_id *list, size_t nr)
{
	_cleanup_free_ struct source_address *addresses = calloc(nr, sizeof(*addresses));
	const struct call_site *first = &s->sites->sites[list[0]];
	const char *object = function_names__get(s->names, first->function)->object;
	const struct source_query query = {.root = "",
					   .id = &first->object,
					   .path = object,
					   .cache = s->cache,
					   .is_kernel = first->is_kernel,
					   .addresses = addresses,
					   .nr = nr};
	struct source_lines lines;
	int err;

	if (!addresses)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct call_site *site = &s->sites->sites[list[i]];

		addresses[i] = (struct source_address){.address = site->address,
						       .start = site->start,
						       .symbol = symbol_of(s->names, site->function)};
	}
	err = source_lines__find(&query, &s->helper, &lines);
	if (!err) {
		err = take_lines(s, &lines, list, object);
		source_lines__release(&lines);
	}
	/* Whatever is wrong with one file, others may have lines. */
	if (err)
		log_debug("no source lines of %s: %s", object, strerror(-err));
	return 0;
}

/* Sorts call sites by their files. */
static int compare(const void *a, const void *b, void *ctx)
{
	const struct call_sites *sites = ctx;
	const site_id *x = a, *y = b;
	const struct call_site *s = &sites->sites[*x], *t = &sites->sites[*y];
	int order = memcmp(&s->object, &t->object, sizeof(s->object));

	return order ? order : (*x > *y) - (*x < *y);
}

/* Lists the call sites of files that have a build id, by their files, for the caller to free. */
static site_id *list_sites(struct call_sites *sites, size_t *nr)
{
	site_id *list = calloc(sites->nr + 1, sizeof(*list));

	*nr = 0;
	if (!list)
		return NULL;
	for (site_id id = 1; id < sites->nr; id++) {
		if (sites->sites[id].object.size)
			list[(*nr)++] = id;
	}
	qsort_r(list, *nr, sizeof(*list), compare, sites);
	return list;
}

static int look_into_all(struct search *s)
{
	size_t nr, end;
	_cleanup_free_ site_id *list = list_sites(s->sites, &nr);
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < nr; i = end) {
		const struct build_id *id = &s->sites->sites[list[i]].object;

		for (end = i + 1; end < nr && build_id__equals(&s->sites->sites[list[end]].object, id);)
			end++;
		err = look_into(s, &list[i], end - i);
	}
	return err;
}

int site_lines__find(const char *capture, struct call_sites *sites, struct function_names *names)
{
	static bool is_told; /* whether there are any */
	struct search s = {.sites = sites, .names = names, .cache = find_cache(capture)};
	int err;

	file_helper__init(&s.helper, FILE_HELPER_TIME);
	err = look_into_all(&s);
	file_helper__release(&s.helper);
	free(s.cache);
	if (!err && sites->nr && !s.found && !is_told)
		log_warn("no source lines: nothing that calls has debug information here; compile with -g, "
			 "or install NAME-dbgsym, NAME-debuginfo (of a kernel, linux-image-VERSION-dbg)");
	is_told |= s.found || sites->nr;
	return err;
}
