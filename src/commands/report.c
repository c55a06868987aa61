// SPDX-License-Identifier: GPL-2.0-only
#include "commands/report.h"

#include <getopt.h>
#include <stdio.h>

#include "base/color.h"
#include "base/log.h"
#include "base/pager.h"
#include "commands/part_options.h"
#include "report/report.h"

#define EXIT_USAGE 2

static const char usage[] =
	"Usage: auxbpf report [OPTION]... [CAPTURE|DIRECTORY]\n"
	"Shows the calls in a capture (default: auxbpf.data). perf decodes its trace.\n"
	"Of a directory of snapshots it shows which there are.\n"
	"\n"
	"  -w, --windows          the windows: how long they took, and the slowest ones\n"
	"                         (default, if the capture tells of its windows)\n"
	"  -g, --graph            the calls of each task as a tree, as ftrace's function_graph:\n"
	"                         the time that each took at its end, with + above 10 us, !\n"
	"                         above 100 us, # above 1 ms, * above 10 ms, @ above 100 ms,\n"
	"                         $ above 1 s\n"
	"      --window N         the calls of one window, by its number in --windows\n"
	"      --slowest N        the calls of the slowest windows\n"
	"      --last N           the calls of the last windows\n"
	"      --lines            with the calls also the source lines that made them, and the functions\n"
	"                         that the compiler inlined there, from debug information\n"
	"      --show-gate        with the calls also the work of auxbpf itself\n"
	"  -c, --compare          what was different in the slowest window, or those that are\n"
	"                         chosen, from the typical ones of its system call or function:\n"
	"                         where the paths part, and where the time went\n"
	"      --compare-with FILE  the same; the typical ones are those of this capture\n"
	"  -F, --functions        a table of functions: calls, total and self time, percentiles\n"
	"  -s, --sort COLUMN      its order: calls total self p50 p90 p99 max (default: total)\n"
	"  -S, --symbols PATTERN  in the table: these functions alone, as in 'vfs_*'\n"
	"      --time FROM,TO     from one time stamp to another one, in seconds as perf prints\n"
	"                         them; without FROM or TO from the begin or to the end\n"
	"      --task TASK        this thread alone, by its number or its name: 1234, 'kworker*'\n"
	"      --rule RULE        of a directory: the snapshots of these rules alone, as in '*openat*'\n"
	"      --color[=WHEN]     the calls in colours: auto (on a terminal; default), always, never\n"
	"      --no-pager         on a terminal, too, without a pager\n"
	"  -j, --json             as JSON, an object a line\n"
	"  -h, --help             this text\n"
	"\n"
	"Times are those of the trace: calls between two of its time stamps seem to take none.\n"
	"PERF in the environment names another perf, PAGER another pager than less; NO_COLOR takes\n"
	"the colours away.\n";

enum { SHOW_GATE = 256, LINES, NO_PAGER, COLOR, RULE, TIME, TASK, WINDOW, SLOWEST, LAST, COMPARE_WITH };

static const struct option options[] = {
	{"windows", no_argument, NULL, 'w'},
	{"graph", no_argument, NULL, 'g'},
	{"window", required_argument, NULL, WINDOW},
	{"slowest", required_argument, NULL, SLOWEST},
	{"last", required_argument, NULL, LAST},
	{"lines", no_argument, NULL, LINES},
	{"show-gate", no_argument, NULL, SHOW_GATE},
	{"compare", no_argument, NULL, 'c'},
	{"compare-with", required_argument, NULL, COMPARE_WITH},
	{"functions", no_argument, NULL, 'F'},
	{"sort", required_argument, NULL, 's'},
	{"symbols", required_argument, NULL, 'S'},
	{"time", required_argument, NULL, TIME},
	{"task", required_argument, NULL, TASK},
	{"rule", required_argument, NULL, RULE},
	{"color", optional_argument, NULL, COLOR},
	{"no-pager", no_argument, NULL, NO_PAGER},
	{"json", no_argument, NULL, 'j'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static int usage_error(void)
{
	log_err("see `auxbpf report --help`");
	return EXIT_USAGE;
}

struct report_command {
	struct report_opts opts;
	int (*run)(const struct report_opts *opts);
	enum color_when color;
	bool no_pager;
};

/* Takes the argument of --window, --slowest or --last. Returns 0, or EXIT_USAGE with a message. */
static int select_windows(struct report_command *c, enum report_select select, const char *option)
{
	c->opts.select = select;
	if (c->run != report__compare)
		c->run = report__graph;
	return part_options__set_number(option, optarg, &c->opts.number) ? usage_error() : 0;
}

static int set_sort(struct report_command *c)
{
	c->opts.functions.sort = optarg;
	if (functions__is_column(optarg))
		return 0;
	log_err("--sort: there is no column '%s', there are: %s", optarg, functions__columns());
	return usage_error();
}

static int set_color(struct report_command *c)
{
	if (!color__parse(optarg, &c->color))
		return 0;
	log_err("--color: '%s' is none of auto, always and never", optarg);
	return usage_error();
}

/* Takes one option. Returns 0, or EXIT_USAGE with a message. */
static int set_option(struct report_command *c, int opt)
{
	switch (opt) {
	case 'w':
		c->run = report__windows;
		return 0;
	case 'g':
		c->run = report__graph;
		return 0;
	case COMPARE_WITH:
		c->opts.compare_with = optarg;
		c->run = report__compare;
		return 0;
	case 'c':
		c->run = report__compare;
		return 0;
	case 'F':
		c->run = report__functions;
		return 0;
	case WINDOW:
		return select_windows(c, REPORT_WINDOW, "--window");
	case SLOWEST:
		return select_windows(c, REPORT_SLOWEST, "--slowest");
	case LAST:
		return select_windows(c, REPORT_LAST, "--last");
	case LINES:
		c->opts.lines = true;
		return 0;
	case SHOW_GATE:
		c->opts.graph.show_gate = true;
		return 0;
	case RULE:
		c->opts.rule = optarg;
		c->run = report__snapshots;
		return 0;
	case COLOR:
		return set_color(c);
	case NO_PAGER:
		c->no_pager = true;
		return 0;
	case 's':
		return set_sort(c);
	case 'S':
		c->opts.functions.symbol = optarg;
		return 0;
	case 'j':
		c->opts.json = true;
		return 0;
	case TIME:
		return part_options__set_time(optarg, &c->opts.decode) ? usage_error() : 0;
	case TASK:
		return part_options__set_task(optarg, &c->opts.decode) ? usage_error() : 0;
	default:
		return usage_error();
	}
}

int report__main(int argc, char **argv)
{
	struct report_command c = {.opts.decode = {.file = "auxbpf.data", .end = UINT64_MAX, .task.tid = -1},
				   .run = report__any};
	int opt, status;

	while ((opt = getopt_long(argc, argv, "wgcFs:S:jh", options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		}
		status = set_option(&c, opt);
		if (status)
			return status;
	}
	if (optind < argc)
		c.opts.decode.file = argv[optind++];
	if (optind < argc) {
		log_err("one capture at a time: what is '%s'?", argv[optind]);
		return usage_error();
	}
	if (c.opts.select == REPORT_WINDOW && part_options__check_window(&c.opts.decode))
		return usage_error();
	if (!c.no_pager)
		pager__start();
	c.opts.graph.color = color__is_wanted(c.color, pager__is_terminal());
	status = c.run(&c.opts) ? EXIT_FAILURE : EXIT_SUCCESS;
	pager__finish();
	return status;
}
