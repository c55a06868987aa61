// SPDX-License-Identifier: GPL-2.0-only
/* Text of strangers on its way out. */
#include "base/text.h"
#include "fuzz.h"

static bool has_control(const char *text, bool lines)
{
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && !(lines && *text == '\n')) || *text == 0x7f)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	_cleanup_free_ char *text = fuzz__text(&in);
	_cleanup_free_ char *printable = text__printable(text), *again = text__printable(printable);
	_cleanup_free_ char *lines = text__printable_lines(text);
	_cleanup_free_ char *utf8 = text__utf8(text), *utf8_again = text__utf8(utf8);

	FUZZ_CHECK(!has_control(printable, false) && !strcmp(printable, again));
	FUZZ_CHECK(!has_control(lines, true));
	FUZZ_CHECK(!strcmp(utf8, utf8_again));
	return 0;
}
