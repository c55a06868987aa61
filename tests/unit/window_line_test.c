// SPDX-License-Identifier: GPL-2.0-only
/* The lines of windows.ndjson. */
#include <errno.h>

#include "check.h"
#include "capture/window_line.h"
#include "rules/syscall_set.h"

static const char *const functions[] = {"vfs_read", "libc:getenv"};

static void check_line(const struct auxbpf_window *window, const char *expected)
{
	_cleanup_buf_ struct buf b = {0};

	CHECK_EQ(window_line__add(&b, window, functions, ARRAY_SIZE(functions)), 0);
	buf__add(&b, "", 1);
	CHECK_STREQ((const char *)b.data, expected);
}

static void test_header(void)
{
	_cleanup_buf_ struct buf b = {0};

	CHECK_EQ(window_line__add_header(&b, 7, 18446744073709551615u), 0);
	buf__add(&b, "", 1);
	CHECK_STREQ((const char *)b.data,
		    "{\"auxbpf_windows\":1,\"windows\":7,\"left_out\":18446744073709551615}\n");
}

/* restart_syscall has a name and a number on each architecture. */
static void test_syscall(void)
{
	const struct auxbpf_window w = {
		.begin = 36461172621529,
		.end = 36461172623119,
		.off = 5,
		.args = {1, 18446744073709551615u, 3, 4, 5, 6},
		.ret = -2,
		.comm = "cat",
		.pid = 12,
		.tid = 13,
		.what = syscall__restart_nr(),
		.cpu = 3,
		.end_cpu = 4095,
		.moves = 1,
	};
	char expected[512];

	snprintf(
		expected, sizeof(expected),
		"{\"kind\":\"syscall\",\"name\":\"restart_syscall\",\"nr\":%d,"
		"\"args\":[1,18446744073709551615,3,4,5,6],\"ret\":-2,\"errno\":\"ENOENT\",\"pid\":12,"
		"\"tid\":13,\"comm\":\"cat\",\"begin_ns\":36461172621529,\"end_ns\":36461172623119,\"cpu\":3,"
		"\"end_cpu\":4095,\"moves\":1,\"off_ns\":5}\n",
		syscall__restart_nr());
	check_line(&w, expected);
}

/* A number without a name, in a 32-bit task, that ended with its task. Names of tasks can be any bytes. */
static void test_cut(void)
{
	const struct auxbpf_window w = {
		.what = 1023,
		.compat = 1,
		.cut = AUXBPF_CUT_EXIT,
		.untraced = 1,
		.comm = {'"', '\n', '\xff', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'b'},
	};

	check_line(&w, "{\"kind\":\"syscall\",\"nr\":1023,\"compat\":true,\"args\":[0,0,0,0,0,0],\"pid\":0,"
		       "\"tid\":0,\"comm\":\"\\\"\\n\xef\xbf\xbd"
		       "aaaaaaaaaaaab\",\"begin_ns\":0,\"end_ns\":0,\"cpu\":0,\"end_cpu\":0,\"moves\":0,"
		       "\"off_ns\":0,\"cut\":\"exit\",\"untraced\":true}\n");
}

static void test_function(void)
{
	struct auxbpf_window w = {
		.kind = AUXBPF_WINDOW_USER_FUNCTION, .what = 1, .cut = AUXBPF_CUT_OPEN, .begin = 9};

	check_line(&w, "{\"kind\":\"function\",\"name\":\"libc:getenv\",\"pid\":0,\"tid\":0,\"comm\":\"\","
		       "\"begin_ns\":9,\"cpu\":0,\"moves\":0,\"off_ns\":0,\"cut\":\"open\"}\n");
	/* The programs do not number more functions than that. */
	w = (struct auxbpf_window){.kind = AUXBPF_WINDOW_KERNEL_FUNCTION,
				   .what = AUXBPF_WINDOW_FUNCTIONS,
				   .cut = AUXBPF_CUT_LEFT,
				   .end = 1};
	check_line(&w, "{\"kind\":\"function\",\"pid\":0,\"tid\":0,\"comm\":\"\",\"begin_ns\":0,\"end_ns\":1,"
		       "\"cpu\":0,\"end_cpu\":0,\"moves\":0,\"off_ns\":0,\"cut\":\"left\"}\n");
}

static void test_cookie(void)
{
	const uint64_t file = 0x1234567890abcULL;

	CHECK_EQ(AUXBPF_WINDOW_COOKIE_FUNCTION(AUXBPF_WINDOW_COOKIE(5ULL, file)), 5);
	CHECK_EQ(AUXBPF_WINDOW_COOKIE_FILE(AUXBPF_WINDOW_COOKIE(5ULL, file)), file);
	CHECK_EQ(AUXBPF_WINDOW_COOKIE_FUNCTION(AUXBPF_WINDOW_COOKIE(5000ULL, file)), AUXBPF_WINDOW_FUNCTIONS);
	CHECK_EQ(AUXBPF_WINDOW_COOKIE_FILE(AUXBPF_WINDOW_COOKIE(5000ULL, file)), file);
}

/* An error sticks. */
static void test_no_memory(void)
{
	_cleanup_buf_ struct buf b = {.err = -ENOMEM};

	CHECK_EQ(window_line__add_header(&b, 0, 0), -ENOMEM);
	CHECK_EQ(window_line__add(&b, &(struct auxbpf_window){0}, NULL, 0), -ENOMEM);
}

int main(void)
{
	test_header();
	test_syscall();
	test_cut();
	test_function();
	test_cookie();
	test_no_memory();
	return check__done();
}
