// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "report/windows.h"

static char dir[] = "/tmp/windows_test.XXXXXX";

static int read_text(struct windows *windows, const char *text)
{
	char path[sizeof(dir) + 32];
	FILE *file;

	*windows = (struct windows){0};
	snprintf(path, sizeof(path), "%s/windows.ndjson", dir);
	file = fopen(path, "w");
	if (!CHECK(file))
		return -errno;
	fputs(text, file);
	fclose(file);
	return windows__read(windows, dir);
}

static void test_read(void)
{
	struct windows w;

	CHECK_EQ(read_text(&w, "{\"auxbpf_windows\":1,\"windows\":3,\"left_out\":7}\n"
			       "{\"kind\":\"syscall\",\"name\":\"openat\",\"nr\":257,\"args\":[1,2,3,4,5,6],"
			       "\"ret\":-"
			       "2,\"errno\":\"ENOENT\","
			       "\"pid\":10,\"tid\":11,\"comm\":\"a\\nb\",\"begin_ns\":2000,\"end_ns\":5000,"
			       "\"cpu\":3,\"off_ns\":9,"
			       "\"moves\":1}\n"
			       "{\"kind\":\"function\",\"pid\":1,\"tid\":1,\"comm\":\"c\",\"begin_ns\":1000,"
			       "\"cut\":\"open\"}\n"
			       "{\"kind\":\"syscall\",\"name\":\"read\",\"ret\":3,\"begin_ns\":3000,\"end_"
			       "ns\":9000}\n"),
		 0);
	CHECK_EQ(w.nr, 3);
	CHECK_EQ(w.left_out, 7);
	/* By their begin, numbered from 1. */
	CHECK_STREQ(w.list[0].name, "function");
	CHECK_EQ(w.list[0].number, 1);
	CHECK(!w.list[0].is_over && !w.list[0].result);
	CHECK_STREQ(w.list[1].name, "openat");
	CHECK_STREQ(w.list[1].result, "-2 ENOENT");
	CHECK_STREQ(w.list[1].comm, "a\\nb");
	CHECK(w.list[1].has_args);
	CHECK_EQ(w.list[1].args[1], 2);
	CHECK(!w.list[2].has_args);
	CHECK_EQ(w.list[1].pid, 10);
	CHECK_EQ(w.list[1].tid, 11);
	CHECK_EQ(w.list[1].cpu, 3);
	CHECK_EQ(w.list[1].off, 9);
	CHECK_EQ(w.list[1].moves, 1);
	CHECK_EQ(window__duration(&w.list[1]), 3000);
	CHECK_STREQ(w.list[2].result, "3");
	windows__release(&w);
}

static void test_slowest(void)
{
	struct window *slowest[4];
	struct windows w;

	CHECK_EQ(
		read_text(&w,
			  "{\"kind\":\"a\",\"begin_ns\":1,\"end_ns\":11}\n{\"kind\":\"b\",\"begin_ns\":2,"
			  "\"end_ns\":32}\n"
			  "{\"kind\":\"c\",\"begin_ns\":3}\n{\"kind\":\"d\",\"begin_ns\":4,\"end_ns\":14}\n"),
		0);
	CHECK_EQ(windows__slowest(&w, slowest, 4), 3);
	CHECK_STREQ(slowest[0]->name, "b");
	CHECK_STREQ(slowest[1]->name, "a");
	CHECK_STREQ(slowest[2]->name, "d");
	CHECK_EQ(windows__slowest(&w, slowest, 1), 1);
	CHECK_STREQ(slowest[0]->name, "b");
	windows__release(&w);
}

static void test_begins(void)
{
	_cleanup_free_ struct window_begin *begins = NULL;
	struct windows w;

	CHECK_EQ(read_text(&w, "{\"kind\":\"a\",\"tid\":9,\"begin_ns\":1}\n{\"kind\":\"b\",\"tid\":3,\"begin_"
			       "ns\":2}\n"
			       "{\"kind\":\"c\",\"tid\":9,\"begin_ns\":0}\n"),
		 0);
	begins = windows__begins(&w);
	if (CHECK(begins)) {
		CHECK_EQ(begins[0].tid, 3);
		CHECK_EQ(begins[1].tid, 9);
		CHECK_EQ(begins[1].time, 0);
		CHECK_EQ(begins[2].time, 1);
		CHECK_EQ(begins[2].number, 2);
		CHECK_EQ(begins[2].end, UINT64_MAX);
	}
	windows__release(&w);
}

/* Two captures tell of the window at 5 of task 9, of which the later one has seen the end; a call in it begins with it. */
static void test_unite(void)
{
	struct windows w;

	CHECK_EQ(read_text(&w, "{\"kind\":\"a\",\"tid\":9,\"begin_ns\":5}\n{\"kind\":\"a\",\"tid\":8,\"begin_"
			       "ns\":5}\n{\"kind\":\"z\",\"tid\":9,\"begin_ns\":5}\n"
			       "{\"kind\":\"a\",\"tid\":9,\"begin_ns\":5,\"end_ns\":7}\n"
			       "{\"kind\":\"a\",\"tid\":9,\"begin_ns\":2,\"end_ns\":3}\n"),
		 0);
	windows__unite(&w);
	if (CHECK_EQ(w.nr, 4)) {
		CHECK_EQ(w.list[0].begin, 2);
		CHECK_EQ(w.list[1].tid, 8);
		CHECK_STREQ(w.list[2].name, "a");
		CHECK_EQ(w.list[2].end, 7);
		CHECK_EQ(w.list[2].number, 3);
		CHECK_STREQ(w.list[3].name, "z");
		CHECK_EQ(w.list[3].number, 4);
	}
	windows__release(&w);
	w = (struct windows){0};
	windows__unite(&w);
	CHECK_EQ(w.nr, 0);
}

static void check_bad(const char *text)
{
	struct windows w;

	if (!CHECK_EQ(read_text(&w, text), -EBADMSG))
		fprintf(stderr, "text: %s\n", text);
	windows__release(&w);
}

static void test_bad(void)
{
	struct windows w = {0};

	check_bad("no JSON\n");
	check_bad("[]\n");
	check_bad("\n");
	check_bad("{\"name\":\"without a kind\"}\n");
	check_bad("{\"kind\":\"a\"}\n{\"kind\":\"cut");
	CHECK_EQ(windows__read(&w, "/nonexistent"), -ENOENT);
	CHECK_EQ(windows__read(&w, "/dev/null"), -ENOENT);
	windows__release(&w);
}

int main(void)
{
	char path[sizeof(dir) + 32];

	if (!CHECK(mkdtemp(dir)))
		return check__done();
	test_read();
	test_slowest();
	test_begins();
	test_unite();
	test_bad();
	snprintf(path, sizeof(path), "%s/windows.ndjson", dir);
	remove(path);
	remove(dir);
	return check__done();
}
