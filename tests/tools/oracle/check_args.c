// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "check_args.h"

static const char usage_text[] =
	"Usage: oracle-check decode --oracle LOG --script FILE [--cpu N]... [--kallsyms FILE]\n"
	"                    [--tail --least N | --shared-sink]\n"
	"       oracle-check gate --oracle LOG --kallsyms FILE --slack FILE [--modes u|k|uk]\n"
	"                    WINDOW... TARGET... [--windows N] [--limit KIND=N]... [--slack-report]\n"
	"           WINDOW   --syscall NR[,NR...] | --compat-syscall NR[,NR...] | --function "
	"ADDRESS|NAME |\n"
	"                    --range-begin NAME --range-end NAME | --on-cpu\n"
	"           TARGET   --target-pid PID[,PID...] | --target-note N[,N...] | --begin-note N | "
	"--end-note N |\n"
	"                    --either-note N | --all | --cpu N[,N...]\n"
	"       oracle-check snapshots --oracle LOG [--kallsyms FILE] [--cpu N]... [--names FILE]\n"
	"                    [--bytes FILE] [--end-note N [--after-symbol NAME[,NAME...]]\n"
	"                    [--switch-in TICKS] [--max-after N] [--missed N]] [--back TICKS [--later]]\n"
	"                    [--least N] [--gaps N | --shared-sink] SCRIPT...\n"
	"       oracle-check calls --oracle LOG --kallsyms FILE --script FILE --least N\n"
	"                    [--target-pid PID[,PID...]]\n"
	"       oracle-check dump --oracle LOG [--cpu N]... [--kallsyms FILE] [--first N] [--count N] "
	"[--traced]\n"
	"\n"
	"decode  perf's decoded branches (perf script --itrace=be -F cpu,event,ip,addr > FILE) are those "
	"that ran\n"
	"        --tail: but for a beginning that was overwritten; --least N branches are there\n"
	"        --shared-sink: as below\n"
	"gate    the unit was on for the windows of the targets and for nothing else\n"
	"snapshots  the decoded branches of each snapshot of a run (SCRIPTs as --script, in the order in\n"
	"        which they were taken) are, per CPU, a stretch of those that ran traced, in order and\n"
	"        none twice.\n"
	"        --names: a file with a name for each, to be shown\n"
	"        --bytes: a file with a line \"CPU BEGIN END\" for each CPU of each: none of these bytes of\n"
	"        the trace is in two, and they are not more than the unit wrote\n"
	"        --end-note: on the CPU of the i-th note N, that of the i-th snapshot ends behind it, at\n"
	"        most --max-after (500) branches behind the trigger: the first branch behind the note by\n"
	"        its task into one of the kernel functions --after-symbol, or the note itself.\n"
	"        --switch-in: the trigger is the switch back to the note's task, at least TICKS of the\n"
	"        log's time after it left the CPU.\n"
	"        --missed: so many notes have no snapshot\n"
	"        --back: no history is missing: on each CPU a snapshot goes on where the one before ended, "
	"or\n"
	"        goes TICKS of the log's time back from its end. The first begins where the trace did;\n"
	"        --later: but these are not the first ones of the run\n"
	"        --least: each has at least N branches\n"
	"        --gaps: at most N times, of all, something is missing in the middle of one\n"
	"        --shared-sink: of a buffer that CPUs share, perf may not show where trace ended before\n"
	"        it began again\n"
	"calls   the calls and returns of each task that `auxbpf report --graph --json --show-gate` shows\n"
	"        (--script) are those that ran, at least N calls; --target-pid: of these threads alone\n"
	"dump    prints the log's records\n"
	"\n"
	"--etm[=SYMBOL]: of Arm's ETM or ETE (etm_view.h); below SYMBOL perf finds no code.\n"
	"        --pieces all|none: the pieces whose end perf cuts off, if not all but the last\n"
	"--phase N takes only the part of the log that `oracle-mark run --phase N` made.\n";

enum opt_id {
	OPT_ORACLE = 256,
	OPT_SCRIPT,
	OPT_CPU,
	OPT_TAIL,
	OPT_KALLSYMS,
	OPT_SLACK,
	OPT_SYSCALL,
	OPT_COMPAT,
	OPT_PID,
	OPT_NOTE,
	OPT_BEGIN,
	OPT_END,
	OPT_EITHER,
	OPT_ALL,
	OPT_ON_CPU,
	OPT_FUNCTION,
	OPT_RANGE_BEGIN,
	OPT_RANGE_END,
	OPT_MODES,
	OPT_WINDOWS,
	OPT_LIMIT,
	OPT_REPORT,
	OPT_FIRST,
	OPT_COUNT,
	OPT_TRACED,
	OPT_PHASE,
	OPT_NAMES,
	OPT_BYTES,
	OPT_MAX_AFTER,
	OPT_AFTER_SYMBOL,
	OPT_SWITCH_IN,
	OPT_MISSED,
	OPT_BACK,
	OPT_LATER,
	OPT_SHARED_SINK,
	OPT_LEAST,
	OPT_GAPS,
	OPT_ETM,
	OPT_PIECES,
	OPT_HELP,
};

