// SPDX-License-Identifier: GPL-2.0-only
/* .eh_frame_hdr and the begin of a description; the address that is asked for is the first eight bytes. */
#include <errno.h>

#include "files/eh_frame_hdr.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	uint64_t addr = fuzz__number(&in, 8), len;
	uint8_t head[EH_FRAME_HEAD] = {0};
	struct eh_frame_entry entry;
	size_t hdr_len;
	_cleanup_free_ void *hdr = NULL;

	for (size_t i = 0; i < sizeof(head); i++)
		head[i] = (uint8_t)fuzz__number(&in, 1);
	hdr = fuzz__bytes(&in, &hdr_len);
	if (eh_frame_hdr__find((struct span){hdr, hdr_len}, 0x2000, addr, &entry))
		return 0;
	FUZZ_CHECK(entry.start <= addr);
	if (!eh_frame__length(head, &entry, &len))
		FUZZ_CHECK(len <= UINT32_MAX);
	return 0;
}
