// SPDX-License-Identifier: GPL-2.0-only
/* Packets of ETMv4 and ETE in two spans, with and without frames. The first two bytes are the first one's length. */
#include "fuzz.h"
#include "trace/aux_new.h"
#include "trace/cs_etm/frames.h"
#include "trace/cs_etm/sync.h"

static void look(const struct span spans[2], aux_sync_fn next, size_t size)
{
	size_t at = 0, last = 0;
	struct aux_sync sync;
	struct aux_piece cut = {.data = {spans[0], spans[1]}};

	while (next(spans, &at, &sync)) {
		FUZZ_CHECK(at > last && sync.at < size);
		last = at;
	}
	aux_new__cut(&cut, next, 1000);
	FUZZ_CHECK(aux_piece__len(&cut) <= size);
	aux_new__cut_all(&cut, next, 2000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	size_t len = (size_t)fuzz__number(&in, 2);
	_cleanup_free_ uint8_t *first = NULL, *second = NULL;
	struct span spans[2];
	uint64_t time;

	if (len > in.len)
		len = in.len;
	first = malloc(len);
	second = malloc(in.len - len);
	memcpy(first, in.data, len);
	memcpy(second, in.data + len, in.len - len);
	spans[0] = (struct span){first, len};
	spans[1] = (struct span){second, in.len - len};
	look(spans, etm_sync__next, in.len);
	look(spans, etm_frames__next, in.len);
	for (size_t at = 0; at <= in.len; at += 7)
		(void)!etm_sync__time(spans, at, &time);
	return 0;
}
