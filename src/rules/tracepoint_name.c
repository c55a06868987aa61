// SPDX-License-Identifier: GPL-2.0-only
#include "rules/tracepoint_name.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Takes a part of the name, which becomes part of a path. */
static int take_part(const struct rule_reader *r, size_t *at, const char *what, const char *example,
		     char **ret)
{
	const char *name = r->text + *at;
	size_t len = 0;

	while (isalnum((unsigned char)name[len]) || name[len] == '_' || name[len] == '-')
		len++;
	if (!len)
		return rule_fail(r, *at, "expected the %s of a tracepoint, as in %s", what, example);
	*ret = strndup(name, len);
	*at += len;
	return *ret ? 0 : -ENOMEM;
}

int tracepoint_name__take(const struct rule_reader *r, size_t *at, const char *example,
			  struct tracepoint_name *name)
{
	int err = take_part(r, at, "category", example, &name->category);

	if (err)
		return err;
	if (r->text[*at] != ':')
		return rule_fail(r, *at, "expected : and the name of a tracepoint of %.60s", name->category);
	++*at;
	return take_part(r, at, "name", example, &name->event);
}

static void say_unknown(const struct tracepoint_name *name, const struct tracepoint_source *source,
			char *message, size_t size)
{
	char names[NEAREST_MAX * (NEAREST_NAME_MAX + 8)] = "", wanted[2 * NEAREST_NAME_MAX];
	struct nearest near = {0};

	snprintf(wanted, sizeof(wanted), "%.60s:%.60s", name->category, name->event);
	if (source->offer)
		source->offer(source->arg, wanted, &near);
	nearest__format(&near, names, sizeof(names));
	if (*names)
		snprintf(message, size, "there is no tracepoint %s; did you mean %s?", wanted, names);
	else
		snprintf(message, size, "there is no tracepoint %s; `perf list tracepoint` lists them",
			 wanted);
}

int tracepoint_name__read_format(const struct tracepoint_name *name, const struct tracepoint_source *source,
				 struct buf *format, char *message, size_t size)
{
	int err;

	if (!source->format)
		return 0;
	err = source->format(source->arg, name->category, name->event, format);
	if (!err) {
		buf__add(format, "", 1);
		err = buf__error(format);
	}
	if (!err || err == -ENOMEM)
		return err;
	if (err == -ENOENT)
		say_unknown(name, source, message, size);
	else if (err == -ENODEV)
		snprintf(message, size,
			 "tracepoints need tracefs: mount -t tracefs tracefs /sys/kernel/tracing");
	else
		snprintf(message, size, "the format of the tracepoint %.60s:%.60s cannot be read: %s",
			 name->category, name->event, strerror(-err));
	return -EINVAL;
}

bool tracepoint_name__is(const struct tracepoint_name *name, const struct tracepoint_name *other)
{
	return !strcmp(name->category, other->category) && !strcmp(name->event, other->event);
}

void tracepoint_name__release(struct tracepoint_name *name)
{
	free(name->category);
	free(name->event);
	*name = (struct tracepoint_name){0};
}