static const struct option long_opts[] = {
	{"oracle", required_argument, NULL, OPT_ORACLE},
	{"script", required_argument, NULL, OPT_SCRIPT},
	{"cpu", required_argument, NULL, OPT_CPU},
	{"tail", no_argument, NULL, OPT_TAIL},
	{"kallsyms", required_argument, NULL, OPT_KALLSYMS},
	{"slack", required_argument, NULL, OPT_SLACK},
	{"syscall", required_argument, NULL, OPT_SYSCALL},
	{"compat-syscall", required_argument, NULL, OPT_COMPAT},
	{"target-pid", required_argument, NULL, OPT_PID},
	{"target-note", required_argument, NULL, OPT_NOTE},
	{"begin-note", required_argument, NULL, OPT_BEGIN},
	{"end-note", required_argument, NULL, OPT_END},
	{"either-note", required_argument, NULL, OPT_EITHER},
	{"all", no_argument, NULL, OPT_ALL},
	{"on-cpu", no_argument, NULL, OPT_ON_CPU},
	{"function", required_argument, NULL, OPT_FUNCTION},
	{"range-begin", required_argument, NULL, OPT_RANGE_BEGIN},
	{"range-end", required_argument, NULL, OPT_RANGE_END},
	{"modes", required_argument, NULL, OPT_MODES},
	{"windows", required_argument, NULL, OPT_WINDOWS},
	{"limit", required_argument, NULL, OPT_LIMIT},
	{"slack-report", no_argument, NULL, OPT_REPORT},
	{"first", required_argument, NULL, OPT_FIRST},
	{"count", required_argument, NULL, OPT_COUNT},
	{"traced", no_argument, NULL, OPT_TRACED},
	{"phase", required_argument, NULL, OPT_PHASE},
	{"names", required_argument, NULL, OPT_NAMES},
	{"bytes", required_argument, NULL, OPT_BYTES},
	{"max-after", required_argument, NULL, OPT_MAX_AFTER},
	{"after-symbol", required_argument, NULL, OPT_AFTER_SYMBOL},
	{"switch-in", required_argument, NULL, OPT_SWITCH_IN},
	{"missed", required_argument, NULL, OPT_MISSED},
	{"back", required_argument, NULL, OPT_BACK},
	{"later", no_argument, NULL, OPT_LATER},
	{"shared-sink", no_argument, NULL, OPT_SHARED_SINK},
	{"least", required_argument, NULL, OPT_LEAST},
	{"gaps", required_argument, NULL, OPT_GAPS},
	{"etm", optional_argument, NULL, OPT_ETM},
	{"pieces", required_argument, NULL, OPT_PIECES},
	{"help", no_argument, NULL, OPT_HELP},
	{NULL, 0, NULL, 0},
};

bool check_args__usage_error(const char *what)
{
	fprintf(stderr, "oracle-check: %s\n%s", what, usage_text);
	return false;
}

void check_args__print_usage(void)
{
	fputs(usage_text, stdout);
}

static bool parse_numbers(const char *arg, struct number_list *list)
{
	_cleanup_free_ char *copy = strdup(arg);
	char *save = NULL;

	for (char *word = copy ? strtok_r(copy, ",", &save) : NULL; word; word = strtok_r(NULL, ",", &save)) {
		uint64_t val;

		if (parse__u64(word, &val) || val > UINT32_MAX || number_list__add(list, (uint32_t)val))
			return false;
	}
	return list->nr > 0;
}

static bool parse_word(const char **words, unsigned int *nr, unsigned int max, const char *arg)
{
	if (*nr == max)
		return false;
	words[(*nr)++] = arg;
	return true;
}

static bool parse_words(struct check_args *a, const char *arg)
{
	char *save = NULL;

	free(a->symbols);
	a->symbols = strdup(arg);
	a->nr_functions = 0;
	for (char *word = a->symbols ? strtok_r(a->symbols, ",", &save) : NULL; word;
	     word = strtok_r(NULL, ",", &save))
		if (!parse_word(a->functions, &a->nr_functions, MAX_FUNCTIONS, word))
			return false;
	return a->nr_functions > 0;
}

static bool parse_note(const char *arg, uint32_t *note)
{
	uint64_t val;

	if (parse__u64(arg, &val) || val < 16 || val > UINT32_MAX)
		return false;
	*note = (uint32_t)val;
	return true;
}

static bool parse_modes(const char *arg, unsigned int *modes)
{
	*modes = (strchr(arg, 'u') ? MODE_USER : 0) | (strchr(arg, 'k') ? MODE_KERNEL : 0);
	return *arg && !arg[strspn(arg, "uk")];
}

