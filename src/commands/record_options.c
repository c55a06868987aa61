// SPDX-License-Identifier: GPL-2.0-only
#include "commands/record_options.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "commands/file_options.h"
#include "commands/limit_options.h"
#include "commands/option_table.h"
#include "commands/sample_options.h"
#include "commands/target_options.h"
#include "containers/id_names.h"
#include "gate/control.h"
#include "trace/tracefs.h"

#define DEFAULT_OUTPUT "auxbpf.data"
#define DEFAULT_DIR "auxbpf.snapshots"
#define DEFAULT_AUX_SIZE (4ull << 20)
#define DEFAULT_SAMPLE_SIZE (1ull << 20)
#define MAX_BUFFER_SIZE (1ull << 31)
#define STREAM_MIN_PAGES 4

static int add_syscalls(struct record_options *o, const char *arg)
{
	char message[RULE_MESSAGE_SIZE];

	if (syscall_set__add(&o->windows.syscalls, arg, &o->names, message, sizeof(message))) {
		log__err_lines("--on-syscall", message);
		return -EINVAL;
	}
	o->windows.has_syscalls = true;
	return 0;
}

static int add_function(struct record_options *o, const char *arg)
{
	return target_options__add_name("--on-function", arg, &o->windows.functions,
					&o->windows.nr_functions);
}

static int add_range(struct record_options *o, const char *arg)
{
	const struct tracepoint_source tracepoints = tracefs__source("");
	char message[RULE_MESSAGE_SIZE] = "";

	if (!window_set__add_range(&o->windows, arg, &tracepoints, message, sizeof(message)))
		return 0;
	log__err_lines("--on-range", message);
	return -EINVAL;
}

static int set_on_cpu(struct record_options *o, const char *arg)
{
	o->windows.on_cpu = true;
	return 0;
}

static int add_pids(struct record_options *o, const char *arg)
{
	struct target_set *t = &o->targets;

	t->by_task = true;
	return target_options__add_tasks("-p", "process", arg, t->pids, &t->nr_pids);
}

static int add_tids(struct record_options *o, const char *arg)
{
	struct target_set *t = &o->targets;

	t->by_task = true;
	return target_options__add_tasks("-t", "thread", arg, t->tids, &t->nr_tids);
}

static int set_no_follow(struct record_options *o, const char *arg)
{
	o->targets.no_follow = true;
	return 0;
}

static int add_cgroup(struct record_options *o, const char *arg)
{
	o->targets.by_cgroup = true;
	return target_options__add_name("--cgroup", arg, &o->cgroups, &o->nr_cgroups);
}

static int add_container(struct record_options *o, const char *arg)
{
	o->targets.by_cgroup = true;
	return target_options__add_name("--container", arg, &o->containers, &o->nr_containers);
}

static int set_wait(struct record_options *o, const char *arg)
{
	o->wait = true;
	return 0;
}

static int add_comm(struct record_options *o, const char *arg)
{
	return target_options__add_comm(arg, &o->targets);
}

static int add_uids(struct record_options *o, const char *arg)
{
	return target_options__add_users(arg, &o->targets);
}

static int set_all_cpus(struct record_options *o, const char *arg)
{
	o->all = true;
	return 0;
}

static int set_cpus(struct record_options *o, const char *arg)
{
	return target_options__set_cpus(arg, &o->targets);
}

static int add_rule(struct record_options *o, const char *arg)
{
	return snapshot_options__add_rule(&o->snapshots, arg);
}

static int add_rules(struct record_options *o, const char *arg)
{
	return snapshot_options__add_rules(&o->snapshots, arg);
}

static int set_scope(struct record_options *o, const char *arg)
{
	return snapshot_options__set_scope(&o->snapshots, arg);
}

static int set_lookback(struct record_options *o, const char *arg)
{
	return snapshot_options__set_lookback(&o->snapshots, arg);
}

static int set_after(struct record_options *o, const char *arg)
{
	return snapshot_options__set_after(&o->snapshots, arg);
}

static int set_spares(struct record_options *o, const char *arg)
{
	return snapshot_options__set_spares(&o->snapshots, arg);
}

static int set_exec(struct record_options *o, const char *arg)
{
	return snapshot_options__set_exec(&o->snapshots, arg);
}

static int set_max_rate(struct record_options *o, const char *arg)
{
	return limit_options__max_rate(arg, &o->snapshots.recorder.limits);
}

static int set_max_snapshots(struct record_options *o, const char *arg)
{
	return limit_options__max_snapshots(arg, &o->snapshots.recorder.limits);
}

static int set_cool_down(struct record_options *o, const char *arg)
{
	return limit_options__cool_down(arg, &o->snapshots.recorder.limits);
}

