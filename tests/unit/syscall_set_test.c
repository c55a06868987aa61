// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sys/syscall.h>

#include "check.h"
#include "pure/nearest.h"
#include "pure/syscall_set.h"

static int has(const uint64_t *words, long nr)
{
	return words[nr / 64] >> (nr % 64) & 1;
}

static int count(const uint64_t *words)
{
	int n = 0;

	for (int i = 0; i < AUXBPF_SYSCALL_WORDS; i++)
		n += __builtin_popcountll(words[i]);
	return n;
}

static void test_names(void)
{
	struct syscall_set set;
	char message[256] = "";

	CHECK_EQ(syscall_set__parse("uname,openat", &set, message, sizeof(message)), 0);
	CHECK(has(set.native, SYS_uname));
	CHECK(has(set.native, SYS_openat));
	CHECK_EQ(count(set.native), 2);
	CHECK_EQ(count(set.compat), 2);
#if defined(__x86_64__)
	CHECK(has(set.compat, 122));
	CHECK(!has(set.compat, SYS_uname));
#endif
	CHECK_STREQ(message, "");
}

static void test_numbers(void)
{
	struct syscall_set set;
	char message[256];

	CHECK_EQ(syscall_set__parse("63", &set, message, sizeof(message)), 0);
	CHECK(has(set.native, 63));
	CHECK_EQ(count(set.compat), 0);
	CHECK_EQ(syscall_set__parse("1023", &set, message, sizeof(message)), 0);
	CHECK_EQ(syscall_set__parse("1024", &set, message, sizeof(message)), -EINVAL);
	CHECK(strstr(message, "no system call 1024"));
}

static void test_errors(void)
{
	struct syscall_set set;
	char message[256];

	CHECK_EQ(syscall_set__parse("unmae", &set, message, sizeof(message)), -EINVAL);
	CHECK(strstr(message, "unknown system call 'unmae'; did you mean"));
	CHECK(strstr(message, "uname"));
	CHECK_EQ(syscall_set__parse("", &set, message, sizeof(message)), -EINVAL);
	CHECK_EQ(syscall_set__parse("uname,,read", &set, message, sizeof(message)), -EINVAL);
	CHECK(strstr(message, "empty name"));
	CHECK_EQ(syscall_set__parse("qqqqqqqqqq", &set, message, sizeof(message)), -EINVAL);
	CHECK(!strstr(message, "did you mean"));
}

static void test_restart(void)
{
#if defined(__x86_64__)
	CHECK_EQ(syscall__restart_nr(), SYS_restart_syscall);
	CHECK_EQ(syscall__compat_restart_nr(), 0);
#endif
}

static void test_nearest(void)
{
	struct nearest near = {0};
	char text[256];

	nearest__format(&near, text, sizeof(text));
	CHECK_STREQ(text, "");
	nearest__offer(&near, "opne", "close");
	CHECK_EQ(near.nr, 0);
	nearest__offer(&near, "opne", "open");
	nearest__offer(&near, "opne", "open");
	CHECK_EQ(near.nr, 1);
	nearest__offer(&near, "opne", "opne2");
	nearest__format(&near, text, sizeof(text));
	CHECK_STREQ(text, "opne2 or open");
	nearest__offer(&near, "opne", "opnes");
	nearest__offer(&near, "opne", "one");
	CHECK_EQ(near.nr, 3);
	nearest__format(&near, text, sizeof(text));
	CHECK_STREQ(text, "opne2, opnes or one");
}

int main(void)
{
	test_names();
	test_numbers();
	test_errors();
	test_restart();
	test_nearest();
	return check__done();
}
