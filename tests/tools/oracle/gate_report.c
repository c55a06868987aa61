// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>

#include "gate_report.h"
#include "gate_source.h"

/* Of a short loop, one that waits: a test and the way back. */
#define MAX_SPIN 4

/* Of a stretch that is wrong, so many are named. */
#define MAX_FUNCTIONS 6

int gate_report__init(struct gate_report *r, const struct oracle_log *log, const struct gate_check_opts *opts)
{
	*r = (struct gate_report){.log = log, .opts = opts};
	for (int kind = 0; opts->slack_report && kind < SLACK_LIMITED; kind++) {
		r->by_symbol[kind] = calloc(symbols__nr(opts->syms) + 1, sizeof(uint64_t));
		if (!r->by_symbol[kind])
			return -ENOMEM;
	}
	return 0;
}

void gate_report__release(struct gate_report *r)
{
	for (int kind = 0; kind < SLACK_LIMITED; kind++)
		free(r->by_symbol[kind]);
}

void gate_report__violation(struct gate_report *r, const struct oracle_record *rec, const char *fmt, ...)
{
	FILE *out = r->opts->out;
	va_list ap;

	if (++r->violations > MAX_PRINTED)
		return;
	fputs("violation: ", out);
	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
	fputs("\n    at ", out);
	symbols__print(r->opts->syms, rec->from, out);
	fputs(" => ", out);
	symbols__print(r->opts->syms, rec->to, out);
	fprintf(out, "\n    %s, cpu %u, pid %u, record %lu, tsc %lu\n", oracle_record__kind_name(rec),
		rec->cpu, rec->pid, (unsigned long)oracle_log__index(r->log, rec), (unsigned long)rec->tsc);
}

struct function_count {
	uint32_t sym; /* or SYMBOLS_NONE */
	uint32_t nr;
};

static int compare_symbols(const void *a, const void *b)
{
	const struct function_count *x = a, *y = b;

	return (x->sym > y->sym) - (x->sym < y->sym);
}

static int compare_counts(const void *a, const void *b)
{
	const struct function_count *x = a, *y = b;

	return x->nr != y->nr ? (x->nr < y->nr) - (x->nr > y->nr) : compare_symbols(a, b);
}

/* The functions of a stretch, each once, with the most branches first. Returns how many. */
static uint64_t count_functions(const struct symbols *syms, const struct record_list *s,
				struct function_count *count)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; i < s->nr; i++)
		count[i] = (struct function_count){.sym = symbols__find(syms, s->rec[i]->from), .nr = 1};
	qsort(count, s->nr, sizeof(*count), compare_symbols);
	for (uint64_t i = 0; i < s->nr; i++) {
		if (nr && count[nr - 1].sym == count[i].sym)
			count[nr - 1].nr++;
		else
			count[nr++] = count[i];
	}
	qsort(count, nr, sizeof(*count), compare_counts);
	return nr;
}

void gate_report__functions(const struct gate_report *r, const struct record_list *s)
{
	_cleanup_free_ struct function_count *count = NULL;
	uint64_t nr, others = 0;

	if (!s->nr || r->violations > MAX_PRINTED)
		return;
	count = calloc(s->nr, sizeof(*count));
	if (!count)
		return;
	nr = count_functions(r->opts->syms, s, count);
	for (uint64_t i = 0; i < nr && i < MAX_FUNCTIONS; i++)
		fprintf(r->opts->out, "    %u in %s\n", count[i].nr,
			count[i].sym == SYMBOLS_NONE ? "user mode"
						     : symbols__name(r->opts->syms, count[i].sym));
	for (uint64_t i = MAX_FUNCTIONS; i < nr; i++)
		others += count[i].nr;
	if (others)
		fprintf(r->opts->out, "    %lu in others\n", (unsigned long)others);
}

static void gate_report__count_symbols(struct gate_report *r, enum slack_kind kind,
				       const struct record_list *s)
{
	for (uint64_t i = 0; i < s->nr; i++) {
		uint32_t sym = symbols__find(r->opts->syms, s->rec[i]->from);

		r->by_symbol[kind][sym == SYMBOLS_NONE ? symbols__nr(r->opts->syms) : sym]++;
	}
}

static bool is_allowed(const struct gate_report *r, enum slack_kind kind, const struct oracle_record *rec)
{
	if (slack__allows(r->opts->slack, kind, rec->from))
		return true;
	/* The breakpoint at the entry of a user function, and the uretprobe's way into the kernel. */
	if (rec->flags & ORACLE_USER_FROM)
		return rec->to >> 63;
	return kind == SLACK_CALL && source__is_prologue(r->opts, rec->from);
}

/*
 * Whether branch @i is of a wait function, and of a loop of at most MAX_SPIN branches there, but not of its first
 * time around.
 */
static bool is_spin(const struct gate_report *r, const struct record_list *s, uint64_t i)
{
	const struct oracle_record *rec = s->rec[i];
	bool back = false;

	if (!slack__allows(r->opts->slack, SLACK_WAIT, rec->from))
		return false;
	for (uint64_t n = 1; n <= MAX_SPIN && n <= i; n++) {
		const struct oracle_record *before = s->rec[i - n];

		back |= s->rec[i - n + 1]->to <= s->rec[i - n + 1]->from;
		if (back && before->from == rec->from && before->to == rec->to)
			return true;
	}
	return false;
}

