// SPDX-License-Identifier: GPL-2.0-only
/* The header of a capture that is decoded, of which the time of its last record is read. */
#include "decode/capture_times.h"
#include "fuzz_root.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char capture[PATH_MAX];
	uint64_t last;

	fuzz_root__put_bytes("/a/data", data, size);
	snprintf(capture, sizeof(capture), "%s/a", fuzz_root__path());
	last = capture_times__last(capture);
	/* A time that is told stands in the file. */
	FUZZ_CHECK(!last || memmem(data, size, &last, sizeof(last)));
	return 0;
}
