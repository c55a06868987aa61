// SPDX-License-Identifier: GPL-2.0-only
#include "commands/record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/inherited.h"
#include "base/log.h"
#include "base/own_processes.h"
#include "commands/option_help.h"
#include "commands/record_options.h"
#include "files/file_helper.h"
#include "session/preflight.h"
#include "session/session.h"
#include "session/stream.h"
#include "session/workload.h"
#include "snapshot/recorder.h"

#define EXIT_USAGE 2

static int usage_error(void)
{
	log_err("see `auxbpf --help`");
	return EXIT_USAGE;
}

static void log_no_pmu(void)
{
	log_err("this machine has no trace PMU that auxbpf knows (looked for %s in "
		"/sys/bus/event_source/devices); most virtual machines have none. `make demo` in auxbpf's "
		"source shows it on a machine of its own. Regular events need none: -e cpu-clock, -e "
		"sched:sched_switch and others (see -e in --help) keep the last samples for snapshots",
		trace_pmu__known());
}

/* Parses the events. 0, -EINVAL for a name of no event, which was logged, or another negative errno. */
static int parse_events(const struct record_options *o, struct trace_event *event, struct sample_set *samples)
{
	int err = o->trace ? trace_event__parse("", o->events.trace, event) : 0;

	if (!err && o->in_samples.aux)
		err = trace_event__put_in_samples(event, o->events.trace);
	if (!err && o->trace && o->stream && event->pmu.ops->shared_buffer) {
		log_err("--stream: the CPUs' trace goes into one buffer, which the kernel empties only when "
			"all of them have stopped; without --stream its newest part is written");
		err = -EINVAL;
	}
	if (!o->events.nr_samples)
		return err;
	for (size_t i = 0; !err && i < o->events.nr_samples; i++)
		err = sample_set__add(samples, "", o->events.samples[i]);
	return err ? err : sample_set__complete(samples, "", &o->in_samples);
}

/* Checks that the command line can be recorded, and logs what prevents it. 0 or an exit status. */
static int prepare(const struct record_options *o, struct trace_event *event, struct sample_set *samples)
{
	const unsigned int errors = log__nr_errors();
	int err = parse_events(o, event, samples);
	int command_err = o->argv ? workload__find(o->argv[0]) : 0;

	if (err == -EINVAL)
		return usage_error();
	if (command_err)
		return workload__error(o->argv[0], command_err);
	if (err == -EACCES && !preflight__capabilities(""))
		log_err("cannot read tracefs: %s", strerror(EACCES));
	if (err == -EACCES)
		return EXIT_FAILURE;
	if (err == -ENODEV)
		log_no_pmu();
	else
		log__err_unless_said(errors, "looking for the events", err);
	return err || preflight__capabilities("") || preflight__btf("") ? EXIT_FAILURE : 0;
}

static int run(const struct record_options *o, char **cmdline, const char *version)
{
	const struct stream_opts stream = {
		.max_bytes = o->has_max_size ? o->snapshots.recorder.limits.max_bytes : 0,
		.keep_free = o->snapshots.recorder.limits.keep_free,
	};
	_cleanup_(sample_set__release) struct sample_set samples = {0};
	struct trace_event event;
	struct capture_opts opts = {
		.root = "",
		.event = o->trace ? &event : NULL,
		.control = o->control,
		.targets = &o->targets,
		.windows = &o->windows,
		.named_cgroups = &o->named_cgroups,
		.command_is_target = !o->all,
		.cgroups = o->cgroups,
		.nr_cgroups = o->nr_cgroups,
		.containers = o->containers,
		.nr_containers = o->nr_containers,
		.wait = o->wait,
		.recorder = snapshot_options__wanted(&o->snapshots) ? &o->snapshots.recorder : NULL,
		.stream = o->stream ? &stream : NULL,
		.max_time = o->max_time,
		.namespaces = o->namespaces,
		.cgroup_records = o->in_samples.cgroup,
		.no_sync = o->no_sync,
		.archive = o->archive,
		.cache = o->cache,
		.output = o->output,
		.compression = o->compression,
		.aux_size = (size_t)o->aux_size,
		.samples = o->events.nr_samples ? &samples : NULL,
		.sample_size = (size_t)o->sample_size,
		.argv = o->argv,
		.user = o->user.name ? &o->user : NULL,
		.cmdline = cmdline,
		.version = version,
	};
	int err = prepare(o, &event, &samples);

	if (err)
		return err;
	if (opts.event && window_set__in_kernel(&o->windows))
		trace_event__default_to_kernel(&event);
	err = own_processes__prepare();
	if (err)
		log_debug("samples will show what helpers do: %s", strerror(-err));
	err = file_helper__prepare();
	if (err)
		log_debug("helpers will be copies of this process: %s", strerror(-err));
	return session__run(&opts);
}

int record__main(int argc, char **argv, const char *version)
{
	_cleanup_(record_options__release) struct record_options o;

	inherited__change();
	if (record_options__parse(&o, argc, argv))
		return usage_error();
	if (o.version)
		printf("auxbpf %s\n", version);
	else if (o.help_all)
		option_help__print_all(stdout);
	else if (o.help)
		option_help__print_usual(stdout);
	else
		return run(&o, argv + 1, version);
	return EXIT_SUCCESS;
}
