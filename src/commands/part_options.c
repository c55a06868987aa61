// SPDX-License-Identifier: GPL-2.0-only
#include "commands/part_options.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"

int part_options__set_task(const char *arg, struct decode_opts *opts)
{
	bool is_number = *arg && !arg[strspn(arg, "0123456789")];

	if (!*arg || (is_number && parse__pid(arg, &opts->task.tid))) {
		log_err("--task: '%s' is neither the number nor the name of a thread", arg);
		return -EINVAL;
	}
	if (!is_number)
		opts->task.comm = arg;
	return 0;
}

int part_options__check_window(const struct decode_opts *opts)
{
	if (!opts->begin && opts->end == UINT64_MAX && !task_filter__is_set(&opts->task))
		return 0;
	log_err("--window tells the task and the time: neither --task nor --time goes with it");
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