static int set_max_size(struct record_options *o, const char *arg)
{
	o->has_max_size = true;
	return limit_options__max_size(arg, &o->snapshots.recorder.limits);
}

static int set_when_full(struct record_options *o, const char *arg)
{
	return limit_options__when_full(arg, &o->snapshots.recorder.limits);
}

static int set_min_free(struct record_options *o, const char *arg)
{
	return limit_options__min_free(arg, &o->snapshots.recorder.limits);
}

static int set_stream(struct record_options *o, const char *arg)
{
	o->stream = true;
	return 0;
}

static int set_output(struct record_options *o, const char *arg)
{
	return file_options__output(arg, &o->output);
}

static int add_events(struct record_options *o, const char *arg)
{
	return event_options__add(&o->events, arg);
}

/* Parses the size of a buffer that the kernel maps: a power of two, and at least a page. */
static int set_size(const char *option, const char *text, uint64_t *size)
{
	uint64_t wanted, rounded = (uint64_t)sysconf(_SC_PAGESIZE);

	if (parse__size(text, &wanted) || !wanted || wanted > MAX_BUFFER_SIZE) {
		log_err("%s: '%s' is not a size up to %lluG; write 64K, 4M, 1G", option, text,
			MAX_BUFFER_SIZE >> 30);
		return -EINVAL;
	}
	while (rounded < wanted)
		rounded *= 2;
	if (rounded != wanted)
		log_info("%s: %s is rounded up to %lluK: a buffer has a power of two of pages", option, text,
			 (unsigned long long)rounded >> 10);
	*size = rounded;
	return 0;
}

static int set_sample_size(struct record_options *o, const char *arg)
{
	return set_size("-M", arg, &o->sample_size);
}

static int set_callchains(struct record_options *o, const char *arg)
{
	o->in_samples.callers = true;
	o->in_samples.stack = 0;
	return 0;
}

static int set_call_graph(struct record_options *o, const char *arg)
{
	return sample_options__callers(arg, &o->in_samples);
}

static int set_aux_sample(struct record_options *o, const char *arg)
{
	return sample_options__aux(arg, &o->in_samples);
}

static int set_aux_size(struct record_options *o, const char *arg)
{
	return set_size("--aux-size", arg, &o->aux_size);
}

static int set_namespaces(struct record_options *o, const char *arg)
{
	o->namespaces = true;
	return 0;
}

static int set_all_cgroups(struct record_options *o, const char *arg)
{
	o->in_samples.cgroup = true;
	return 0;
}

static int set_archive(struct record_options *o, const char *arg)
{
	o->archive = true;
	return 0;
}

static int set_buildid_cache(struct record_options *o, const char *arg)
{
	return file_options__cache(arg, &o->cache);
}

static int set_no_sync(struct record_options *o, const char *arg)
{
	o->no_sync = true;
	return 0;
}

static int set_compression_level(struct record_options *o, const char *arg)
{
	return file_options__compression(arg, &o->compression);
}

static int set_max_time(struct record_options *o, const char *arg)
{
	if (!parse__time(arg, &o->max_time) && o->max_time)
		return 0;
	log_err("--max-time: '%s' is not a time; write 500ms, 10s, 5m", arg);
	return -EINVAL;
}

static int set_user(struct record_options *o, const char *arg)
{
	return command_user__find(arg, &o->user);
}

static int set_control(struct record_options *o, const char *arg)
{
	if (!control__parse(arg, &o->control))
		return 0;
	log_err("--control: '%s' is none of %s", arg, control__names());
	return -EINVAL;
}

static int set_quiet(struct record_options *o, const char *arg)
{
	log__set_level(LOG_WARN);
	return 0;
}

static int set_verbose(struct record_options *o, const char *arg)
{
	log__set_level(LOG_DEBUG);
	return 0;
}

static int set_version(struct record_options *o, const char *arg)
{
	o->version = true;
	return 0;
}

static int set_help(struct record_options *o, const char *arg)
{
	o->help = true;
	o->help_all = arg && !strcmp(arg, "all");
	return 0;
}

/* Each takes the argument of an option, NULL if there is none. They are in the order of option_table. */
static int (*const setters[OPTION_TABLE_NR])(struct record_options *o, const char *arg) = {
#define OPTION(set, ...) set,
#include "commands/option_table.def"
#undef OPTION
};

/* Reads the option for which getopt_long() returned @value. */
static int parse_option(struct record_options *o, int value, const char *next_word)
{
	const int index = option_table__index(value);
	const struct option_entry *entry;

	/* getopt_long() has said what is wrong. */
	if (index < 0)
		return -EINVAL;
	entry = &option_table[index];
	o->given[entry->needs] = option_table__spelling(entry);
	return setters[index](o, entry->takes == ARGUMENT_WORD ? next_word : optarg);
}

