// SPDX-License-Identifier: GPL-2.0-only
#include "commands/export.h"

#include <getopt.h>
#include <stdio.h>

#include "base/log.h"
#include "base/parse.h"
#include "commands/part_options.h"
#include "export/export.h"

#define EXIT_USAGE 2

static const char usage[] =
	"Usage: auxbpf export FORMAT [OPTION]... [CAPTURE|DIRECTORY]\n"
	"Writes the calls in a capture (default: auxbpf.data) as a page, or for programs that show\n"
	"them. perf decodes its trace. Of a directory it takes all snapshots.\n"
	"\n"
	"  -f, --folded           for flame graphs: a line for each path of calls, with the\n"
	"                         nanoseconds in the last function itself\n"
	"  -H, --html             a page that a browser shows by itself, without a network: each call and\n"
	"                         window of each thread\n"
	"  -p, --perfetto         for https://ui.perfetto.dev: each call and window of each thread\n"
	"  -s, --speedscope       for https://www.speedscope.app, as JSON: each call of each thread\n"
	"  -o, --output FILE      write here; a file gets its name once it is whole\n"
	"                         (default: -, stdout)\n"
	"      --window N         one window, by its number in `auxbpf report --windows`\n"
	"      --time FROM,TO     from one time stamp to another one, in seconds as perf prints\n"
	"                         them; without FROM or TO from the begin or to the end\n"
	"      --task TASK        this thread alone, by its number or its name: 1234, 'kworker*'\n"
	"      --rule RULE        of a directory: the snapshots of these rules alone, as in '*openat*'\n"
	"      --min-duration T   leave out calls that were shorter: 10us\n"
	"      --depth N          leave out calls that are deeper inside of others: 1 leaves those\n"
	"                         that nobody has called\n"
	"      --show-gate        with the calls also the work of auxbpf itself\n"
	"  -h, --help             this text\n"
	"\n"
	"Times are those of the trace: calls between two of its time stamps seem to take none.\n"
	"PERF in the environment names another perf.\n";

enum { WINDOW = 256, TIME, TASK, RULE, MIN_DURATION, DEPTH, SHOW_GATE };

static const struct option options[] = {
	{"folded", no_argument, NULL, 'f'},
	{"html", no_argument, NULL, 'H'},
	{"perfetto", no_argument, NULL, 'p'},
	{"speedscope", no_argument, NULL, 's'},
	{"output", required_argument, NULL, 'o'},
	{"window", required_argument, NULL, WINDOW},
	{"time", required_argument, NULL, TIME},
	{"task", required_argument, NULL, TASK},
	{"rule", required_argument, NULL, RULE}, /* of a directory */
	{"min-duration", required_argument, NULL, MIN_DURATION},
	{"depth", required_argument, NULL, DEPTH},
	{"show-gate", no_argument, NULL, SHOW_GATE},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static int usage_error(void)
{
	log_err("see `auxbpf export --help`");
	return EXIT_USAGE;
}

static int set_format(struct export_opts *opts, const char *name)
{
	if (opts->format) {
		log_err("one format at a time");
		return usage_error();
	}
	opts->format = export__format(name);
	return 0;
}

static int set_min_duration(struct export_opts *opts)
{
	if (!parse__time(optarg, &opts->limits.min_duration))
		return 0;
	log_err("--min-duration: '%s' is no time with its unit, as in 10us", optarg);
	return usage_error();
}

/* Takes one option. Returns 0, or EXIT_USAGE with a message. */
static int set_option(struct export_opts *opts, int opt)
{
	switch (opt) {
	case 'f':
		return set_format(opts, "folded");
	case 'H':
		return set_format(opts, "html");
	case 'p':
		return set_format(opts, "perfetto");
	case 's':
		return set_format(opts, "speedscope");
	case 'o':
		opts->out = optarg;
		return 0;
	case WINDOW:
		return part_options__set_number("--window", optarg, &opts->window) ? usage_error() : 0;
	case TIME:
		return part_options__set_time(optarg, &opts->decode) ? usage_error() : 0;
	case TASK:
		return part_options__set_task(optarg, &opts->decode) ? usage_error() : 0;
	case RULE:
		opts->rule = optarg;
		return 0;
	case MIN_DURATION:
		return set_min_duration(opts);
	case DEPTH:
		return part_options__set_number("--depth", optarg, &opts->limits.depth) ? usage_error() : 0;
	case SHOW_GATE:
		opts->limits.show_gate = true;
		return 0;
	default:
		return usage_error();
	}
}

/* Takes what stands behind the options, and checks that all goes together. Returns 0, or EXIT_USAGE with a message. */
static int take_capture(struct export_opts *opts, int nr, char **words)
{
	if (nr > 1)
		log_err("one capture at a time: what is '%s'?", words[1]);
	else if (!opts->format)
		log_err("in which format? There are --folded, --html, --perfetto, --speedscope");
	else if (!opts->window || !part_options__check_window(&opts->decode))
		opts->decode.file = nr ? words[0] : "auxbpf.data";
	return opts->decode.file ? 0 : usage_error();
}

int export__main(int argc, char **argv)
{
	struct export_opts opts = {.decode = {.end = UINT64_MAX, .task.tid = -1}};
	int opt, status;

	while ((opt = getopt_long(argc, argv, "fHpso:h", options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		}
		status = set_option(&opts, opt);
		if (status)
			return status;
	}
	status = take_capture(&opts, argc - optind, argv + optind);
	if (status)
		return status;
	return export__run(&opts) ? EXIT_FAILURE : EXIT_SUCCESS;
}
