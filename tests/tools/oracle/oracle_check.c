// SPDX-License-Identifier: GPL-2.0-only
/*
 * oracle-check: compares what was traced with what ran, as the trace unit's oracle log has it.
 * Exit status: 0 right, 1 wrong or unreadable input, 2 usage.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "call_check.h"
#include "check_args.h"
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

/* A table for every CPU number there can be, from the list of those that are wanted; NULL if all are. */
static bool *cpu_table(const struct check_args *a)
{
	bool *table = a->cpus.nr ? calloc(UINT16_MAX + 1, sizeof(*table)) : NULL;

	for (uint32_t i = 0; table && i < a->cpus.nr; i++)
		if (a->cpus.val[i] <= UINT16_MAX)
			table[a->cpus.val[i]] = true;
	return table;
}

static int open_log(const struct check_args *a, const struct symbols *syms, struct oracle_log **log)
{
	uint64_t kernel_start = 0;
	int err = oracle_log__open(a->oracle, (uint32_t)a->phase, log);

	if (err || !a->etm)
		return err;
	if (a->readable_from && (!syms || !symbols__address(syms, a->readable_from, &kernel_start)))
		return -ENOENT;
	etm_view__log(*log, kernel_start, a->pieces);
	return 0;
}

static int cmd_decode(const struct check_args *a)
{
	_cleanup_oracle_log_ struct oracle_log *log = NULL;
	_cleanup_decode_text_ struct decode_text *text = NULL;
	_cleanup_symbols_ struct symbols *syms = NULL;
	_cleanup_free_ bool *cpus = cpu_table(a);
	struct decode_check_opts opts = {
		.cpus = cpus,
		.shared_sink = a->shared_sink,
		.tail = a->tail,
		.least = a->least,
		.out = stdout,
	};

	if (!a->script || (a->tail && (!a->least || a->shared_sink))) {
		check_args__usage_error(
			"decode needs --script FILE, --tail --least N; and one of --tail, --shared-sink");
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

static bool set_limits(const struct check_args *a, struct slack *slack)
{
	for (unsigned int i = 0; i < a->nr_limits; i++)
		if (!set_limit(slack, a->limits[i]))
			return check_args__usage_error("--limit takes KIND=NUMBER");
	return true;
}

/* Addresses, and names of kernel functions. */
static bool find_functions(const struct check_args *a, const struct symbols *syms, struct address_list *list)
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

static bool find_function(const char *name, const struct symbols *syms, uint64_t *addr)
{
	if (!name || symbols__address(syms, name, addr))
		return true;
	fprintf(stderr, "oracle-check: no kernel function %s\n", name);
	return false;
}

static bool gate_is_complete(const struct check_args *a)
{
	bool range = a->range_begin && a->range_end;
	bool windows = a->on_cpu || range || a->syscalls.nr + a->compat.nr + a->nr_functions;
	bool targets = a->all || a->begin_note || a->pids.nr + a->notes.nr;

	return a->kallsyms && a->slack && windows && targets && range == (a->range_begin || a->range_end);
}

static void gate_opts__init(struct gate_check_opts *opts, const struct check_args *a)
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

static int cmd_gate(const struct check_args *a)
{
	_cleanup_oracle_log_ struct oracle_log *log = NULL;
	_cleanup_symbols_ struct symbols *syms = NULL;
	_cleanup_slack_ struct slack *slack = NULL;
	struct gate_check_opts opts;
	int ret = EXIT_FAILURE;
	uint64_t entry;

	if (!gate_is_complete(a)) {
		check_args__usage_error("gate needs --kallsyms, --slack, a WINDOW and a TARGET");
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
	if (find_functions(a, syms, &opts.functions) &&
	    find_function(a->range_begin, syms, &opts.range_begin) &&
	    find_function(a->range_end, syms, &opts.range_end))
		ret = gate_check__run(log, &opts) ? EXIT_FAILURE : EXIT_SUCCESS;
	free(opts.functions.val);
	return ret;
}

static int cmd_dump(const struct check_args *a)
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

static int check_snapshots(const struct check_args *a, const struct snapshot_file *files)
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
		.back = a->back,
		.later = a->later,
		.shared_sink = a->shared_sink,
		.least = a->least,
		.gaps = a->gaps,
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

static int cmd_snapshots(const struct check_args *a)
{
	struct snapshot_file *files = NULL;
	int ret = EXIT_FAILURE;

	if (!a->nr_scripts || (a->nr_functions && !a->kallsyms) || (a->off_cpu && !a->nr_functions) ||
	    (a->later && !a->back) || (a->gaps && a->shared_sink)) {
		check_args__usage_error("snapshots needs a SCRIPT, --after-symbol --kallsyms, --switch-in "
					"--after-symbol, --later --back; and one of --gaps, --shared-sink");
		return EXIT_USAGE;
	}
	if (!snapshot_files__load(a->scripts, a->nr_scripts, a->names, &files))
		ret = check_snapshots(a, files);
	snapshot_files__free(files, a->nr_scripts);
	return ret;
}

static int cmd_calls(const struct check_args *a)
{
	_cleanup_oracle_log_ struct oracle_log *log = NULL;
	_cleanup_symbols_ struct symbols *syms = NULL;
	struct call_check_opts opts = {
		.report = a->script, .tids = &a->pids, .least = a->least, .out = stdout};

	if (!a->script || !a->kallsyms || !a->least) {
		check_args__usage_error("calls needs --script FILE, --kallsyms FILE and --least N");
		return EXIT_USAGE;
	}
	if (symbols__load(a->kallsyms, &syms) || open_log(a, syms, &log))
		return EXIT_FAILURE;
	opts.syms = syms;
	return call_check__run(log, &opts) ? EXIT_FAILURE : EXIT_SUCCESS;
}

static const struct command {
	const char *name;
	int (*run)(const struct check_args *a);
	bool takes_scripts;
} commands[] = {
	{"decode", cmd_decode}, {"gate", cmd_gate}, {"snapshots", cmd_snapshots, .takes_scripts = true},
	{"calls", cmd_calls},	{"dump", cmd_dump},
};

int main(int argc, char **argv)
{
	struct check_args a = {.max_after = 500};

	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(commands); i++) {
		int ret = EXIT_USAGE;

		if (strcmp(argv[1], commands[i].name) != 0)
			continue;
		if (check_args__parse(&a, argc - 1, argv + 1) &&
		    (commands[i].takes_scripts || !a.nr_scripts ||
		     check_args__usage_error("unexpected argument")))
			ret = commands[i].run(&a);
		check_args__release(&a);
		return ret;
	}
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		check_args__print_usage();
		return EXIT_SUCCESS;
	}
	check_args__usage_error("decode, gate, snapshots, calls or dump?");
	return EXIT_USAGE;
}
