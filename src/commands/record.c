// SPDX-License-Identifier: GPL-2.0-only
#include "commands/record.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#include "auxbpf_shared.h"
#include "base/log.h"
#include "base/parse.h"
#include "kernel/preflight.h"
#include "session/capture.h"
#include "session/workload.h"

#define EXIT_USAGE 2
#define DEFAULT_OUTPUT "auxbpf.data"
#define DEFAULT_AUX_SIZE (4ull << 20)
#define MAX_AUX_SIZE (1ull << 31)
/* One of the places in the gate is the command's. */
#define MAX_PIDS (AUXBPF_MAX_PIDS - 1)

struct record {
	const char *event_spec;
	const char *output;
	bool has_syscalls;
	struct syscall_set syscalls;
	uint64_t aux_size;
	int pids[MAX_PIDS];
	size_t nr_pids;
	char **argv; /* the command */
};

static const char usage[] =
	"Usage: auxbpf --on-syscall NAME[,NAME...] [OPTIONS] [--] COMMAND [ARG...]\n"
	"       auxbpf --on-syscall NAME[,NAME...] [OPTIONS] -p PID[,PID...]\n"
	"       auxbpf list [--json]   what this machine has to trace with\n"
	"Traces, with the processor's trace unit, what the kernel does inside the given\n"
	"system calls of a command or of processes and their children, and nothing else.\n"
	"perf script, perf report and perf inject read the result.\n"
	"\n"
	"      --on-syscall LIST  names or numbers of the system calls to trace\n"
	"  -p, --pid LIST         trace these processes, their threads and children, until all end\n"
	"  -o, --output FILE      write to FILE (default: auxbpf.data; a FILE that is there\n"
	"                         becomes FILE.old)\n"
	"  -e, --event EVENT      PMU/terms/modifiers, e.g. intel_pt/mtc=0/k; modifier k\n"
	"                         for the kernel (default), u for user space\n"
	"      --aux-size SIZE    AUX buffer of each CPU, a power of two (default: 4M); the\n"
	"                         newest SIZE bytes of each CPU's trace are kept\n"
	"  -q, --quiet            only warnings and errors\n"
	"  -v, --verbose          counters of each CPU, messages of libbpf\n"
	"      --version          version\n"
	"  -h, --help             this text\n"
	"\n"
	"The exit status is the command's; 1 if something went wrong, 2 for a wrong command\n"
	"line, 126 and 127 if the command cannot be executed or is not found.\n"
	"Example: auxbpf --on-syscall uname -- uname -a; perf script --call-trace -i auxbpf.data\n";

enum {
	OPT_ON_SYSCALL = 256,
	OPT_AUX_SIZE,
};

static const struct option options[] = {
	{"on-syscall", required_argument, NULL, OPT_ON_SYSCALL},
	{"pid", required_argument, NULL, 'p'},
	{"output", required_argument, NULL, 'o'},
	{"event", required_argument, NULL, 'e'},
	{"aux-size", required_argument, NULL, OPT_AUX_SIZE},
	{"quiet", no_argument, NULL, 'q'},
	{"verbose", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static int usage_error(void)
{
	log_err("see `auxbpf --help`");
	return EXIT_USAGE;
}

static int add_syscalls(struct record *r, const char *list)
{
	char message[512];

	if (syscall_set__add(&r->syscalls, list, message, sizeof(message))) {
		log_err("--on-syscall: %s", message);
		return -EINVAL;
	}
	r->has_syscalls = true;
	return 0;
}

static int add_pids(struct record *r, char *list)
{
	char *item;

	while ((item = strsep(&list, ","))) {
		if (r->nr_pids == MAX_PIDS) {
			log_err("-p: more than %d processes", MAX_PIDS);
			return -EINVAL;
		}
		if (parse__pid(item, &r->pids[r->nr_pids])) {
			log_err("-p: '%s' is not a process id", item);
			return -EINVAL;
		}
		r->nr_pids++;
	}
	return 0;
}

static int set_aux_size(struct record *r, const char *text)
{
	long page = sysconf(_SC_PAGESIZE);

	if (parse__size(text, &r->aux_size)) {
		log_err("--aux-size: '%s' is not a size; write 64K, 4M, 1G", text);
		return -EINVAL;
	}
	if (r->aux_size < (uint64_t)page || r->aux_size > MAX_AUX_SIZE || r->aux_size & (r->aux_size - 1)) {
		log_err("--aux-size: %s is not a power of two from %ldK to %lluG", text, page >> 10,
			MAX_AUX_SIZE >> 30);
		return -EINVAL;
	}
	return 0;
}

static int set_output(struct record *r, const char *path)
{
	if (!*path || !strcmp(path, "-")) {
		log_err("-o: a file name is needed; a trace is not written to a pipe");
		return -EINVAL;
	}
	r->output = path;
	return 0;
}

static int parse_option(struct record *r, int opt)
{
	switch (opt) {
	case OPT_ON_SYSCALL:
		return add_syscalls(r, optarg);
	case OPT_AUX_SIZE:
		return set_aux_size(r, optarg);
	case 'p':
		return add_pids(r, optarg);
	case 'o':
		return set_output(r, optarg);
	case 'e':
		r->event_spec = optarg;
		return 0;
	case 'q':
		log__set_level(LOG_WARN);
		return 0;
	case 'v':
		log__set_level(LOG_DEBUG);
		return 0;
	default:
		/* getopt_long() has said what is wrong. */
		return -EINVAL;
	}
}

static int check_complete(const struct record *r)
{
	if (!r->has_syscalls) {
		log_err("nothing to trace: name the system calls with --on-syscall");
		return -EINVAL;
	}
	if (!r->argv && !r->nr_pids) {
		log_err("nothing to trace: name a command, or processes with -p");
		return -EINVAL;
	}
	return 0;
}

static void log_no_pmu(void)
{
	log_err("this machine has no trace PMU that auxbpf knows (looked for %s in "
		"/sys/bus/event_source/devices); most virtual machines have none. `make demo` in auxbpf's "
		"source "
		"shows it on a machine of its own",
		trace_pmu__known());
}

static int run(const struct record *r, char **cmdline, const char *version)
{
	struct trace_event event;
	struct capture_opts opts = {
		.root = "",
		.event = &event,
		.syscalls = &r->syscalls,
		.output = r->output,
		.aux_size = (size_t)r->aux_size,
		.pids = r->pids,
		.nr_pids = r->nr_pids,
		.argv = r->argv,
		.cmdline = cmdline,
		.version = version,
	};
	int err = trace_event__parse("", r->event_spec, &event);
	int command_err = r->argv ? workload__find(r->argv[0]) : 0;

	if (err == -EINVAL)
		return usage_error();
	if (command_err)
		return workload__error(r->argv[0], command_err);
	if (err == -ENODEV)
		log_no_pmu();
	if (err || preflight__capabilities("") || preflight__btf(""))
		return EXIT_FAILURE;
	return capture__run(&opts);
}

int record__main(int argc, char **argv, const char *version)
{
	struct record r = {.output = DEFAULT_OUTPUT, .aux_size = DEFAULT_AUX_SIZE};
	int opt;

	while ((opt = getopt_long(argc, argv, "+p:o:e:qvh", options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		}
		if (parse_option(&r, opt))
			return usage_error();
	}
	if (optind < argc)
		r.argv = argv + optind;
	if (check_complete(&r))
		return usage_error();
	return run(&r, argv + 1, version);
}
