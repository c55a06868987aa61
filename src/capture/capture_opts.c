// SPDX-License-Identifier: GPL-2.0-only
#include "capture/capture_opts.h"

#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

bool capture_opts__has_kernel(const struct capture_opts *opts)
{
	return opts->samples || !opts->event->exclude_kernel;
}

bool capture_opts__has_user(const struct capture_opts *opts)
{
	return (opts->samples && opts->samples->with_users) || (opts->event && !opts->event->exclude_user);
}

uint64_t capture_opts__look_every(const struct capture_opts *opts)
{
	return (opts->archive || opts->cache) && capture_opts__has_user(opts) ? 50000000 : 0;
}

bool capture_opts__copies_aux(const struct capture_opts *opts)
{
	return opts->event && !(opts->samples && opts->samples->with_aux);
}

bool capture_opts__limits_samples(const struct capture_opts *opts)
{
	return opts->samples && window_set__is_any(opts->windows);
}

bool capture_opts__keeps_moves(const struct capture_opts *opts)
{
	if (!capture_opts__limits_samples(opts))
		return false;
	for (size_t i = 0; i < opts->samples->nr; i++)
		if (sample_event__is_shared(&opts->samples->events[i]))
			return true;
	return false;
}

bool capture_opts__asks_for_moves(const struct capture_opts *opts)
{
	return !opts->recorder && !opts->stream;
}

void capture_opts__trace(const struct capture_opts *opts, struct cpu_trace_opts *ret)
{
	*ret = (struct cpu_trace_opts){
		.event = opts->event,
		.stream = opts->stream,
		.aux_size = opts->aux_size,
		.samples = opts->samples,
		.sample_size = opts->sample_size,
		.namespaces = opts->namespaces,
		.cgroups = opts->cgroup_records,
	};
}

bool capture_opts__shows_status(const struct capture_opts *opts)
{
	return log__shows_status() && !(opts->argv && opts->command_is_target);
}

bool capture_opts__writes_to_others(const struct capture_opts *opts)
{
	_cleanup_free_ char *path = strdup(opts->output);
	struct stat st;

	/* The cache is in the home directory, which sudo may have left as that of another user. */
	return opts->cache || !path || stat(dirname(path), &st) || st.st_uid != geteuid() ||
	       !(st.st_mode & S_IWUSR);
}
