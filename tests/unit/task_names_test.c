// SPDX-License-Identifier: GPL-2.0-only
/* The list of tasks that a message has. */
#include <string.h>

#include "check.h"
#include "report/task_names.h"

static void check(struct task_name *list, size_t nr, size_t size, const char *want)
{
	char text[256];

	memset(text, 'x', sizeof(text));
	task_names__write(list, nr, text, size);
	CHECK_STREQ(text, want);
	for (size_t i = size; i < sizeof(text); i++)
		CHECK_EQ(text[i], 'x');
}

int main(void)
{
	struct task_name list[] = {{30, "ls"}, {7, "sh"}, {12, "a b"}, {7, "sh"}, {12, "a b"}};
	struct task_name many[] = {{1, "one"}, {2, "two"}, {3, "three"}};

	check(list, 0, 100, "");
	check(list, ARRAY_SIZE(list), 100, "sh 7, a b 12, ls 30");
	/* Not all fit. */
	check(many, ARRAY_SIZE(many), 40, "one 1 and 2 more");
	check(many, ARRAY_SIZE(many), 33, "3 more");
	return check__done();
}
