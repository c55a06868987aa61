// SPDX-License-Identifier: GPL-2.0-only
/*
 * oracle-check: compares what was traced with what ran, as the trace unit's oracle log has it.
 * Exit status: 0 right, 1 wrong or unreadable input, 2 usage.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "decode_check.h"
#include "decode_text.h"
#include "etm_view.h"
#include "gate_check.h"
#include "log_dump.h"
#include "log_reader.h"
#include "slack.h"
#include "snapshot_check.h"
#include "symbols.h"
#include "trace_bytes.h"

#define EXIT_USAGE 2

static const char usage_text[] =
	"Usage: oracle-check decode --oracle LOG --script FILE [--cpu N]... [--tail] [--kallsyms FILE]\n"
	"       oracle-check gate --oracle LOG --kallsyms FILE --slack FILE [--modes u|k|uk]\n"
	"                    WINDOW... TARGET... [--windows N] [--limit KIND=N]... [--slack-report]\n"
	"           WINDOW   --syscall NR[,NR...] | --compat-syscall NR[,NR...] | --function "
	"ADDRESS|NAME | --on-cpu\n"
	"           TARGET   --target-pid PID[,PID...] | --target-note N[,N...] | --begin-note N | "
	"--end-note N |\n"
	"                    --either-note N | --all | --cpu N[,N...]\n"
	"       oracle-check snapshots --oracle LOG [--kallsyms FILE] [--cpu N]... [--names FILE]\n"
	"                    [--bytes FILE] [--end-note N [--after-symbol NAME[,NAME...]]\n"
	"                    [--switch-in TICKS] [--max-after N] [--missed N]] SCRIPT...\n"
	"       oracle-check dump --oracle LOG [--cpu N]... [--kallsyms FILE] [--first N] [--count N] "
	"[--traced]\n"
	"\n"
	"decode  perf's decoded branches (perf script --itrace=be -F cpu,event,ip,addr > FILE) are those "
	"that ran\n"
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
	"dump    prints the log's records\n"
	"\n"
	"--etm[=SYMBOL]: of Arm's ETM or ETE (etm_view.h); below SYMBOL perf finds no code.\n"
	"        --timeless: a trace without times, as of perf record --per-thread\n"
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
	OPT_ETM,
	OPT_TIMELESS,
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
	{"etm", optional_argument, NULL, OPT_ETM},
	{"timeless", no_argument, NULL, OPT_TIMELESS},
	{"help", no_argument, NULL, OPT_HELP},
	{NULL, 0, NULL, 0},
};

#define MAX_LIMITS 8
#define MAX_FUNCTIONS 8

struct args {
	const char *oracle, *script, *kallsyms, *slack, *names, *bytes, *readable_from;
	char *const *scripts; /* of snapshots */
	unsigned int nr_scripts;
	struct number_list cpus, syscalls, compat, pids, notes;
	const char *limits[MAX_LIMITS];
	unsigned int nr_limits;
	const char *functions[MAX_FUNCTIONS];
	unsigned int nr_functions;
	unsigned int modes;
	uint32_t begin_note, end_note, either_note;
	uint64_t windows, first, count, phase, max_after, missed, off_cpu;
	bool has_windows, tail, report, traced, all, on_cpu, etm, timeless;
	char *symbols; /* the words of functions are in it */
};

static bool usage_error(const char *what)
{
	fprintf(stderr, "oracle-check: %s\n%s", what, usage_text);
	return false;
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

static bool parse_words(struct args *a, const char *arg)
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
static bool parse_snapshot_value(struct args *a, int opt, const char *arg)
{
	switch (opt) {
	case OPT_MAX_AFTER:
		return !parse__u64(arg, &a->max_after);
	case OPT_SWITCH_IN:
		return !parse__u64(arg, &a->off_cpu);
	case OPT_MISSED:
		return !parse__u64(arg, &a->missed);
	case OPT_AFTER_SYMBOL:
		return parse_words(a, arg);
	default:
		return false;
	}
}

/* Options of the gate check that have a value. */
static bool parse_gate_value(struct args *a, int opt, const char *arg)
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
	case OPT_LIMIT:
		return parse_word(a->limits, &a->nr_limits, MAX_LIMITS, arg);
	default:
		return parse_snapshot_value(a, opt, arg);
	}
}

static bool parse_value(struct args *a, int opt, const char *arg)
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

static bool parse_option(struct args *a, int opt, const char *arg)
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
	case OPT_TIMELESS:
		a->timeless = true;
		return true;
	default:
		return parse_value(a, opt, arg);
	}
}

