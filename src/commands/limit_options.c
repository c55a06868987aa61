// SPDX-License-Identifier: GPL-2.0-only
#include "commands/limit_options.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"

/*
 * The highest rate. A rate is kept as the time between two snapshots, which must not be too short to measure.
 */
#define MAX_RATE 1000000

const struct snapshot_limits_opts limit_options__default = {
	.cool_down = 50000000,
	.per_second = 10,
	.max_count = 1000,
	.max_bytes = 1ull << 30,
	.remove_oldest = true,
	.keep_free = 256ull << 20,
};

/* If @err is not 0, logs what @option wants. 0 or -EINVAL. */
static int check(int err, const char *option, const char *text, const char *wanted)
{
	if (!err)
		return 0;
	log_err("%s: '%s' is not %s", option, text, wanted);
	return -EINVAL;
}

/* Parses "10/s", or the number alone. */
static int parse_rate(const char *text, unsigned int *ret)
{
	size_t len = strlen(text);
	_cleanup_free_ char *number = strndup(text, len > 2 && !strcmp(text + len - 2, "/s") ? len - 2 : len);
	uint64_t value;

	if (!number || parse__u64(number, &value) || value > MAX_RATE)
		return -EINVAL;
	*ret = (unsigned int)value;
	return 0;
}

static int parse_when_full(const char *text, bool *remove_oldest)
{
	*remove_oldest = !strcmp(text, "oldest");
	return *remove_oldest || !strcmp(text, "stop") ? 0 : -EINVAL;
}

static int parse_cool_down(const char *text, uint64_t *ns)
{
	*ns = 0;
	return strcmp(text, "0") ? parse__time(text, ns) : 0;
}

int limit_options__max_rate(const char *text, struct snapshot_limits_opts *ret)
{
	return check(parse_rate(text, &ret->per_second), "--max-rate", text,
		     "a rate up to 1000000/s; write 10/s, or 0 for any");
}

int limit_options__max_snapshots(const char *text, struct snapshot_limits_opts *ret)
{
	return check(parse__u64(text, &ret->max_count), "--max-snapshots", text,
		     "a number; write 100, or 0 for any");
}

int limit_options__cool_down(const char *text, struct snapshot_limits_opts *ret)
{
	return check(parse_cool_down(text, &ret->cool_down), "--cool-down", text,
		     "a time; write 50ms, 2s, or 0 for none");
}

int limit_options__max_size(const char *text, struct snapshot_limits_opts *ret)
{
	return check(parse__size(text, &ret->max_bytes), "--max-size", text,
		     "a size; write 500M, 2G, or 0 for any");
}

int limit_options__when_full(const char *text, struct snapshot_limits_opts *ret)
{
	return check(parse_when_full(text, &ret->remove_oldest), "--when-full", text, "one of stop, oldest");
}

int limit_options__min_free(const char *text, struct snapshot_limits_opts *ret)
{
	return check(parse__size(text, &ret->keep_free), "--min-free", text,
		     "a size; write 500M, 2G, or 0 for none");
}
