// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "decode_check.h"

#define CONTEXT_BEFORE 6
#define CONTEXT_AFTER 8

/* How far, and how many in a row, to look for the place where both sides agree again; for the message only.
 */
#define RESYNC_REACH 2000
#define RESYNC_RUN 16

/* What ran on one CPU while the unit traced. */
struct expected {
	const struct oracle_record **rec;
	uint64_t nr;
	uint64_t cap;
};

/* Both sides of one CPU, from the place on where they are compared. */
struct pair {
	const struct oracle_record **ran;
	uint64_t nr_ran;
	const struct decoded_branch *dec;
	uint64_t nr_dec;
};

static bool is_expected(const struct oracle_record *rec)
{
	unsigned int traced = rec->flags & (ORACLE_TRACED_FROM | ORACLE_TRACED_TO);

	if (!traced)
		return false;
	if (rec->kind == ORACLE_UNIT)
		return traced != (ORACLE_TRACED_FROM | ORACLE_TRACED_TO);
	return oracle_record__is_branch(rec);
}

static struct decoded_branch as_decoded(const struct oracle_record *rec)
{
	return (struct decoded_branch){
		.from = rec->flags & ORACLE_TRACED_FROM ? rec->from : 0,
		.to = rec->flags & ORACLE_TRACED_TO ? rec->to : 0,
	};
}

static bool is_equal(const struct pair *p, uint64_t ran, uint64_t dec)
{
	struct decoded_branch want = as_decoded(p->ran[ran]);

	return want.from == p->dec[dec].from && want.to == p->dec[dec].to;
}

static int expected__add(struct expected *e, const struct oracle_record *rec)
{
	if (e->nr == e->cap) {
		uint64_t cap = e->cap ? 2 * e->cap : 4096;
		const struct oracle_record **mem = realloc(e->rec, cap * sizeof(*mem));

		if (!mem)
			return -ENOMEM;
		e->rec = mem;
		e->cap = cap;
	}
	e->rec[e->nr++] = rec;
	return 0;
}

static int expected__collect(struct expected *e, const struct oracle_log *log, unsigned int cpu)
{
	const struct oracle_record *rec;
	struct oracle_cursor cur;

	if (cpu >= oracle_log__nr_cpus(log))
		return 0;
	oracle_cursor__init(&cur, log, cpu);
	while ((rec = oracle_cursor__next(&cur)))
		if (is_expected(rec) && expected__add(e, rec))
			return -ENOMEM;
	return 0;
}

/* The index of the first difference, or the shorter length. */
static uint64_t pair__first_difference(const struct pair *p)
{
	uint64_t min = p->nr_ran < p->nr_dec ? p->nr_ran : p->nr_dec;
	uint64_t i = 0;

	while (i < min && is_equal(p, i, i))
		i++;
	return i;
}

/* The index of the last difference, or the length; both sides are aligned at their end. */
static uint64_t pair__last_difference(const struct pair *p)
{
	uint64_t i = p->nr_ran;

	if (p->nr_ran != p->nr_dec)
		return pair__first_difference(p);
	while (i && is_equal(p, i - 1, i - 1))
		i--;
	return i ? i - 1 : p->nr_ran;
}

static bool pair__agree(const struct pair *p, uint64_t ran, uint64_t dec)
{
	uint64_t n;

	for (n = 0; n < RESYNC_RUN && ran + n < p->nr_ran && dec + n < p->nr_dec; n++)
		if (!is_equal(p, ran + n, dec + n))
			return false;
	return n == RESYNC_RUN || (ran + n == p->nr_ran && dec + n == p->nr_dec);
}

/* Says what kind of difference begins at @at: so many missing, so many more, or so many others. */
static void pair__explain(const struct pair *p, uint64_t at, FILE *out)
{
	for (uint64_t sum = 1; sum <= RESYNC_REACH; sum++) {
		for (uint64_t missing = 0; missing <= sum; missing++) {
			uint64_t more = sum - missing;

			if (at + missing > p->nr_ran || at + more > p->nr_dec)
				continue;
			if (!pair__agree(p, at + missing, at + more))
				continue;
			fprintf(out,
				"    %lu branches are missing from the decode and %lu are in it that did not "
				"run;"
				" then both go on the same\n",
				(unsigned long)missing, (unsigned long)more);
			return;
		}
	}
	fprintf(out, "    both do not come together again within %u branches\n", RESYNC_REACH);
}

static void print_branch(const struct symbols *syms, struct decoded_branch b, FILE *out)
{
	symbols__print(syms, b.from, out);
	fputs(" => ", out);
	symbols__print(syms, b.to, out);
}