/* How many branches a stretch has, without those that wait for another CPU. */
static uint64_t length_of(const struct gate_report *r, const struct record_list *s)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; i < s->nr; i++)
		nr += !is_spin(r, s, i);
	return nr;
}

void gate_report__slack(struct gate_report *r, enum slack_kind kind, const struct record_list *s)
{
	uint64_t limit = slack__limit(r->opts->slack, kind), nr = length_of(r, s);

	if (nr > r->slack_max[kind])
		r->slack_max[kind] = nr;
	if (r->by_symbol[kind])
		gate_report__count_symbols(r, kind, s);
	if (nr > limit) {
		gate_report__violation(r, s->rec[0],
				       "%s slack of %lu branches, at most %lu are allowed; it begins",
				       slack__kind_name(kind), (unsigned long)nr, (unsigned long)limit);
		gate_report__functions(r, s);
	}
	for (uint64_t i = 0; i < s->nr; i++) {
		if (is_allowed(r, kind, s->rec[i]))
			continue;
		gate_report__violation(r, s->rec[i],
				       "branch %lu of %lu of the %s slack is in no function of its list",
				       (unsigned long)i + 1, (unsigned long)s->nr, slack__kind_name(kind));
		return;
	}
}

void gate_report__own(struct gate_report *r, const struct oracle_record *rec, const struct record_list *s)
{
	uint64_t limit = slack__limit(r->opts->slack, SLACK_OWN);

	if (s->nr > r->slack_max[SLACK_OWN])
		r->slack_max[SLACK_OWN] = s->nr;
	if (r->by_symbol[SLACK_OWN])
		gate_report__count_symbols(r, SLACK_OWN, s);
	if (s->nr <= limit)
		return;
	gate_report__violation(r, rec,
			       "a call of the gate's own functions went through %lu different branches, at "
			       "most %lu are allowed; it ended",
			       (unsigned long)s->nr, (unsigned long)limit);
	gate_report__functions(r, s);
}

void gate_report__called(struct gate_report *r, const struct oracle_record *rec)
{
	for (int kind = 0; kind < SLACK_PATHS; kind++)
		if (slack__allows(r->opts->slack, kind, rec->to))
			return;
	if (!slack__allows(r->opts->slack, SLACK_CALLED, rec->to))
		gate_report__violation(r, rec,
				       "a call of the gate's own functions to one that is in no list");
}

static void gate_report__print_symbols(const struct gate_report *r, enum slack_kind kind)
{
	uint32_t nr = symbols__nr(r->opts->syms);

	for (uint32_t sym = 0; sym <= nr; sym++)
		if (r->by_symbol[kind][sym])
			fprintf(r->opts->out, "slack %s %lu %s\n", slack__kind_name(kind),
				(unsigned long)r->by_symbol[kind][sym],
				sym == nr ? "?" : symbols__name(r->opts->syms, sym));
}

void gate_report__count_switch(struct gate_report *r, const struct gate_task *prev,
			       const struct gate_task *next)
{
	r->switches++;
	if (prev && (prev->member == MEMBER_YES) != (next->member == MEMBER_YES))
		r->alternations++;
}

static void gate_report__print_summary(const struct gate_report *r)
{
	FILE *out = r->opts->out;

	fprintf(out, "gate: %s, windows %lu (%lu unfinished), branches %lu, traced %lu, slack",
		r->violations ? "WRONG" : "right", (unsigned long)r->windows, (unsigned long)r->unfinished,
		(unsigned long)r->branches, (unsigned long)r->traced);
	for (int kind = 0; kind < SLACK_LIMITED; kind++)
		fprintf(out, " %s %lu", slack__kind_name(kind), (unsigned long)r->slack_max[kind]);
	fprintf(out,
		", detours %lu (%lu branches), switches %lu (%lu between targets and others), "
		"foreign traced %lu, violations %lu\n",
		(unsigned long)r->detours, (unsigned long)r->detour_branches, (unsigned long)r->switches,
		(unsigned long)r->alternations, (unsigned long)r->foreign, (unsigned long)r->violations);
}

int gate_report__finish(struct gate_report *r)
{
	FILE *out = r->opts->out;

	for (int kind = 0; kind < SLACK_LIMITED; kind++)
		if (r->by_symbol[kind])
			gate_report__print_symbols(r, kind);
	if (r->violations > MAX_PRINTED)
		fprintf(out, "... and %lu more violations\n", (unsigned long)(r->violations - MAX_PRINTED));
	if (r->opts->expect_windows >= 0 && r->windows != (uint64_t)r->opts->expect_windows) {
		fprintf(out, "violation: %ld windows must be, %lu were\n", r->opts->expect_windows,
			(unsigned long)r->windows);
		r->violations++;
	} else if (!r->windows) {
		fputs("violation: no target task had a window: nothing to check\n", out);
		r->violations++;
	}
	gate_report__print_summary(r);
	return r->violations ? 1 : 0;
}
