// SPDX-License-Identifier: GPL-2.0-only
/* Packets of Intel PT in two spans, as in a buffer that wraps. The first two bytes are the first one's length. */
#include "fuzz.h"
#include "trace/aux_new.h"
#include "trace/intel_pt/packet.h"
#include "trace/intel_pt/resume.h"
#include "trace/intel_pt/sync.h"

static void follow(struct span trace)
{
	struct aux_resume state = {0};
	struct span half = {trace.data, trace.len / 2};
	struct span rest = {(const char *)trace.data + half.len, trace.len - half.len};
	_cleanup_buf_ struct buf lead_in = {0};
	const struct span before = rest;

	pt_resume__follow(&state, half);
	(void)!pt_resume__lead_in(&state, 1000, &rest, &lead_in);
	FUZZ_CHECK(rest.len <= before.len &&
		   (const char *)rest.data + rest.len == (const char *)before.data + before.len);
	pt_resume__follow(&state, rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	size_t len = (size_t)fuzz__number(&in, 2), at = 0, last = 0;
	_cleanup_free_ uint8_t *first = NULL, *second = NULL;
	uint8_t mark[AUX_MARK_MAX];
	struct aux_sync sync;
	struct aux_piece piece;
	struct span spans[2];

	if (len > in.len)
		len = in.len;
	first = malloc(len);
	second = malloc(in.len - len);
	memcpy(first, in.data, len);
	memcpy(second, in.data + len, in.len - len);
	spans[0] = (struct span){first, len};
	spans[1] = (struct span){second, in.len - len};
	while (pt_sync__next(spans, &at, &sync)) {
		FUZZ_CHECK(at > last && sync.at < in.len && sync.at >= last);
		last = at;
	}
	FUZZ_CHECK(pt_sync__whole(spans) <= in.len);
	at = 0;
	if (pt_sync__next(spans, &at, &sync) && !sync.at)
		FUZZ_CHECK(pt_sync__gap(spans, mark) <= AUX_MARK_MAX);
	for (at = 0; at < len && (last = pt_packet__len(first + at, len - at)); at += last)
		FUZZ_CHECK(last <= len - at);
	follow(spans[0]);
	piece = (struct aux_piece){.data = {spans[0], spans[1]}};
	aux_new__cut(&piece, pt_sync__next, 1000);
	FUZZ_CHECK(aux_piece__len(&piece) <= in.len);
	aux_new__cut_all(&piece, pt_sync__next, 2000);
	return 0;
}
