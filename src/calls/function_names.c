// SPDX-License-Identifier: GPL-2.0-only
#include "calls/function_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "calls/gate_names.h"

static char unknown_name[] = "[unknown]", no_object[] = "";
static const struct function unknown = {.name = unknown_name, .object = no_object};

static int reserve(struct function_names *names)
{
	size_t cap = names->cap ? names->cap * 2 : 256;
	struct function *functions;
	function_id *same;

	if (names->nr < names->cap)
		return 0;
	functions = reallocarray(names->functions, cap, sizeof(*functions));
	if (functions)
		names->functions = functions;
	same = reallocarray(names->same, cap, sizeof(*same));
	if (same)
		names->same = same;
	if (!functions || !same)
		return -ENOMEM;
	names->cap = cap;
	return 0;
}

/* Finds the newest function of the same file whose name is the first @len bytes of @name. */
static function_id find(const struct function_names *names, const char *name, size_t len, const char *object)
{
	for (size_t id = names->nr; id-- > 1;) {
		const struct function *f = &names->functions[id];

		if (!strncmp(f->name, name, len) && !f->name[len] && !strcmp(f->object, object))
			return (function_id)id;
	}
	return 0;
}

/* Finds the function of which @f is a part that the compiler moved away. */
static function_id find_whole(const struct function_names *names, const struct function *f)
{
	const char *cold = strstr(f->name, ".cold");

	if (!cold || cold == f->name || (cold[5] && cold[5] != '.'))
		return 0;
	return find(names, f->name, (size_t)(cold - f->name), f->object);
}

/* The name for code without a symbol tells of the file. */
static char *name_of(const char *name, const char *object)
{
	char *text = NULL;

	if (*name)
		return text__printable(name);
	if (asprintf(&text, "[%s]", *object ? object : "unknown") < 0)
		return NULL;
	return text;
}

static int add(struct function_names *names, const char *name, const char *object)
{
	struct function *f = &names->functions[names->nr];
	function_id id = (function_id)names->nr, whole;

	_cleanup_free_ char *printable = text__printable(object),
			    *own = printable ? name_of(name, printable) : NULL;

	if (!own)
		return -ENOMEM;
	*f = (struct function){.name = steal_ptr(own), .object = steal_ptr(printable)};
	f->is_gate = gate_names__is_program(f->name);
	f->is_glue = gate_names__is_glue(f->name);
	whole = find_whole(names, f);
	names->same[id] = !*name ? id | FUNCTION_NAMELESS : whole ? whole : id;
	names->nr++;
	return 0;
}

int function_names__add(struct function_names *names, function_id id, const char *name, const char *object)
{
	int err = reserve(names);

	if (!err && !names->nr) {
		names->same[0] = 0;
		names->functions[names->nr++] = (struct function){0};
	}
	if (err || id != names->nr)
		return err ? err : -EBADMSG;
	return add(names, name, object);
}

void function_names__release(struct function_names *names)
{
	for (size_t i = 0; i < names->nr; i++) {
		free(names->functions[i].name);
		free(names->functions[i].object);
	}
	free(names->functions);
	free(names->same);
	*names = (struct function_names){0};
}

function_id function_names__same(const struct function_names *names, function_id id)
{
	id &= ~FUNCTION_NAMELESS;
	return id < names->nr ? names->same[id] : 0;
}

const struct function *function_names__get(const struct function_names *names, function_id id)
{
	id = function_names__same(names, id) & ~FUNCTION_NAMELESS;
	return id ? &names->functions[id] : &unknown;
}
