// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/dwarf_lines.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/bounds.h"

/* Entries are not followed deeper than this. */
#define DEPTH_MAX 128

/*
 * Code that the linker has left out has an address of 0 or 1, and no code that is there has: the ELF header, or nothing, is there.
 */
#define NOT_LINKED 1

/* The addresses that are looked for in a unit. */
struct search {
	struct dwarf_line *lines;
	size_t nr;
	struct dwarf_instances *instances;
	Dwarf_Files *files; /* the unit's */
	const char *dir;    /* where it was compiled; NULL: not known */
	int err;
};

struct wanted_line {
	const struct dwarf_line *lines;
	uint64_t address;
};

static bool is_below(const void *ctx, size_t i)
{
	const struct wanted_line *wanted = ctx;

	return wanted->lines[i].address < wanted->address;
}

/* Finds the first of the lines that is not below @address. */
static size_t first_line(const struct search *s, uint64_t address)
{
	return bounds__lower(s->nr, is_below, &(struct wanted_line){s->lines, address});
}

/* Goes through the ranges of addresses of an entry. */
struct ranges {
	Dwarf_Die *die;
	ptrdiff_t at;
	Dwarf_Addr base;
	size_t first, end; /* the lines that are in the last one */
};

/* Finds the next range that has any of the lines. */
static bool next_range(const struct search *s, struct ranges *r)
{
	Dwarf_Addr low, high;

	while ((r->at = dwarf_ranges(r->die, r->at, &r->base, &low, &high)) > 0) {
		if (low <= NOT_LINKED)
			continue;
		r->first = first_line(s, low);
		r->end = first_line(s, high);
		if (r->first < r->end)
			return true;
	}
	return false;
}

static uint32_t number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value))
		return 0;
	return (uint32_t)value;
}

/* Returns where the function at @die was inlined. */
static struct dwarf_place call_place(const struct search *s, Dwarf_Die *die)
{
	size_t file = number_of(die, DW_AT_call_file);

	return (struct dwarf_place){.file = s->files ? dwarf_filesrc(s->files, file, NULL, NULL) : NULL,
				    .dir = s->dir,
				    .line = number_of(die, DW_AT_call_line)};
}

/* Adds the function that was inlined at @die. Returns its number; @outer if it has no name or there is no memory. */
static uint32_t add_instance(struct search *s, Dwarf_Die *die, uint32_t outer)
{
	struct dwarf_instances *all = s->instances;
	const char *name = dwarf_diename(die);

	if (!name)
		return outer;
	if (all->nr == all->cap) {
		size_t cap = all->cap ? all->cap * 2 : 64;
		struct dwarf_instance *list = reallocarray(all->list, cap, sizeof(*list));

		if (!list) {
			s->err = -ENOMEM;
			return outer;
		}
		all->list = list;
		all->cap = cap;
	}
	all->list[all->nr++] = (struct dwarf_instance){
		.outer = outer,
		.place = call_place(s, die),
		.name = name,
	};
	return (uint32_t)all->nr;
}

/* Notes that lines are in the inlined function @die. Returns its number; 0 if none is. */
static uint32_t note_inlined(struct search *s, Dwarf_Die *die, uint32_t outer)
{
	struct ranges r = {.die = die};
	uint32_t number = 0;

	while (next_range(s, &r)) {
		if (!number)
			number = add_instance(s, die, outer);
		for (size_t i = r.first; i < r.end; i++)
			s->lines[i].instance = number;
	}
	return number;
}

static void visit_inside(struct search *s, Dwarf_Die *die, uint32_t outer, unsigned int depth);

static void visit(struct search *s, Dwarf_Die *die, uint32_t outer, unsigned int depth)
{
	uint32_t inlined;

	switch (dwarf_tag(die)) {
	case DW_TAG_inlined_subroutine:
		inlined = note_inlined(s, die, outer);
		if (inlined)
			visit_inside(s, die, inlined, depth);
		break;
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		if (next_range(s, &(struct ranges){.die = die}))
			visit_inside(s, die, outer, depth);
		break;
	/* Some languages have functions in these. */
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		visit_inside(s, die, outer, depth);
		break;
	default:
		break;
	}
}

/* Visits the entries in @die, whose innermost inlined function is @outer. */
static void visit_inside(struct search *s, Dwarf_Die *die, uint32_t outer, unsigned int depth)
{
	Dwarf_Die child;
	int end = depth < DEPTH_MAX ? dwarf_child(die, &child) : 1;

	while (!end && !s->err) {
		visit(s, &child, outer, depth + 1);
		end = dwarf_siblingof(&child, &child);
	}
}

static void find_line(const struct search *s, Dwarf_Die *unit, struct dwarf_line *line)
{
	Dwarf_Line *found = dwarf_getsrc_die(unit, line->address);
	int number;

	if (!found || dwarf_lineno(found, &number) || number < 0)
		return;
	line->place = (struct dwarf_place){dwarf_linesrc(found, NULL, NULL), s->dir, (uint32_t)number};
}

static void search_unit(struct search *s, Dwarf_Die *unit)
{
	struct ranges r = {.die = unit};
	Dwarf_Attribute dir;
	bool found = false;

	s->dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &dir));
	while (next_range(s, &r)) {
		for (size_t i = r.first; i < r.end; i++)
			find_line(s, unit, &s->lines[i]);
		found = true;
	}
	if (!found)
		return;
	if (dwarf_getsrcfiles(unit, &s->files, &(size_t){0}))
		s->files = NULL;
	visit_inside(s, unit, 0, 0);
}

int dwarf_lines__find(Dwarf *dwarf, struct dwarf_line *lines, size_t nr, struct dwarf_instances *instances)
{
	struct search s = {.lines = lines, .nr = nr, .instances = instances};
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	bool any = false;

	while (!s.err && !dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL)) {
		any = true;
		if (type == DW_UT_compile)
			search_unit(&s, &unit);
	}
	return s.err ? s.err : any ? 0 : -ENODATA;
}

void dwarf_instances__release(struct dwarf_instances *instances)
{
	free(instances->list);
	*instances = (struct dwarf_instances){0};
}
