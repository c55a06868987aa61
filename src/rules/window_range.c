// SPDX-License-Identifier: GPL-2.0-only
#include "rules/window_range.h"

#include <errno.h>
#include <string.h>

#include "rules/syscall_set.h"

#define EXAMPLE "block:block_plug,block:block_unplug"
#define ENTER "sys_enter_"
#define EXIT "sys_exit_"
#define NEW "new"

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static int check_exists(const struct rule_reader *r, size_t at, const struct tracepoint_source *source,
			const struct tracepoint_name *name)
{
	_cleanup_buf_ struct buf format = {0};
	char message[RULE_MESSAGE_SIZE];
	int err = tracepoint_name__read_format(name, source, &format, message, sizeof(message));

	return err == -EINVAL ? rule_fail(r, at, "%s", message) : err;
}

static bool is_of_syscall(const struct range_point *point)
{
	return point->syscall >= 0;
}

const char *range_point__event(const struct range_point *point)
{
	if (!is_of_syscall(point))
		return point->name.event;
	return begins(point->name.event, ENTER) ? "sys_enter" : "sys_exit";
}

/* Returns the number of the call whose begin or end the event is. The kernel names some of them otherwise: newuname. */
static int find_syscall(const char *event)
{
	const char *name = begins(event, ENTER) ? event + strlen(ENTER) : event + strlen(EXIT);
	int nr;

	if (!begins(event, ENTER) && !begins(event, EXIT))
		return -1;
	nr = syscall__number(name);
	return nr < 0 && begins(name, NEW) ? syscall__number(name + strlen(NEW)) : nr;
}

static int take_syscall(const struct rule_reader *r, size_t at, const struct tracepoint_source *source,
			struct range_point *point)
{
	int err;

	point->syscall = find_syscall(point->name.event);
	if (is_of_syscall(point))
		return 0;
	err = check_exists(r, at, source, &point->name);
	return err ? err
		   : rule_fail(
			     r, at,
			     "there is no system call of that name; write it as `auxbpf list syscalls` does, "
			     "syscalls:sys_enter_uname");
}

/* Takes one of the two tracepoints. */
static int take(const struct rule_reader *r, size_t *at, const struct tracepoint_source *source,
		struct range_point *point)
{
	const size_t begin = *at;
	int err = tracepoint_name__take(r, at, EXAMPLE, &point->name);

	if (err)
		return err;
	point->syscall = -1;
	return strcmp(point->name.category, "syscalls") ? check_exists(r, begin, source, &point->name)
							: take_syscall(r, begin, source, point);
}

static bool is_same(const struct range_point *a, const struct range_point *b)
{
	return a->syscall == b->syscall && !strcmp(range_point__event(a), range_point__event(b));
}

static int parse(const struct rule_reader *r, const struct tracepoint_source *source,
		 struct window_range *range)
{
	size_t at = 0, second;
	int err = take(r, &at, source, &range->begin);

	if (err)
		return err;
	if (r->text[at] != ',')
		return rule_fail(r, at, "expected , and the tracepoint at which the window ends");
	second = ++at;
	err = take(r, &at, source, &range->end);
	if (!err && r->text[at])
		return rule_fail(r, at, "expected nothing behind the tracepoint at which the window ends");
	if (!err && is_same(&range->begin, &range->end))
		return rule_fail(r, second, "the window would end where it begins: name another tracepoint");
	return err;
}

int window_range__parse(const char *text, const struct tracepoint_source *source, struct window_range *range,
			char *message, size_t size)
{
	const struct rule_reader r = {.text = text, .message = message, .size = size};
	int err;

	*range = (struct window_range){0};
	err = parse(&r, source, range);
	if (err)
		window_range__release(range);
	return err;
}

void window_range__release(struct window_range *range)
{
	tracepoint_name__release(&range->begin.name);
	tracepoint_name__release(&range->end.name);
}
