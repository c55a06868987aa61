// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/parse.h"
#include "check.h"

static void test_u64(void)
{
	uint64_t val = 0;

	CHECK_EQ(parse__u64("0", &val), 0);
	CHECK_EQ(val, 0);
	CHECK_EQ(parse__u64("0x10", &val), 0);
	CHECK_EQ(val, 16);
	CHECK_EQ(parse__u64("18446744073709551615", &val), 0);
	CHECK_EQ(val, UINT64_MAX);
	CHECK_EQ(parse__u64("18446744073709551616", &val), -ERANGE);
	CHECK_EQ(parse__u64("", &val), -EINVAL);
	CHECK_EQ(parse__u64("-1", &val), -EINVAL);
	CHECK_EQ(parse__u64(" 1", &val), -EINVAL);
	CHECK_EQ(parse__u64("1 ", &val), -EINVAL);
	CHECK_EQ(parse__u64("0x", &val), -EINVAL);
}

static void test_pid(void)
{
	int pid = 0;

	CHECK_EQ(parse__pid("4194304", &pid), 0);
	CHECK_EQ(pid, 4194304);
	CHECK_EQ(parse__pid("010", &pid), 0);
	CHECK_EQ(pid, 10);
	CHECK_EQ(parse__pid("0", &pid), -ERANGE);
	CHECK_EQ(parse__pid("2147483648", &pid), -ERANGE);
	CHECK_EQ(parse__pid("1x", &pid), -EINVAL);
}

static void test_size(void)
{
	static const struct {
		const char *text;
		uint64_t size;
	} good[] = {
		{"1", 1},	{"512b", 512},	 {"4k", 4096},	     {"4KB", 4096},
		{"4KiB", 4096}, {"2M", 2097152}, {"1G", 1073741824}, {"17179869183G", 17179869183ull << 30},
	};
	static const char *const bad[] = {"", "k", "4kk", "4 k", "4T", "-4k", "4kib2", "0x4k"};
	uint64_t size;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		CHECK_EQ(parse__size(good[i].text, &size), 0);
		CHECK_EQ(size, good[i].size);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK_EQ(parse__size(bad[i], &size), -EINVAL);
	CHECK_EQ(parse__size("17179869184G", &size), -ERANGE);
}

static void check_range(const char *text, int want, uint64_t want_begin, uint64_t want_end)
{
	uint64_t begin = 1, end = 1;

	if (!CHECK_EQ(parse__time_range(text, &begin, &end), want))
		fprintf(stderr, "text: %s\n", text);
	if (want)
		return;
	CHECK_EQ(begin, want_begin);
	CHECK_EQ(end, want_end);
}

static void test_time_range(void)
{
	check_range("1,2", 0, 1000000000, 2000000000);
	check_range("25.107808009,25.2", 0, 25107808009, 25200000000);
	check_range("0.5,0.500000001", 0, 500000000, 500000001);
	check_range("3,", 0, 3000000000, UINT64_MAX);
	check_range(",3.25", 0, 0, 3250000000);
	check_range(",", 0, 0, UINT64_MAX);
	check_range("7.,8", 0, 7000000000, 8000000000);
	check_range("2,1", -ERANGE, 0, 0);
	check_range("18446744073.709551615,", 0, UINT64_MAX, UINT64_MAX);
	check_range("18446744073.709551616,", -ERANGE, 0, 0);
	check_range("18446744074,", -ERANGE, 0, 0);
	check_range("", -EINVAL, 0, 0);
	check_range("1", -EINVAL, 0, 0);
	check_range("1,2,3", -EINVAL, 0, 0);
	check_range("1s,2s", -EINVAL, 0, 0);
	check_range("-1,2", -EINVAL, 0, 0);
	check_range("1, 2", -EINVAL, 0, 0);
	check_range("1.0000000001,2", -EINVAL, 0, 0);
	check_range("10%,20%", -EINVAL, 0, 0);
}

static void test_time(void)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{"0ns", 0},
		{"100ns", 100},
		{"20us", 20000},
		{"10ms", 10000000},
		{"3s", 3000000000},
		{"2m", 120000000000},
		{"1H", 3600000000000},
		{"18446744073709551615ns", UINT64_MAX},
		{"5124095h", 5124095 * 3600000000000ull},
	};
	/* Without a unit nobody can tell. */
	static const char *const bad[] = {"",	 "10",	 "0",	 "ms",	 "1.5s", "10 ms",
					  "-1s", "1min", "1sec", "1mss", "0x1s"};
	uint64_t ns;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		CHECK_EQ(parse__time(good[i].text, &ns), 0);
		CHECK_EQ(ns, good[i].ns);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK_EQ(parse__time(bad[i], &ns), -EINVAL);
	CHECK_EQ(parse__time("5124096h", &ns), -ERANGE);
	CHECK_EQ(parse__time("18446744073709551616ns", &ns), -ERANGE);
}

static void test_cpu_list(void)
{
	int cpus[4] = {0};

	CHECK_EQ(parse__cpu_list("0", cpus, 4), 1);
	CHECK_EQ(parse__cpu_list("0-1,4\n", cpus, 4), 3);
	CHECK_EQ(cpus[0], 0);
	CHECK_EQ(cpus[1], 1);
	CHECK_EQ(cpus[2], 4);
	/* More than fit: all are counted. */
	CHECK_EQ(parse__cpu_list("0-9", cpus, 4), 10);
	CHECK_EQ(parse__cpu_list("", cpus, 4), -EINVAL);
	CHECK_EQ(parse__cpu_list("3-1", cpus, 4), -EINVAL);
	CHECK_EQ(parse__cpu_list("1,", cpus, 4), -EINVAL);
	CHECK_EQ(parse__cpu_list("1;2", cpus, 4), -EINVAL);
	CHECK_EQ(parse__cpu_list("0-99999999", cpus, 4), -ERANGE);
}

int main(void)
{
	test_u64();
	test_pid();
	test_size();
	test_time();
	test_time_range();
	test_cpu_list();
	return check__done();
}
