// SPDX-License-Identifier: GPL-2.0-only
#include "commands/record_options.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "commands/file_options.h"
#include "commands/limit_options.h"
#include "commands/sample_options.h"
#include "gate/control.h"
#include "containers/id_names.h"
#include "rules/glob.h"

#define DEFAULT_OUTPUT "auxbpf.data"
#define DEFAULT_DIR "auxbpf.snapshots"
#define DEFAULT_AUX_SIZE (4ull << 20)
#define DEFAULT_SAMPLE_SIZE (1ull << 20)
#define MAX_BUFFER_SIZE (1ull << 31)
#define STREAM_MIN_PAGES 4
/* One place in the gate is kept for the command. */
#define MAX_PIDS (AUXBPF_MAX_PIDS - 1)

enum {
	OPT_ON_SYSCALL = 256,
	OPT_ON_FUNCTION,
	OPT_ON_CPU,
	OPT_NO_FOLLOW,
	OPT_CONTAINER,
	OPT_WAIT,
	OPT_COMM,
	OPT_CALL_GRAPH,
	OPT_AUX_SAMPLE,
	OPT_AUX_SIZE,
	OPT_CONTROL,
	OPT_STREAM,
	OPT_MAX_TIME,
	OPT_NAMESPACES,
	OPT_ALL_CGROUPS,
	OPT_ARCHIVE,
	OPT_NO_SYNC,
	OPT_BUILDID_CACHE,
};