static bool parse_args(struct args *a, int argc, char **argv)
{
	int opt, at = 0;

	while ((opt = getopt_long(argc, argv, "", long_opts, &at)) != -1) {
		if (opt == OPT_HELP) {
			fputs(usage_text, stdout);
			exit(EXIT_SUCCESS);
		}
		if (opt == '?')
			return usage_error("unknown option");
		if (!parse_option(a, opt, optarg)) {
			fprintf(stderr, "oracle-check: bad value of --%s: %s\n", long_opts[at].name, optarg);
			return false;
		}
	}
	a->scripts = argv + optind;
	a->nr_scripts = (unsigned int)(argc - optind);
	return a->oracle ? true : usage_error("--oracle LOG is missing");
}

/* A table for every CPU number there can be, from the list of those that are wanted; NULL if all are. */
static bool *cpu_table(const struct args *a)
{
	bool *table = a->cpus.nr ? calloc(UINT16_MAX + 1, sizeof(*table)) : NULL;

	for (uint32_t i = 0; table && i < a->cpus.nr; i++)
		if (a->cpus.val[i] <= UINT16_MAX)
			table[a->cpus.val[i]] = true;
	return table;
}

static int open_log(const struct args *a, const struct symbols *syms, struct oracle_log **log)
{
	uint64_t kernel_start = 0;
	int err = oracle_log__open(a->oracle, log);

	if (!err && a->phase)
		err = oracle_log__select_phase(*log, (uint32_t)a->phase);
	if (err || !a->etm)
		return err;
	if (a->readable_from && (!syms || !symbols__address(syms, a->readable_from, &kernel_start)))
		return -ENOENT;
	etm_view__log(*log, kernel_start, a->timeless);
	return 0;
}

