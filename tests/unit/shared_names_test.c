// SPDX-License-Identifier: GPL-2.0-only
/* Functions of two captures: those with one name in one file are one. */
#include <errno.h>

#include "calls/shared_names.h"
#include "check.h"

static struct function_names names;
static struct shared_names shared;

/* Adds the capture's next function. Returns its number in names. */
static function_id add(function_id id, const char *name, const char *object)
{
	CHECK_EQ(shared_names__add(&shared, &names, id, name, object), 0);
	return shared_names__get(&shared, id);
}

static void test_captures(void)
{
	/* The numbers of the first one stay, also of functions with one name. */
	CHECK_EQ(add(1, "main", "/bin/a"), 1);
	CHECK_EQ(add(2, "get", "/bin/a"), 2);
	CHECK_EQ(add(3, "get", "/bin/a"), 3);
	CHECK_EQ(add(4, "", "/bin/a"), 4);
	CHECK_EQ(add(5, "\033", "/bin/a"), 5);
	CHECK_EQ(shared_names__get(&shared, 4 | FUNCTION_NAMELESS), 4);
	shared_names__next_capture(&shared);
	CHECK_EQ(shared_names__get(&shared, 1), 0);
	CHECK_EQ(add(1, "get", "/bin/a"), 2);
	CHECK_EQ(add(2, "get", "/lib/b"), 6);
	CHECK_EQ(add(3, "\033", "/bin/a"), 5);
	CHECK_EQ(add(4, "get", "/bin/a"), 3);
	CHECK_EQ(add(5, "get", "/bin/a"), 7);
	CHECK_EQ(add(6, "", "/bin/a"), 4);
	/* The name of code without a symbol is no function's. */
	CHECK_EQ(add(7, "[/bin/a]", "/bin/a"), 8);
	CHECK_EQ(names.nr, 9);
	CHECK_EQ(function_names__same(&names, 4), 4 | FUNCTION_NAMELESS);
	CHECK_STREQ(function_names__get(&names, 6)->object, "/lib/b");
	/* Numbers that nobody has given, or that are out of order. */
	CHECK_EQ(shared_names__get(&shared, 0), 0);
	CHECK_EQ(shared_names__get(&shared, 8), 0);
	CHECK_EQ(shared_names__add(&shared, &names, 9, "late", ""), -EBADMSG);
	CHECK_EQ(names.nr, 9);
}

/* As many as the hash has to grow for, three times. */
static void test_many(void)
{
	char name[16];

	for (int capture = 0; capture < 3; capture++) {
		shared_names__next_capture(&shared);
		for (function_id id = 1; id <= 2000; id++) {
			snprintf(name, sizeof(name), "f%u", capture == 1 ? 2001 - id : id);
			CHECK_EQ(add(id, name, ""), capture == 1 ? 2009 - id : 8 + id);
		}
	}
	CHECK_EQ(names.nr, 2009);
}

int main(void)
{
	test_captures();
	test_many();
	shared_names__release(&shared);
	function_names__release(&names);
	return check__done();
}
