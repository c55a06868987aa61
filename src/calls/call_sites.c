// SPDX-License-Identifier: GPL-2.0-only
#include "calls/call_sites.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static int reserve(struct call_sites *sites)
{
	size_t cap = sites->cap ? sites->cap * 2 : 256;
	struct call_site *list;

	if (sites->nr < sites->cap)
		return 0;
	list = reallocarray(sites->sites, cap, sizeof(*list));
	if (!list)
		return -ENOMEM;
	sites->sites = list;
	sites->cap = cap;
	return 0;
}

int call_sites__add(struct call_sites *sites, site_id id, const struct call_site *site)
{
	int err = reserve(sites);

	if (!err && !sites->nr)
		sites->sites[sites->nr++] = (struct call_site){0};
	if (err || id != sites->nr || sites->places)
		return err ? err : -EBADMSG;
	sites->sites[sites->nr++] = *site;
	return 0;
}

void call_sites__release(struct call_sites *sites)
{
	free(sites->sites);
	free(sites->places);
	free(sites->inlined);
	tdestroy(sites->files, free);
	*sites = (struct call_sites){0};
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Finds the one copy of the name of a file; NULL if there is no memory. */
static const char *find_file(struct call_sites *sites, const char *file)
{
	_cleanup_free_ char *printable = text__printable(file);
	char **found = printable ? tsearch(printable, &sites->files, compare) : NULL;

	if (!found)
		return NULL;
	if (*found == printable)
		return steal_ptr(printable);
	return *found;
}

/* Makes room for one more place. */
static int add_place(struct call_sites *sites)
{
	struct source_place *places =
		reallocarray(sites->places, sites->nr_places + 1, sizeof(*sites->places));

	if (!places)
		return -ENOMEM;
	sites->places = places;
	places[sites->nr_places++] = (struct source_place){0};
	return 0;
}

/* Makes the places of all call sites, and what stands for no inlined function. */
static int begin_places(struct call_sites *sites)
{
	if (sites->places)
		return 0;
	sites->inlined = calloc(1, sizeof(*sites->inlined));
	sites->places = sites->inlined ? calloc(sites->nr + 1, sizeof(*sites->places)) : NULL;
	if (!sites->places)
		return -ENOMEM;
	sites->nr_inlined = 1;
	sites->nr_places = sites->nr ? sites->nr : 1;
	return 0;
}

static int set_place(struct call_sites *sites, site_id id, const char *file, uint32_t line,
		     inlined_id inlined)
{
	struct source_place *place = &sites->places[id];

	*place = (struct source_place){.line = line, .inlined = inlined};
	if (!*file)
		return 0;
	place->file = find_file(sites, file);
	return place->file ? 0 : -ENOMEM;
}

int call_sites__set_place(struct call_sites *sites, site_id id, const char *file, uint32_t line,
			  inlined_id inlined)
{
	int err = begin_places(sites);

	if (err)
		return err;
	if (!id || id >= sites->nr_places || inlined >= sites->nr_inlined)
		return -EBADMSG;
	return set_place(sites, id, file, line, inlined);
}

int call_sites__add_inlined(struct call_sites *sites, function_id function, const char *file, uint32_t line,
			    inlined_id outer, inlined_id *ret)
{
	int err = begin_places(sites);
	struct inlined *inlined;

	if (!err && (outer >= sites->nr_inlined || sites->inlined[outer].depth == INLINED_DEPTH_MAX))
		return -EBADMSG;
	if (!err)
		err = add_place(sites);
	if (!err)
		err = set_place(sites, (site_id)sites->nr_places - 1, file, line, outer);
	inlined = err ? NULL : reallocarray(sites->inlined, sites->nr_inlined + 1, sizeof(*inlined));
	if (!inlined)
		return err ? err : -ENOMEM;
	sites->inlined = inlined;
	inlined[sites->nr_inlined] =
		(struct inlined){function, (site_id)sites->nr_places - 1, inlined[outer].depth + 1};
	*ret = (inlined_id)sites->nr_inlined++;
	return 0;
}

const struct source_place *call_sites__place(const struct call_sites *sites, site_id id)
{
	static const struct source_place none;

	return id < sites->nr_places ? &sites->places[id] : &none;
}

const struct inlined *call_sites__inlined(const struct call_sites *sites, inlined_id id)
{
	static const struct inlined none;

	return id < sites->nr_inlined ? &sites->inlined[id] : &none;
}
