// SPDX-License-Identifier: GPL-2.0-only
#include "rules/window_range.h"

#include <errno.h>
#include <string.h>

#define EXAMPLE "block:block_plug,block:block_unplug"

static int check_exists(const struct rule_reader *r, size_t at, const struct tracepoint_source *source,
			const struct tracepoint_name *name)
{
	_cleanup_buf_ struct buf format = {0};
	char message[RULE_MESSAGE_SIZE];
	int err = tracepoint_name__read_format(name, source, &format, message, sizeof(message));

	return err == -EINVAL ? rule_fail(r, at, "%s", message) : err;
}

/* Takes one of the two tracepoints. Those of single system calls have nothing to attach to. */
static int take(const struct rule_reader *r, size_t *at, const struct tracepoint_source *source,
		struct tracepoint_name *name)
{
	const size_t begin = *at;
	int err = tracepoint_name__take(r, at, EXAMPLE, name);

	if (err)
		return err;
	if (!strcmp(name->category, "syscalls"))
		return rule_fail(
			r, begin,
			"single system calls have no tracepoints that BPF can be attached to; "
			"raw_syscalls:sys_enter is the begin of any, --on-syscall traces single ones");
	return check_exists(r, begin, source, name);
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
	if (!err && tracepoint_name__is(&range->begin, &range->end))
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
	tracepoint_name__release(&range->begin);
	tracepoint_name__release(&range->end);
}
