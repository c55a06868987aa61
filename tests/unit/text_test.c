// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/text.h"
#include "check.h"

struct pair {
	const char *text;
	const char *becomes;
};

static void test_printable(void)
{
	static const struct pair pairs[] = {
		{"", ""},
		{"plain /usr/bin/[x] ~", "plain /usr/bin/[x] ~"},
		{"a\nauxbpf: forged", "a\\nauxbpf: forged"},
		{"\033[2J\t\r\177", "\\033[2J\\t\\015\\177"},
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
		{"\xe4\xb8\xad\xf0\x9f\x98\x80", "\xe4\xb8\xad\xf0\x9f\x98\x80"},
		/* C1's CSI, as two bytes of UTF-8 and as a byte alone. */
		{"\xc2\x9b"
		 "2J",
		 "\\302\\2332J"},
		{"\x9b"
		 "2J",
		 "\\2332J"},
		{"txt.\xe2\x80\xaegpj", "txt.\\342\\200\\256gpj"},
		{"\xe2\x80\xa8", "\\342\\200\\250"},
		{"dev-disk\\x2dby", "dev-disk\\x2dby"},
		{"\\033", "\\033"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		_cleanup_free_ char *copy = text__printable(pairs[i].text);

		CHECK_STREQ(copy, pairs[i].becomes);
	}
}

static void test_printable_lines(void)
{
	_cleanup_free_ char *copy = text__printable_lines("rule\n  a\tb\033\n    ^");

	CHECK_STREQ(copy, "rule\n  a\\tb\\033\n    ^");
}

static void test_utf8(void)
{
	static const struct pair pairs[] = {
		{"", ""},
		{"\n\033\xc2\x9b", "\n\033\xc2\x9b"},
		{"\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"cut \xe4\xb8", "cut \xef\xbf\xbd\xef\xbf\xbd"},
		{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xe0\x9f\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xed\x9f\xbf\xee\x80\x80", "\xed\x9f\xbf\xee\x80\x80"},
		{"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
		{"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xf8\x88\x80\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\x80"
		 "a",
		 "\xef\xbf\xbd"
		 "a"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		_cleanup_free_ char *copy = text__utf8(pairs[i].text);

		CHECK_STREQ(copy, pairs[i].becomes);
	}
}

static void test_line(void)
{
	_cleanup_free_ char *written = NULL;
	size_t len;
	FILE *to = open_memstream(&written, &len);

	text__print_line(to, "%s %d%%", "a\nb", 5);
	text__print_line(to, "%s", "");
	fclose(to);
	CHECK_STREQ(written, "a\\nb 5%\n\n");
}

int main(void)
{
	test_printable();
	test_printable_lines();
	test_utf8();
	test_line();
	return check__done();
}
