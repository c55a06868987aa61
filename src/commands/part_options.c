// SPDX-License-Identifier: GPL-2.0-only
#include "commands/part_options.h"

#include <errno.h>

#include "base/log.h"
#include "base/parse.h"

int part_options__set_tid(const char *arg, struct decode_opts *opts)
{
	if (!parse__pid(arg, &opts->tid))
		return 0;
	log_err("--tid: '%s' is no number of a thread", arg);
	return -EINVAL;
}

int part_options__set_time(const char *arg, struct decode_opts *opts)
{
	int err = parse__time_range(arg, &opts->begin, &opts->end);

	if (err == -ERANGE)
		log_err("--time: '%s' ends before it begins, or is too large", arg);
	else if (err)
		log_err("--time: '%s' is no range of time stamps in seconds, as in 12.5,12.75 or 12.5,", arg);
	return err ? -EINVAL : 0;
}

int part_options__set_number(const char *option, const char *arg, uint64_t *ret)
{
	if (!parse__u64(arg, ret) && *ret)
		return 0;
	log_err("%s: '%s' is no number above 0", option, arg);
	return -EINVAL;
}