static const struct option options[] = {
	{"on-syscall", required_argument, NULL, OPT_ON_SYSCALL},
	{"on-function", required_argument, NULL, OPT_ON_FUNCTION},
	{"on-cpu", no_argument, NULL, OPT_ON_CPU},
	{"pid", required_argument, NULL, 'p'},
	{"tid", required_argument, NULL, 't'},
	{"no-follow", no_argument, NULL, OPT_NO_FOLLOW},
	{"cgroup", required_argument, NULL, 'G'},
	{"container", required_argument, NULL, OPT_CONTAINER},
	{"wait", no_argument, NULL, OPT_WAIT},
	{"comm", required_argument, NULL, OPT_COMM},
	{"uid", required_argument, NULL, 'u'},
	{"all-cpus", no_argument, NULL, 'a'},
	{"cpu", required_argument, NULL, 'C'},
	{"snapshot-on", required_argument, NULL, OPT_SNAPSHOT_ON},
	{"rules", required_argument, NULL, OPT_RULES},
	{"scope", required_argument, NULL, OPT_SCOPE},
	{"lookback", required_argument, NULL, OPT_LOOKBACK},
	{"after", required_argument, NULL, OPT_AFTER},
	{"spare", required_argument, NULL, OPT_SPARE},
	{"exec", required_argument, NULL, OPT_EXEC},
	{"max-rate", required_argument, NULL, OPT_MAX_RATE},
	{"max-snapshots", required_argument, NULL, OPT_MAX_SNAPSHOTS},
	{"cool-down", required_argument, NULL, OPT_COOL_DOWN},
	{"max-size", required_argument, NULL, OPT_MAX_SIZE},
	{"when-full", required_argument, NULL, OPT_WHEN_FULL},
	{"min-free", required_argument, NULL, OPT_MIN_FREE},
	{"output", required_argument, NULL, 'o'},
	{"event", required_argument, NULL, 'e'},
	{"sample-size", required_argument, NULL, 'M'},
	{"callchains", no_argument, NULL, 'g'},
	{"call-graph", required_argument, NULL, OPT_CALL_GRAPH},
	{"aux-sample", optional_argument, NULL, OPT_AUX_SAMPLE},
	{"aux-size", required_argument, NULL, OPT_AUX_SIZE},
	{"control", required_argument, NULL, OPT_CONTROL},
	{"stream", no_argument, NULL, OPT_STREAM},
	{"compression-level", optional_argument, NULL, 'z'},
	{"max-time", required_argument, NULL, OPT_MAX_TIME},
	{"all-cgroups", no_argument, NULL, OPT_ALL_CGROUPS},
	{"namespaces", no_argument, NULL, OPT_NAMESPACES},
	{"archive", no_argument, NULL, OPT_ARCHIVE},
	{"no-sync", no_argument, NULL, OPT_NO_SYNC},
	{"buildid-cache", optional_argument, NULL, OPT_BUILDID_CACHE},
	{"quiet", no_argument, NULL, 'q'},
	{"verbose", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static int add_syscalls(struct record_options *o, const char *list)
{
	char message[RULE_MESSAGE_SIZE];

	if (syscall_set__add(&o->windows.syscalls, list, &o->names, message, sizeof(message))) {
		log__err_lines("--on-syscall", message);
		return -EINVAL;
	}
	o->windows.has_syscalls = true;
	return 0;
}

/* Adds a string to an array that grows. */
static int add_string(const char ***list, size_t *nr, const char *option, const char *text)
{
	const char **more;

	if (!*text) {
		log_err("%s: the name is empty", option);
		return -EINVAL;
	}
	more = reallocarray(*list, *nr + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	more[(*nr)++] = text;
	*list = more;
	return 0;
}

static int add_pids(const char *option, const char *what, const char *list, int *pids, size_t *nr)
{
	_cleanup_free_ char *copy = strdup(list);
	char *rest = copy, *item;

	if (!copy)
		return -ENOMEM;
	while ((item = strsep(&rest, ","))) {
		if (*nr == MAX_PIDS) {
			log_err("%s: more than %d", option, MAX_PIDS);
			return -EINVAL;
		}
		if (parse__pid(item, &pids[*nr])) {
			log_err("%s: '%s' is not a %s id", option, item, what);
			return -EINVAL;
		}
		(*nr)++;
	}
	return 0;
}

static int add_comm(struct record_options *o, const char *pattern)
{
	char message[256];

	if (glob__compile(&o->targets.comms, pattern, message, sizeof(message))) {
		log_err("--comm: %s", message);
		return -EINVAL;
	}
	o->targets.by_comm = true;
	return 0;
}

static int add_uids(struct record_options *o, const char *list)
{
	_cleanup_free_ char *copy = strdup(list);
	struct target_set *t = &o->targets;
	char *rest = copy, *item;

	if (!copy)
		return -ENOMEM;
	while ((item = strsep(&rest, ","))) {
		if (t->nr_uids == AUXBPF_MAX_UIDS) {
			log_err("--uid: more than %d users", AUXBPF_MAX_UIDS);
			return -EINVAL;
		}
		if (id_names__user(item, &t->uids[t->nr_uids])) {
			log_err("--uid: there is no user '%s'", item);
			return -EINVAL;
		}
		t->nr_uids++;
	}
	t->by_uid = true;
	return 0;
}

static int compare_cpus(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int set_cpus(struct record_options *o, const char *list)
{
	struct target_set *t = &o->targets;
	int n;

	free(t->cpus);
	t->cpus = calloc(AUXBPF_MAX_CPUS, sizeof(*t->cpus));
	t->nr_cpus = 0;
	if (!t->cpus)
		return -ENOMEM;
	n = parse__cpu_list(list, t->cpus, AUXBPF_MAX_CPUS);
	if (n <= 0 || n > AUXBPF_MAX_CPUS) {
		log_err("-C: '%s' is not a list of CPUs; write 0,2-5", list);
		return -EINVAL;
	}
	qsort(t->cpus, (size_t)n, sizeof(*t->cpus), compare_cpus);
	for (int i = 0; i < n; i++)
		if (!t->nr_cpus || t->cpus[t->nr_cpus - 1] != t->cpus[i])
			t->cpus[t->nr_cpus++] = t->cpus[i];
	return 0;
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

static int set_max_time(struct record_options *o, const char *text)
{
	if (!parse__time(text, &o->max_time) && o->max_time)
		return 0;
	log_err("--max-time: '%s' is not a time; write 500ms, 10s, 5m", text);
	return -EINVAL;
}

static int set_control(struct record_options *o, const char *name)
{
	if (!control__parse(name, &o->control))
		return 0;
	log_err("--control: '%s' is none of %s", name, control__names());
	return -EINVAL;
}

static int parse_window(struct record_options *o, int opt)
{
	switch (opt) {
	case OPT_ON_SYSCALL:
		return add_syscalls(o, optarg);
	case OPT_ON_FUNCTION:
		return add_string(&o->windows.functions, &o->windows.nr_functions, "--on-function", optarg);
	default:
		o->windows.on_cpu = true;
		return 0;
	}
}

static int parse_target(struct record_options *o, int opt)
{
	struct target_set *t = &o->targets;

	switch (opt) {
	case 'p':
		t->by_task = true;
		return add_pids("-p", "process", optarg, t->pids, &t->nr_pids);
	case 't':
		t->by_task = true;
		return add_pids("-t", "thread", optarg, t->tids, &t->nr_tids);
	case 'G':
		t->by_cgroup = true;
		return add_string(&o->cgroups, &o->nr_cgroups, "--cgroup", optarg);
	case OPT_CONTAINER:
		t->by_cgroup = true;
		return add_string(&o->containers, &o->nr_containers, "--container", optarg);
	case OPT_COMM:
		return add_comm(o, optarg);
	case 'u':
		return add_uids(o, optarg);
	default:
		return set_cpus(o, optarg);
	}
}

static int parse_event_option(struct record_options *o, int opt)
{
	switch (opt) {
	case OPT_AUX_SIZE:
		o->trace_option = "--aux-size";
		return set_size("--aux-size", optarg, &o->aux_size);
	case OPT_CONTROL:
		o->trace_option = "--control";
		return set_control(o, optarg);
	case 'M':
		o->sample_option = "-M";
		return set_size("-M", optarg, &o->sample_size);
	case 'g':
		o->sample_option = "-g";
		o->in_samples.callers = true;
		o->in_samples.stack = 0;
		return 0;
	case OPT_CALL_GRAPH:
		o->sample_option = "--call-graph";
		return sample_options__callers(optarg, &o->in_samples);
	case OPT_AUX_SAMPLE:
		o->sample_option = "--aux-sample";
		return sample_options__aux(optarg, &o->in_samples);
	case OPT_STREAM:
		o->trace_option = "--stream";
		o->stream = true;
		return 0;
	case OPT_MAX_TIME:
		return set_max_time(o, optarg);
	default:
		return event_options__add(&o->events, optarg);
	}
}

static int parse_file_option(struct record_options *o, int opt)
{
	switch (opt) {
	case OPT_NAMESPACES:
		o->namespaces = true;
		return 0;
	case OPT_ALL_CGROUPS:
		o->in_samples.cgroup = true;
		return 0;
	case OPT_ARCHIVE:
		o->archive = true;
		return 0;
	case OPT_NO_SYNC:
		o->no_sync = true;
		return 0;
	case OPT_BUILDID_CACHE:
		return file_options__cache(optarg, &o->cache);
	case 'z':
		return file_options__compression(optarg, &o->compression);
	default:
		return file_options__output(optarg, &o->output);
	}
}

static int parse_option(struct record_options *o, int opt)
{
	if (snapshot_options__has(opt))
		return snapshot_options__parse(&o->snapshots, opt, optarg);
	switch (opt) {
	case OPT_ON_SYSCALL:
	case OPT_ON_FUNCTION:
	case OPT_ON_CPU:
		return parse_window(o, opt);
	case 'p':
	case 't':
	case 'G':
	case OPT_CONTAINER:
	case OPT_COMM:
	case 'u':
	case 'C':
		return parse_target(o, opt);
	case 'a':
		o->all = true;
		return 0;
	case OPT_NO_FOLLOW:
		o->targets.no_follow = true;
		return 0;
	case OPT_WAIT:
		o->wait = true;
		return 0;
	case OPT_AUX_SIZE:
	case OPT_CONTROL:
	case OPT_STREAM:
	case OPT_MAX_TIME:
	case 'e':
	case 'M':
	case 'g':
	case OPT_CALL_GRAPH:
	case OPT_AUX_SAMPLE:
		return parse_event_option(o, opt);
	case OPT_NAMESPACES:
	case OPT_ALL_CGROUPS:
	case OPT_ARCHIVE:
	case OPT_NO_SYNC:
	case OPT_BUILDID_CACHE:
	case 'o':
	case 'z':
		return parse_file_option(o, opt);
	case 'q':
		log__set_level(LOG_WARN);
		return 0;
	case 'v':
		log__set_level(LOG_DEBUG);
		return 0;
	case 'h':
		o->help = true;
		return 0;
	default:
		/* getopt_long() has said what is wrong. */
		return -EINVAL;
	}
}

static int check_targets(struct record_options *o)
{
	struct target_set *t = &o->targets;

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

/*
 * Checks that the buffer has enough pages for a stream: the kernel does not write into the part that is being
 * read.
 */
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
	if (o->trace_option) {
		log_err("%s is about a trace, and there is none with -e %s", o->trace_option,
			o->events.samples[0]);
		return -EINVAL;
	}
	o->all = o->all || !(o->argv || target_set__kinds(&o->targets));
	return 0;
}

static int check_events(struct record_options *o)
{
	o->trace = o->events.trace || !o->events.nr_samples || o->in_samples.aux;
	if (!o->events.nr_samples && o->sample_option) {
		log_err("%s is about regular events: name one with -e", o->sample_option);
		return -EINVAL;
	}
	if (o->trace && !window_set__is_any(&o->windows))
		o->windows.on_cpu = true;
	return o->events.nr_samples ? check_samples(o) : 0;
}

int record_options__parse(struct record_options *o, int argc, char **argv)
{
	int opt;

	*o = (struct record_options){
		.control = AUXBPF_CONTROL_NR,
		.aux_size = DEFAULT_AUX_SIZE,
		.sample_size = DEFAULT_SAMPLE_SIZE,
	};
	o->names = (struct condition_names){id_names__resolve, &o->named_cgroups};
	snapshot_options__init(&o->snapshots, &o->names);
	while ((opt = getopt_long(argc, argv, "+p:t:G:u:aC:o:e:M:gz::qvh", options, NULL)) != -1) {
		if (parse_option(o, opt))
			return -EINVAL;
		if (o->help) {
			o->help_all = optind < argc && !strcmp(argv[optind], "all");
			return 0;
		}
	}
	if (optind < argc)
		o->argv = argv + optind;
	if (check_events(o))
		return -EINVAL;
	if (snapshot_options__check(&o->snapshots, &o->windows, o->stream) || check_stream(o))
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
	free(o->targets.cpus);
	free(o->windows.functions);
	free(o->cgroups);
	free(o->containers);
	free(o->cache);
}
