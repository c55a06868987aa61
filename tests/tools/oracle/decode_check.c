// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "branch_pair.h"
#include "decode_check.h"
#include "traced_stream.h"

/* Drops what may have been overwritten from the side of what ran; returns how many. */
static uint64_t branch_pair__align_at_end(struct branch_pair *p)
{
	uint64_t lost = p->nr_ran > p->nr_dec ? p->nr_ran - p->nr_dec : 0;

	p->ran += lost;
	p->nr_ran -= lost;
	return lost;
}

/* Whether that is where the first branch led to, or behind it, up to the next branch. */
static bool branch_pair__ran_there(const struct branch_pair *p, uint64_t addr)
{
	return addr == p->ran[0]->to || (addr > p->ran[0]->to && p->nr_ran > 1 && addr <= p->ran[1]->from);
}

/*
 * A decoder that begins in the middle may show where it does as a start of trace (perf does of an ETE's): not told is
 * which branch led there.
 */
static void branch_pair__skip_begin(struct branch_pair *p)
{
	if (!p->nr_ran || branch_pair__is_equal(p, 0, 0) || p->dec[0].from ||
	    !branch_pair__ran_there(p, p->dec[0].to))
		return;
	p->ran++;
	p->nr_ran--;
	p->dec++;
	p->nr_dec--;
}

static bool is_decoded(const struct oracle_record *rec, const struct decoded_branch *dec)
{
	struct decoded_branch want = traced_stream__as_decoded(rec);

	return want.from == dec->from && want.to == dec->to;
}

/*
 * Of a buffer that CPUs share, the trace of a CPU may begin in one CPU's queue of perf's and go on in another's, and
 * perf shows no end that is the last thing in a queue (etm_view.h, 6.). Takes out of what ran each end of trace in whose
 * place the next start was decoded; returns how many.
 */
static uint64_t drop_unshown_ends(struct record_list *ran, const struct decoded_branch *dec, uint64_t nr_dec)
{
	const unsigned int both = ORACLE_TRACED_FROM | ORACLE_TRACED_TO;
	uint64_t kept = 0, dropped = 0;

	for (uint64_t i = 0; i < ran->nr; i++) {
		const bool is_end = (ran->rec[i]->flags & both) == ORACLE_TRACED_FROM;

		if (is_end && i + 1 < ran->nr && kept < nr_dec && !dec[kept].from &&
		    is_decoded(ran->rec[i + 1], &dec[kept]))
			dropped++;
		else
			ran->rec[kept++] = ran->rec[i];
	}
	ran->nr = kept;
	return dropped;
}

/* One CPU. Adds the number of equal branches to @equal; returns 0, 1 (they differ) or -ENOMEM. */
static int check_cpu(const struct oracle_log *log, const struct decode_text *text, unsigned int cpu,
		     const struct decode_check_opts *opts, uint64_t *equal)
{
	struct branch_pair p = {0};
	_cleanup_(record_list__release) struct record_list s = {0};
	uint64_t lost = 0, unshown = 0, at;
	int err = traced_stream__collect(&s, log, cpu);

	if (err)
		return err;
	p.dec = decode_text__branches(text, cpu, &p.nr_dec);
	if (opts->shared_sink)
		unshown = drop_unshown_ends(&s, p.dec, p.nr_dec);
	p.ran = s.rec;
	p.nr_ran = s.nr;
	if (opts->tail && p.nr_dec)
		lost = branch_pair__align_at_end(&p);
	if (lost)
		branch_pair__skip_begin(&p);
	at = opts->tail ? branch_pair__last_difference(&p) : branch_pair__first_difference(&p);
	if (at == p.nr_ran && at == p.nr_dec) {
		fprintf(opts->out, "cpu %u: %lu branches equal", cpu, (unsigned long)at);
		if (unshown)
			fprintf(opts->out, ", %lu ends of trace between them not shown",
				(unsigned long)unshown);
		fprintf(opts->out, lost ? ", %lu before them overwritten\n" : "\n", (unsigned long)lost);
		*equal += at;
		return 0;
	}
	fprintf(opts->out, "cpu %u: DIFFERENT: %lu branches ran traced, %lu were decoded\n", cpu,
		(unsigned long)s.nr, (unsigned long)p.nr_dec);
	fprintf(opts->out, "  %s difference at branch %lu of the comparison:\n",
		opts->tail ? "last" : "first", (unsigned long)at);
	branch_pair__print_difference(&p, at, log, opts->syms, opts->out);
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
	if (!ret && equal < opts->least) {
		fprintf(opts->out, "of all that ran, less is there than the %lu branches that are to be\n",
			(unsigned long)opts->least);
		ret = 1;
	}
	fprintf(opts->out, "decode: %s, %lu branches\n", ret ? "DIFFERENT" : "equal", (unsigned long)equal);
	return ret;
}
