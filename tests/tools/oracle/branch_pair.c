// SPDX-License-Identifier: GPL-2.0-only
#include "branch_pair.h"
#include "traced_stream.h"

#define CONTEXT_BEFORE 6
#define CONTEXT_AFTER 8

/* How far, and how many in a row, to look for the place where both sides agree again; for the message only.
 */
#define RESYNC_REACH 2000
#define RESYNC_RUN 16

bool branch_pair__is_equal(const struct branch_pair *p, uint64_t ran, uint64_t dec)
{
	struct decoded_branch want = traced_stream__as_decoded(p->ran[ran]);

	return want.from == p->dec[dec].from && want.to == p->dec[dec].to;
}

uint64_t branch_pair__first_difference(const struct branch_pair *p)
{
	uint64_t min = p->nr_ran < p->nr_dec ? p->nr_ran : p->nr_dec;
	uint64_t i = 0;

	while (i < min && branch_pair__is_equal(p, i, i))
		i++;
	return i;
}

uint64_t branch_pair__last_difference(const struct branch_pair *p)
{
	uint64_t i = p->nr_ran;

	if (p->nr_ran != p->nr_dec)
		return branch_pair__first_difference(p);
	while (i && branch_pair__is_equal(p, i - 1, i - 1))
		i--;
	return i ? i - 1 : p->nr_ran;
}

static bool branch_pair__agree(const struct branch_pair *p, uint64_t ran, uint64_t dec)
{
	uint64_t n;

	for (n = 0; n < RESYNC_RUN && ran + n < p->nr_ran && dec + n < p->nr_dec; n++)
		if (!branch_pair__is_equal(p, ran + n, dec + n))
			return false;
	if (n == RESYNC_RUN)
		return true;
	return dec + n == p->nr_dec && (p->open_end || ran + n == p->nr_ran);
}

/* Says what kind of difference begins at @at: so many missing, so many more, or so many others. */
static void branch_pair__explain(const struct branch_pair *p, uint64_t at, FILE *out)
{
	for (uint64_t sum = 1; sum <= RESYNC_REACH; sum++) {
		for (uint64_t missing = 0; missing <= sum; missing++) {
			uint64_t more = sum - missing;

			if (at + missing > p->nr_ran || at + more > p->nr_dec)
				continue;
			if (!branch_pair__agree(p, at + missing, at + more))
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

static void branch_pair__print_line(const struct branch_pair *p, uint64_t i, const struct oracle_log *log,
				    const struct symbols *syms, FILE *out)
{
	const struct oracle_record *rec = i < p->nr_ran ? p->ran[i] : NULL;

	if (rec && i < p->nr_dec && branch_pair__is_equal(p, i, i)) {
		fputs("      both ", out);
		print_branch(syms, p->dec[i], out);
		fprintf(out, "  (%s)\n", oracle_record__kind_name(rec));
		return;
	}
	if (rec) {
		fputs("    - ran  ", out);
		print_branch(syms, traced_stream__as_decoded(rec), out);
		fprintf(out, "  (%s, pid %u, record %lu, tsc %lu)\n", oracle_record__kind_name(rec), rec->pid,
			(unsigned long)oracle_log__index(log, rec), (unsigned long)rec->tsc);
	}
	if (i < p->nr_dec) {
		fputs("    + perf ", out);
		print_branch(syms, p->dec[i], out);
		fputc('\n', out);
	}
}

void branch_pair__print_difference(const struct branch_pair *p, uint64_t at, const struct oracle_log *log,
				   const struct symbols *syms, FILE *out)
{
	uint64_t first = at > CONTEXT_BEFORE ? at - CONTEXT_BEFORE : 0;

	for (uint64_t i = first; i < at + CONTEXT_AFTER && (i < p->nr_ran || i < p->nr_dec); i++)
		branch_pair__print_line(p, i, log, syms, out);
	branch_pair__explain(p, at, out);
}