static int check_targets(struct record_options *o)
{
	struct target_set *t = &o->targets;

	if (!o->argv && o->given[NEEDS_COMMAND]) {
		log_err("%s is about the command that auxbpf starts: name one behind the options",
			o->given[NEEDS_COMMAND]);
		return -EINVAL;
	}
	if (o->all && t->by_task) {
		log_err("-a is every task: leave out -p and -t");
		return -EINVAL;
	}
	if (o->argv && !o->all)
		t->by_task = true;
	if (!o->argv && !o->all && !target_set__kinds(t)) {
		log_err("nothing to trace: name a command, or processes with -p, a cgroup, a container, a "
			"name, a user; or -a for everything");
		return -EINVAL;
	}
	if (o->wait && !o->nr_containers) {
		log_err("--wait waits for containers: name one with --container");
		return -EINVAL;
	}
	return 0;
}

static int check_snapshots(struct record_options *o)
{
	const char *given = o->given[NEEDS_SNAPSHOTS];

	if (!given && !o->stream)
		given = o->given[NEEDS_SNAPSHOTS_OR_STREAM];
	return snapshot_options__check(&o->snapshots, &o->windows, o->stream, given);
}

/* The kernel writes no further than to the part of the buffer that is being read. */
static int check_stream(const struct record_options *o)
{
	uint64_t least = STREAM_MIN_PAGES * (uint64_t)sysconf(_SC_PAGESIZE);

	if (!o->stream || o->aux_size >= least)
		return 0;
	log_err("--aux-size: with --stream at least %lluK", (unsigned long long)least >> 10);
	return -EINVAL;
}

/*
 * Checks the options about samples. Without windows, samples come from whatever runs. They are only in
 * snapshots, so SIGUSR2 takes one at least.
 */
static int check_samples(struct record_options *o)
{
	if (o->stream) {
		log_err("--stream has no regular events in it: samples are in snapshots");
		return -EINVAL;
	}
	snapshot_options__take_on_request(&o->snapshots);
	if (o->in_samples.aux && o->compression) {
		log_err("-z: perf does not find the trace in compressed samples; leave it out with "
			"--aux-sample");
		return -EINVAL;
	}
	o->in_samples.beside_trace = o->trace;
	if (o->trace)
		return 0;
	if (o->given[NEEDS_TRACE]) {
		log_err("%s is about a trace, and there is none with -e %s", o->given[NEEDS_TRACE],
			o->events.samples[0]);
		return -EINVAL;
	}
	o->all = o->all || !(o->argv || target_set__kinds(&o->targets));
	return 0;
}

static int check_events(struct record_options *o)
{
	o->trace = o->events.trace || !o->events.nr_samples || o->in_samples.aux;
	if (!o->events.nr_samples && o->given[NEEDS_SAMPLES]) {
		log_err("%s is about regular events: name one with -e", o->given[NEEDS_SAMPLES]);
		return -EINVAL;
	}
	if (o->trace && !window_set__is_any(&o->windows))
		o->windows.on_cpu = true;
	return o->events.nr_samples ? check_samples(o) : 0;
}

int record_options__parse(struct record_options *o, int argc, char **argv)
{
	struct option_parser parser;
	int value;

	*o = (struct record_options){
		.control = AUXBPF_CONTROL_NR,
		.aux_size = DEFAULT_AUX_SIZE,
		.sample_size = DEFAULT_SAMPLE_SIZE,
	};
	o->names = (struct condition_names){id_names__resolve, &o->named_cgroups};
	snapshot_options__init(&o->snapshots, &o->names);
	option_table__init_parser(&parser);
	while ((value = getopt_long(argc, argv, parser.letters, parser.options, NULL)) != -1) {
		if (parse_option(o, value, optind < argc ? argv[optind] : NULL))
			return -EINVAL;
		if (o->help || o->version)
			return 0;
	}
	if (optind < argc)
		o->argv = argv + optind;
	if (check_events(o))
		return -EINVAL;
	if (check_snapshots(o) || check_stream(o))
		return -EINVAL;
	if (!o->output)
		o->output = snapshot_options__wanted(&o->snapshots) ? DEFAULT_DIR : DEFAULT_OUTPUT;
	return check_targets(o);
}

void record_options__release(struct record_options *o)
{
	snapshot_options__release(&o->snapshots);
	named_cgroups__release(&o->named_cgroups);
	event_options__release(&o->events);
	command_user__release(&o->user);
	free(o->targets.cpus);
	window_set__release(&o->windows);
	free(o->cgroups);
	free(o->containers);
	free(o->cache);
}