static void pair__print_line(const struct pair *p, uint64_t i, const struct oracle_log *log,
			     const struct decode_check_opts *opts)
{
	const struct oracle_record *rec = i < p->nr_ran ? p->ran[i] : NULL;

	if (rec && i < p->nr_dec && is_equal(p, i, i)) {
		fputs("      both ", opts->out);
		print_branch(opts->syms, p->dec[i], opts->out);
		fprintf(opts->out, "  (%s)\n", oracle_record__kind_name(rec));
		return;
	}
	if (rec) {
		fputs("    - ran  ", opts->out);
		print_branch(opts->syms, as_decoded(rec), opts->out);
		fprintf(opts->out, "  (%s, pid %u, record %lu, tsc %lu)\n", oracle_record__kind_name(rec),
			rec->pid, (unsigned long)oracle_log__index(log, rec), (unsigned long)rec->tsc);
	}
	if (i < p->nr_dec) {
		fputs("    + perf ", opts->out);
		print_branch(opts->syms, p->dec[i], opts->out);
		fputc('\n', opts->out);
	}
}

static void pair__print_difference(const struct pair *p, uint64_t at, const struct oracle_log *log,
				   const struct decode_check_opts *opts)
{
	uint64_t first = at > CONTEXT_BEFORE ? at - CONTEXT_BEFORE : 0;

	fprintf(opts->out, "  %s difference at branch %lu of the comparison:\n",
		opts->tail ? "last" : "first", (unsigned long)at);
	for (uint64_t i = first; i < at + CONTEXT_AFTER && (i < p->nr_ran || i < p->nr_dec); i++)
		pair__print_line(p, i, log, opts);
	pair__explain(p, at, opts->out);
}

/* Drops what may have been overwritten from the side of what ran; returns how many. */
static uint64_t pair__align_at_end(struct pair *p)
{
	uint64_t lost = p->nr_ran > p->nr_dec ? p->nr_ran - p->nr_dec : 0;

	p->ran += lost;
	p->nr_ran -= lost;
	return lost;
}

/* One CPU. Adds the number of equal branches to @equal; returns 0, 1 (they differ) or -ENOMEM. */
static int check_cpu(const struct oracle_log *log, const struct decode_text *text, unsigned int cpu,
		     const struct decode_check_opts *opts, uint64_t *equal)
{
	struct pair p = {0};
	struct expected e = {0};
	_cleanup_free_ const struct oracle_record **mem = NULL;
	uint64_t lost = 0, at;
	int err = expected__collect(&e, log, cpu);

	mem = e.rec;
	if (err)
		return err;
	p = (struct pair){.ran = e.rec, .nr_ran = e.nr};
	p.dec = decode_text__branches(text, cpu, &p.nr_dec);
	if (opts->tail && p.nr_dec)
		lost = pair__align_at_end(&p);
	at = opts->tail ? pair__last_difference(&p) : pair__first_difference(&p);
	if (at == p.nr_ran && at == p.nr_dec) {
		fprintf(opts->out, "cpu %u: %lu branches equal", cpu, (unsigned long)at);
		fprintf(opts->out, lost ? ", %lu before them overwritten\n" : "\n", (unsigned long)lost);
		*equal += at;
		return 0;
	}
	fprintf(opts->out, "cpu %u: DIFFERENT: %lu branches ran traced, %lu were decoded\n", cpu,
		(unsigned long)e.nr, (unsigned long)p.nr_dec);
	pair__print_difference(&p, at, log, opts);
	return 1;
}

int decode_check__run(const struct oracle_log *log, const struct decode_text *text,
		      const struct decode_check_opts *opts)
{
	unsigned int nr = oracle_log__nr_cpus(log);
	uint64_t equal = 0, errors = decode_text__nr_errors(text);
	int ret = 0;

	if (decode_text__nr_cpus(text) > nr)
		nr = decode_text__nr_cpus(text);
	for (unsigned int cpu = 0; cpu < nr; cpu++) {
		int err = !opts->cpus || opts->cpus[cpu] ? check_cpu(log, text, cpu, opts, &equal) : 0;

		if (err < 0)
			return err;
		ret |= err;
	}
	if (errors) {
		fprintf(opts->out, "the decoder reported %lu errors, the first: %s\n", (unsigned long)errors,
			decode_text__first_error(text));
		ret = 1;
	}
	if (!ret && !equal) {
		fputs("nothing was traced: no branch to compare\n", opts->out);
		ret = 1;
	}
	fprintf(opts->out, "decode: %s, %lu branches\n", ret ? "DIFFERENT" : "equal", (unsigned long)equal);
	return ret;
}
