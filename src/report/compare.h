/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares windows of a capture with the typical ones of their kind: those that the same system call or function has opened.
 *
 * A capture is decoded once. Kept are the calls of the windows that are compared, and of one typical window of each kind; of the
 * others what typical_profile.h keeps.
 */
#ifndef AUXBPF_REPORT_COMPARE_H
#define AUXBPF_REPORT_COMPARE_H

#include "decode/perf_decoder.h"
#include "report/windows.h"

struct compare_opts {
	struct decode_opts decode;
	const char *with; /* another capture, which has the typical windows; NULL: they are in this one */
	bool json;
};

/*
 * Prints what is different in each of the @nr windows @chosen of @windows, those of the capture; @others are those of the
 * other capture, none without one. Returns 0 or a negative errno, which is logged; also if one of the windows could not be
 * compared.
 */
int compare__run(const struct compare_opts *opts, const struct windows *windows, const struct windows *others,
		 struct window *const *chosen, size_t nr) _must_check_ _nonnull_(1, 2, 3, 4);

#endif