static int cmd_decode(const struct args *a)
{
	_cleanup_oracle_log_ struct oracle_log *log = NULL;
	_cleanup_decode_text_ struct decode_text *text = NULL;
	_cleanup_symbols_ struct symbols *syms = NULL;
	_cleanup_free_ bool *cpus = cpu_table(a);
	struct decode_check_opts opts = {.cpus = cpus, .tail = a->tail, .out = stdout};

	if (!a->script) {
		usage_error("decode needs --script FILE");
		return EXIT_USAGE;
	}
	if (a->kallsyms && symbols__load(a->kallsyms, &syms))
		return EXIT_FAILURE;
	if (open_log(a, syms, &log) || decode_text__load(a->script, &text))
		return EXIT_FAILURE;
	if (a->etm)
		etm_view__text(text);
	opts.syms = syms;
	return decode_check__run(log, text, &opts) ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* "open=500" */
static bool set_limit(struct slack *slack, const char *arg)
{
	size_t len = strcspn(arg, "=");
	uint64_t val;

	for (int kind = 0; kind < SLACK_LIMITED; kind++) {
		const char *name = slack__kind_name(kind);

		if (strlen(name) != len || memcmp(name, arg, len) != 0)
			continue;
		if (!arg[len] || parse__u64(arg + len + 1, &val))
			return false;
		slack__set_limit(slack, kind, val);
		return true;
	}
	return false;
}

static bool set_limits(const struct args *a, struct slack *slack)
{
	for (unsigned int i = 0; i < a->nr_limits; i++)
		if (!set_limit(slack, a->limits[i]))
			return usage_error("--limit takes KIND=NUMBER");
	return true;
}

/* Addresses, and names of kernel functions. */
static bool find_functions(const struct args *a, const struct symbols *syms, struct address_list *list)
{
	for (unsigned int i = 0; i < a->nr_functions; i++) {
		uint64_t addr;

		if (parse__u64(a->functions[i], &addr) && !symbols__address(syms, a->functions[i], &addr)) {
			fprintf(stderr, "oracle-check: no kernel function %s\n", a->functions[i]);
			return false;
		}
		if (address_list__add(list, addr))
			return false;
	}
	return true;
}

static bool gate_is_complete(const struct args *a)
{
	bool windows = a->on_cpu || a->syscalls.nr + a->compat.nr + a->nr_functions;
	bool targets = a->all || a->begin_note || a->pids.nr + a->notes.nr;

	return a->kallsyms && a->slack && windows && targets;
}

static void gate_opts__init(struct gate_check_opts *opts, const struct args *a)
{
	*opts = (struct gate_check_opts){
		.modes = a->modes ? a->modes : MODE_KERNEL,
		.syscalls = a->syscalls,
		.compat = a->compat,
		.on_cpu = a->on_cpu,
		.pids = a->pids,
		.notes = a->notes,
		.all = a->all,
		.cpus = a->cpus,
		.begin_note = a->begin_note,
		.end_note = a->end_note,
		.either_note = a->either_note,
		.expect_windows = a->has_windows ? (long)a->windows : -1,
		.slack_report = a->report,
		.out = stdout,
	};
}

static int cmd_gate(const struct args *a)
{
	_cleanup_oracle_log_ struct oracle_log *log = NULL;
	_cleanup_symbols_ struct symbols *syms = NULL;
	_cleanup_slack_ struct slack *slack = NULL;
	struct gate_check_opts opts;
	int ret = EXIT_FAILURE;
	uint64_t entry;

	if (!gate_is_complete(a)) {
		usage_error("gate needs --kallsyms, --slack, a WINDOW and a TARGET");
		return EXIT_USAGE;
	}
	if (symbols__load(a->kallsyms, &syms) || slack__load(a->slack, syms, &slack) ||
	    open_log(a, syms, &log))
		return EXIT_FAILURE;
	if (!set_limits(a, slack))
		return EXIT_USAGE;
	gate_opts__init(&opts, a);
	opts.syms = syms;
	opts.slack = slack;
	opts.arm = symbols__address(syms, "do_el0_svc", &entry);
	if (find_functions(a, syms, &opts.functions))
		ret = gate_check__run(log, &opts) ? EXIT_FAILURE : EXIT_SUCCESS;
	free(opts.functions.val);
	return ret;
}

static int cmd_dump(const struct args *a)
{
	_cleanup_oracle_log_ struct oracle_log *log = NULL;
	_cleanup_symbols_ struct symbols *syms = NULL;
	_cleanup_free_ bool *cpus = cpu_table(a);
	struct log_dump_opts opts = {.cpus = cpus, .first = a->first, .traced = a->traced, .out = stdout};

	if (a->kallsyms && symbols__load(a->kallsyms, &syms))
		return EXIT_FAILURE;
	if (open_log(a, syms, &log))
		return EXIT_FAILURE;
	opts.syms = syms;
	opts.count = a->count ? a->count : UINT64_MAX;
	return log_dump__run(log, &opts) ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int check_snapshots(const struct args *a, const struct snapshot_file *files)
{
	_cleanup_oracle_log_ struct oracle_log *log = NULL;
	_cleanup_symbols_ struct symbols *syms = NULL;
	_cleanup_free_ bool *cpus = cpu_table(a);
	struct snapshot_check_opts opts = {
		.cpus = cpus,
		.note = a->end_note,
		.place.off_cpu = a->off_cpu,
		.max_after = a->max_after,
		.missed = a->missed,
		.out = stdout,
	};
	int ret = EXIT_FAILURE;

	if (a->kallsyms && symbols__load(a->kallsyms, &syms))
		return EXIT_FAILURE;
	if (open_log(a, syms, &log))
		return EXIT_FAILURE;
	for (unsigned int i = 0; a->etm && i < a->nr_scripts; i++)
		etm_view__text(files[i].text);
	opts.syms = opts.place.syms = syms;
	if (find_functions(a, syms, &opts.place.functions) &&
	    !snapshot_check__run(log, files, a->nr_scripts, &opts))
		ret = EXIT_SUCCESS;
	if (a->bytes && trace_bytes__check(log, a->bytes, stdout))
		ret = EXIT_FAILURE;
	free(opts.place.functions.val);
	return ret;
}

static int cmd_snapshots(const struct args *a)
{
	struct snapshot_file *files = NULL;
	int ret = EXIT_FAILURE;

	if (!a->nr_scripts || (a->nr_functions && !a->kallsyms) || (a->off_cpu && !a->nr_functions)) {
		usage_error(
			"snapshots needs a SCRIPT, --after-symbol --kallsyms, --switch-in --after-symbol");
		return EXIT_USAGE;
	}
	if (!snapshot_files__load(a->scripts, a->nr_scripts, a->names, &files))
		ret = check_snapshots(a, files);
	snapshot_files__free(files, a->nr_scripts);
	return ret;
}

static const struct command {
	const char *name;
	int (*run)(const struct args *a);
	bool takes_scripts;
} commands[] = {
	{"decode", cmd_decode},
	{"gate", cmd_gate},
	{"snapshots", cmd_snapshots, .takes_scripts = true},
	{"dump", cmd_dump},
};

static void args__release(struct args *a)
{
	free(a->cpus.val);
	free(a->syscalls.val);
	free(a->compat.val);
	free(a->pids.val);
	free(a->notes.val);
	free(a->symbols);
}

int main(int argc, char **argv)
{
	struct args a = {.max_after = 500};

	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(commands); i++) {
		int ret = EXIT_USAGE;

		if (strcmp(argv[1], commands[i].name) != 0)
			continue;
		if (parse_args(&a, argc - 1, argv + 1) &&
		    (commands[i].takes_scripts || !a.nr_scripts || usage_error("unexpected argument")))
			ret = commands[i].run(&a);
		args__release(&a);
		return ret;
	}
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		fputs(usage_text, stdout);
		return EXIT_SUCCESS;
	}
	usage_error("decode, gate, snapshots or dump?");
	return EXIT_USAGE;
}
