/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What perf decoded, from the text of
 *
 *	perf script --itrace=be -F cpu,event,ip,addr [-F +time,+flags] --ns
 *
 * perf prints a branch sample of Intel PT as "[CPU] ... FROM => TO" with raw hexadecimal addresses as long as
 * sym is not among the fields (tools/perf/builtin-script.c perf_sample__fprintf_bts()). Leave comm out: it is
 * free text and may have brackets. Every branch is one sample (tools/perf/util/intel-pt.c intel_pt_sample()):
 * taken conditionals, direct and indirect jumps, calls, returns and transfers; FROM is 0 where the trace
 * begins, TO is 0 where it ends.
 *
 * With the event's name among the fields, samples of the recording's own events (tracepoints) are known by it
 * and left out; without it such a line is no branch and an error.
 */
#ifndef ORACLE_DECODE_TEXT_H
#define ORACLE_DECODE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct decoded_branch {
	uint64_t from;
	uint64_t to;
};

struct decode_text;

/*
 * Reads the whole text. A line that is neither a branch, a decoder's error, a comment nor empty makes it
 * -EINVAL: with an unknown format nothing can be said of equality.
 */
int decode_text__load(const char *path, struct decode_text **ret) _must_check_ _nonnull_(1, 2);
void decode_text__free(struct decode_text *text);

/* One more than the highest CPU in the text. */
/* Leaves out the branches for which @is_dropped is true. */
void decode_text__drop(struct decode_text *text, bool (*is_dropped)(uint64_t from, uint64_t to))
	_nonnull_(1, 2);

unsigned int decode_text__nr_cpus(const struct decode_text *text) _nonnull_(1);

/* The branches of one CPU in the order of the text; none for a CPU that is not in it. */
const struct decoded_branch *decode_text__branches(const struct decode_text *text, unsigned int cpu,
						   uint64_t *nr) _nonnull_(1, 3);

/* How many errors the decoder reported, and the text of the first one (NULL if none). */
uint64_t decode_text__nr_errors(const struct decode_text *text) _nonnull_(1);
const char *decode_text__first_error(const struct decode_text *text) _nonnull_(1);

DEFINE_CLEANUP(decode_text, struct decode_text *, decode_text__free)
#define _cleanup_decode_text_ _cleanup_(cleanup__decode_text)

#endif
