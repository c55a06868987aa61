// SPDX-License-Identifier: GPL-2.0-only
/* When output is coloured. */
#include <errno.h>
#include <stdlib.h>

#include "base/color.h"
#include "check.h"

static void check_auto(const char *no_color, const char *term, bool want)
{
	unsetenv("NO_COLOR");
	unsetenv("TERM");
	if (no_color)
		setenv("NO_COLOR", no_color, 1);
	if (term)
		setenv("TERM", term, 1);
	CHECK_EQ(color__is_wanted(COLOR_AUTO, true), want);
	CHECK_EQ(color__is_wanted(COLOR_AUTO, false), false);
	CHECK_EQ(color__is_wanted(COLOR_ALWAYS, false), true);
	CHECK_EQ(color__is_wanted(COLOR_NEVER, true), false);
}

int main(void)
{
	enum color_when when = COLOR_NEVER;

	CHECK_EQ(color__parse("auto", &when), 0);
	CHECK_EQ(when, COLOR_AUTO);
	CHECK_EQ(color__parse("never", &when), 0);
	CHECK_EQ(when, COLOR_NEVER);
	CHECK_EQ(color__parse("always", &when), 0);
	CHECK_EQ(when, COLOR_ALWAYS);
	CHECK_EQ(color__parse("", &when), -EINVAL);
	CHECK_EQ(color__parse("autos", &when), -EINVAL);
	CHECK_EQ(color__parse(NULL, &when), 0);
	CHECK_EQ(when, COLOR_ALWAYS);
	check_auto(NULL, "xterm", true);
	check_auto("", "xterm", true);
	check_auto("1", "xterm", false);
	check_auto(NULL, "dumb", false);
	check_auto(NULL, NULL, false);
	return check__done();
}
