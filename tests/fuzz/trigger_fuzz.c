// SPDX-License-Identifier: GPL-2.0-only
#include "fuzz.h"
#include "trigger_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Its own memory, so that ASan sees the end. */
	_cleanup_free_ char *text = strndup((const char *)data, size);
	const char *wrong;

	if (!text)
		return 0;
	wrong = trigger_fuzz__check(text);
	if (wrong) {
		printf("%s is wrong: %s\n", wrong, text);
		fflush(stdout);
		abort();
	}
	return 0;
}
