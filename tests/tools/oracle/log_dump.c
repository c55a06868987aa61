// SPDX-License-Identifier: GPL-2.0-only
#include "log_dump.h"

static bool is_wanted(const struct oracle_log *log, const struct oracle_record *rec,
		      const struct log_dump_opts *opts)
{
	if (opts->cpus && !opts->cpus[rec->cpu])
		return false;
	if (opts->traced && !(rec->flags & (ORACLE_TRACED_FROM | ORACLE_TRACED_TO)))
		return false;
	return oracle_log__index(log, rec) >= opts->first;
}

static void print_record(const struct oracle_log *log, const struct oracle_record *rec,
			 const struct log_dump_opts *opts)
{
	FILE *out = opts->out;

	fprintf(out, "%8lu %lu cpu %u pid %u %c%c%c%c %-9s nr %u ",
		(unsigned long)oracle_log__index(log, rec), (unsigned long)rec->tsc, rec->cpu, rec->pid,
		rec->flags & ORACLE_TRACED_FROM ? 'F' : '-', rec->flags & ORACLE_TRACED_TO ? 'T' : '-',
		rec->flags & ORACLE_COMPAT ? '3' : '-', rec->flags & ORACLE_USER_FROM ? 'u' : '-',
		oracle_record__kind_name(rec), rec->nr);
	symbols__print(opts->syms, rec->from, out);
	fputs(" => ", out);
	symbols__print(opts->syms, rec->to, out);
	fputc('\n', out);
}

int log_dump__run(const struct oracle_log *log, const struct log_dump_opts *opts)
{
	_cleanup_oracle_merge_ struct oracle_merge merge = {0};
	const struct oracle_record *rec;
	int err = oracle_merge__init(&merge, log);
	uint64_t left = opts->count;

	while (!err && left && (rec = oracle_merge__next(&merge))) {
		if (!is_wanted(log, rec, opts))
			continue;
		print_record(log, rec, opts);
		left--;
	}
	return err;
}
