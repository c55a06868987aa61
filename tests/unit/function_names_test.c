// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "calls/function_names.h"
#include "check.h"

static void test_names(void)
{
	struct function_names names = {0};

	CHECK_EQ(function_names__add(&names, 1, "main", "/bin/a"), 0);
	CHECK_EQ(function_names__add(&names, 2, "", "/bin/a"), 0);
	CHECK_EQ(function_names__add(&names, 3, "bpf_prog_0123456789abcdef_on_sys_exit", ""), 0);
	CHECK_EQ(function_names__add(&names, 4, "\033[2J", ""), 0);
	CHECK_STREQ(function_names__get(&names, 1)->name, "main");
	CHECK_STREQ(function_names__get(&names, 1)->object, "/bin/a");
	/* Code without a symbol is known by its file, and is many functions. */
	CHECK_STREQ(function_names__get(&names, 2)->name, "[/bin/a]");
	CHECK_EQ(function_names__same(&names, 2), 2 | FUNCTION_NAMELESS);
	CHECK_EQ(function_names__same(&names, 2 | FUNCTION_NAMELESS), 2 | FUNCTION_NAMELESS);
	CHECK(function_names__get(&names, 3)->is_gate);
	CHECK_STREQ(function_names__get(&names, 4)->name, "\\033[2J");
	/* Numbers that nobody has given. */
	CHECK_STREQ(function_names__get(&names, 0)->name, "[unknown]");
	CHECK_STREQ(function_names__get(&names, 99)->name, "[unknown]");
	CHECK_EQ(function_names__same(&names, 99), 0);
	CHECK_EQ(function_names__add(&names, 9, "late", ""), -EBADMSG);
	function_names__release(&names);
}

static void test_parts(void)
{
	struct function_names names = {0};

	CHECK_EQ(function_names__add(&names, 1, "f", "k"), 0);
	CHECK_EQ(function_names__add(&names, 2, "f.cold", "k"), 0);
	CHECK_EQ(function_names__add(&names, 3, "f.cold", "other"), 0);
	CHECK_EQ(function_names__add(&names, 4, "g.cold.3", "k"), 0);
	CHECK_EQ(function_names__add(&names, 5, "f.cold.7", "k"), 0);
	CHECK_EQ(function_names__add(&names, 6, "f.coldish", "k"), 0);
	CHECK_EQ(function_names__add(&names, 7, ".cold", "k"), 0);
	CHECK_EQ(function_names__same(&names, 2), 1);
	CHECK_STREQ(function_names__get(&names, 2)->name, "f");
	CHECK_EQ(function_names__same(&names, 3), 3);
	CHECK_EQ(function_names__same(&names, 4), 4);
	CHECK_EQ(function_names__same(&names, 5), 1);
	CHECK_EQ(function_names__same(&names, 6), 6);
	CHECK_EQ(function_names__same(&names, 7), 7);
	function_names__release(&names);
}

int main(void)
{
	test_names();
	test_parts();
	return check__done();
}