/* Options of the snapshot check that have a value. */
static bool parse_snapshot_value(struct check_args *a, int opt, const char *arg)
{
	switch (opt) {
	case OPT_MAX_AFTER:
		return !parse__u64(arg, &a->max_after);
	case OPT_SWITCH_IN:
		return !parse__u64(arg, &a->off_cpu);
	case OPT_MISSED:
		return !parse__u64(arg, &a->missed);
	case OPT_BACK:
		return !parse__u64(arg, &a->back);
	case OPT_LEAST:
		return !parse__u64(arg, &a->least);
	case OPT_GAPS:
		return !parse__u64(arg, &a->gaps);
	case OPT_AFTER_SYMBOL:
		return parse_words(a, arg);
	default:
		return false;
	}
}

/* Options of the gate check that have a value. */
static bool parse_gate_value(struct check_args *a, int opt, const char *arg)
{
	switch (opt) {
	case OPT_BEGIN:
		return parse_note(arg, &a->begin_note);
	case OPT_END:
		return parse_note(arg, &a->end_note);
	case OPT_EITHER:
		return parse_note(arg, &a->either_note);
	case OPT_MODES:
		return parse_modes(arg, &a->modes);
	case OPT_FUNCTION:
		return parse_word(a->functions, &a->nr_functions, MAX_FUNCTIONS, arg);
	case OPT_RANGE_BEGIN:
		a->range_begin = arg;
		return true;
	case OPT_RANGE_END:
		a->range_end = arg;
		return true;
	case OPT_PIECES:
		return etm_pieces__parse(arg, &a->pieces);
	case OPT_LIMIT:
		return parse_word(a->limits, &a->nr_limits, MAX_LIMITS, arg);
	default:
		return parse_snapshot_value(a, opt, arg);
	}
}

static bool parse_value(struct check_args *a, int opt, const char *arg)
{
	switch (opt) {
	case OPT_CPU:
		return parse_numbers(arg, &a->cpus);
	case OPT_SYSCALL:
		return parse_numbers(arg, &a->syscalls);
	case OPT_COMPAT:
		return parse_numbers(arg, &a->compat);
	case OPT_PID:
		return parse_numbers(arg, &a->pids);
	case OPT_NOTE:
		return parse_numbers(arg, &a->notes);
	case OPT_WINDOWS:
		a->has_windows = true;
		return !parse__u64(arg, &a->windows) && a->windows <= INT32_MAX;
	case OPT_FIRST:
		return !parse__u64(arg, &a->first);
	case OPT_COUNT:
		return !parse__u64(arg, &a->count);
	case OPT_PHASE:
		return !parse__u64(arg, &a->phase) && a->phase >= 16 && a->phase <= UINT32_MAX;
	default:
		return parse_gate_value(a, opt, arg);
	}
}

static bool parse_option(struct check_args *a, int opt, const char *arg)
{
	switch (opt) {
	case OPT_ORACLE:
		a->oracle = arg;
		return true;
	case OPT_SCRIPT:
		a->script = arg;
		return true;
	case OPT_KALLSYMS:
		a->kallsyms = arg;
		return true;
	case OPT_SLACK:
		a->slack = arg;
		return true;
	case OPT_NAMES:
		a->names = arg;
		return true;
	case OPT_BYTES:
		a->bytes = arg;
		return true;
	case OPT_TAIL:
		a->tail = true;
		return true;
	case OPT_REPORT:
		a->report = true;
		return true;
	case OPT_TRACED:
		a->traced = true;
		return true;
	case OPT_ALL:
		a->all = true;
		return true;
	case OPT_ON_CPU:
		a->on_cpu = true;
		return true;
	case OPT_ETM:
		a->etm = true;
		a->readable_from = arg;
		return true;
	case OPT_SHARED_SINK:
		a->shared_sink = true;
		return true;
	case OPT_LATER:
		a->later = true;
		return true;
	default:
		return parse_value(a, opt, arg);
	}
}

bool check_args__parse(struct check_args *a, int argc, char **argv)
{
	int opt, at = 0;

	while ((opt = getopt_long(argc, argv, "", long_opts, &at)) != -1) {
		if (opt == OPT_HELP) {
			fputs(usage_text, stdout);
			exit(EXIT_SUCCESS);
		}
		if (opt == '?')
			return check_args__usage_error("unknown option");
		if (!parse_option(a, opt, optarg)) {
			fprintf(stderr, "oracle-check: bad value of --%s: %s\n", long_opts[at].name, optarg);
			return false;
		}
	}
	a->scripts = argv + optind;
	a->nr_scripts = (unsigned int)(argc - optind);
	return a->oracle ? true : check_args__usage_error("--oracle LOG is missing");
}

void check_args__release(struct check_args *a)
{
	free(a->cpus.val);
	free(a->syscalls.val);
	free(a->compat.val);
	free(a->pids.val);
	free(a->notes.val);
	free(a->symbols);
}
