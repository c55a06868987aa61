// SPDX-License-Identifier: GPL-2.0-only
#include "commands/limit_options.h"

#include <errno.h>
#include <limits.h>
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

const char *limit_options__name(int opt)
{
	static const char *const names[] = {
		[OPT_MAX_RATE - OPT_MAX_RATE] = "--max-rate",
		[OPT_MAX_SNAPSHOTS - OPT_MAX_RATE] = "--max-snapshots",
		[OPT_COOL_DOWN - OPT_MAX_RATE] = "--cool-down",
		[OPT_MAX_SIZE - OPT_MAX_RATE] = "--max-size",
		[OPT_WHEN_FULL - OPT_MAX_RATE] = "--when-full",
		[OPT_MIN_FREE - OPT_MAX_RATE] = "--min-free",
	};

	return names[opt - OPT_MAX_RATE];
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

/* Parses @arg. Returns NULL, or what the argument should have been. */
static const char *parse(struct snapshot_limits_opts *o, int opt, const char *arg)
{
	switch (opt) {
	case OPT_MAX_RATE:
		return parse_rate(arg, &o->per_second) ? "a rate up to 1000000/s; write 10/s, or 0 for any"
						       : NULL;
	case OPT_MAX_SNAPSHOTS:
		return parse__u64(arg, &o->max_count) ? "a number; write 100, or 0 for any" : NULL;
	case OPT_COOL_DOWN:
		return parse_cool_down(arg, &o->cool_down) ? "a time; write 50ms, 2s, or 0 for none" : NULL;
	case OPT_MAX_SIZE:
		return parse__size(arg, &o->max_bytes) ? "a size; write 500M, 2G, or 0 for any" : NULL;
	case OPT_WHEN_FULL:
		return parse_when_full(arg, &o->remove_oldest) ? "one of stop, oldest" : NULL;
	default:
		return parse__size(arg, &o->keep_free) ? "a size; write 500M, 2G, or 0 for none" : NULL;
	}
}

int limit_options__parse(struct snapshot_limits_opts *o, int opt, const char *arg)
{
	const char *wanted = parse(o, opt, arg);

	if (!wanted)
		return 0;
	log_err("%s: '%s' is not %s", limit_options__name(opt), arg, wanted);
	return -EINVAL;
}
