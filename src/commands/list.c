// SPDX-License-Identifier: GPL-2.0-only
#include "commands/list.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "commands/list_containers.h"
#include "commands/list_pmus.h"
#include "commands/list_syscalls.h"

#define EXIT_USAGE 2

static const char usage[] =
	"Usage: auxbpf list [pmus|syscalls|containers] [--json]\n"
	"Shows what this machine offers.\n"
	"\n"
	"  pmus         (default) the trace PMUs with the terms and caps of their drivers, and for\n"
	"               each way in which BPF can move the gate (--control) whether it works here,\n"
	"               found by trying it, and if not, why\n"
	"  syscalls     what --on-syscall takes: numbers, names, and the classes that they are in\n"
	"  containers   what --container takes: runtimes, ids, names; and the cgroups\n"
	"\n"
	"  kfunc       BPF calls the kernel's bpf_perf_event_aux_pause()\n"
	"  tracepoint  BPF calls bpf_trace_printk(), events on its tracepoint pause and resume the trace\n"
	"  breakpoint  BPF writes a variable that debug registers watch; for where tracefs is missing\n"
	"  ioctl       BPF wakes user space, which enables and disables the event: late, but everywhere\n"
	"\n"
	"  -j, --json             as JSON\n"
	"  -h, --help             this text\n"
	"\n"
	"The exit status of pmus is 0 if this machine can trace, 1 if it cannot; 2 for a wrong\n"
	"command line.\n";

static const struct option options[] = {
	{"json", no_argument, NULL, 'j'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

/* Each topic prints to stdout and returns the exit status. The first one is the default. */
static const struct topic {
	const char *name;
	int (*print)(bool json);
} topics[] = {
	{"pmus", list_pmus__print},
	{"syscalls", list_syscalls__print},
	{"containers", list_containers__print},
};

static int usage_error(void)
{
	log_err("see `auxbpf list --help`");
	return EXIT_USAGE;
}

static const struct topic *find_topic(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++) {
		if (!strcmp(name, topics[i].name))
			return &topics[i];
	}
	log_err("there is no list of '%s'", name);
	return NULL;
}

int list__main(int argc, char **argv)
{
	const struct topic *topic = topics;
	bool json = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "jh", options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		}
		if (opt != 'j')
			return usage_error();
		json = true;
	}
	if (optind < argc)
		topic = find_topic(argv[optind++]);
	if (topic && optind < argc)
		log_err("what is '%s'?", argv[optind]);
	if (!topic || optind < argc)
		return usage_error();
	return topic->print(json);
}
