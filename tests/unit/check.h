/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of a unit test: each counts as passed or failed, a failed one says where and what. A test program
 * ends with `return check__done();`, which prints "N passed, N failed".
 */
#ifndef AUXBPF_TESTS_CHECK_H
#define AUXBPF_TESTS_CHECK_H

#include <stdio.h>
#include <string.h>

static unsigned int check_passed, check_failed;

static inline int check__that(int ok, const char *file, int line, const char *what)
{
	if (ok) {
		check_passed++;
		return 1;
	}
	check_failed++;
	fprintf(stderr, "%s:%d: not true: %s\n", file, line, what);
	return 0;
}

static inline int check__eq(long long a, long long b, const char *file, int line, const char *what)
{
	if (a != b)
		fprintf(stderr, "%s:%d: %lld (0x%llx) is not %lld (0x%llx)\n", file, line, a,
			(unsigned long long)a, b, (unsigned long long)b);
	return check__that(a == b, file, line, what);
}

static inline int check__streq(const char *a, const char *b, const char *file, int line, const char *what)
{
	if (strcmp(a, b))
		fprintf(stderr, "%s:%d: \"%s\" is not \"%s\"\n", file, line, a, b);
	return check__that(!strcmp(a, b), file, line, what);
}

static inline int check__done(void)
{
	printf("%u passed, %u failed\n", check_passed, check_failed);
	return check_failed || !check_passed;
}

#define CHECK(cond) check__that(!!(cond), __FILE__, __LINE__, #cond)
#define CHECK_EQ(a, b) check__eq((long long)(a), (long long)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_STREQ(a, b) check__streq(a, b, __FILE__, __LINE__, #a " is " #b)

#endif
