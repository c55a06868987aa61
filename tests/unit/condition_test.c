// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "auxbpf_condition.h"
#include "check.h"
#include "rules/condition.h"

/* What a condition is evaluated on, and what of it was asked for. */
struct event {
	__u64 fields[AUXBPF_FIELD_NR];
	__u32 asked; /* bits by enum auxbpf_field */
};

static __u64 read_field(void *arg, __u32 field)
{
	struct event *event = arg;

	event->asked |= 1u << field;
	return event->fields[field];
}

static int resolve(void *arg, enum auxbpf_field field, const char *name, uint64_t *ret)
{
	*ret = field == AUXBPF_FIELD_UID ? 33 : 4711;
	return strcmp(name, "www-data") && strcmp(name, "/system.slice/a b.service") ? -ENOENT : 0;
}

static const struct condition_names names = {.resolve = resolve};
static const struct condition_opts opts = {
	.fields = CONDITION_FIELDS_ARGS | CONDITION_FIELDS_TASK | CONDITION_FIELDS_RESULT,
	.moment = "here",
	.names = &names,
};

static struct auxbpf_condition rule;

static int compile(const char *text)
{
	char message[RULE_MESSAGE_SIZE] = "";
	int err = condition__parse_rest(text, 0, &opts, &rule, message, sizeof(message));

	if (err)
		fprintf(stderr, "%s\n", message);
	return err;
}

/* Whether the condition holds if only one field is not 0. */
static bool holds(const char *text, enum auxbpf_field field, __u64 val)
{
	struct event event = {0};

	event.fields[field] = val;
	return CHECK_EQ(compile(text), 0) && auxbpf_condition__eval(&rule, rule.nr_tests, read_field, &event);
}

static void test_values(void)
{
	static const struct {
		const char *text;
		enum auxbpf_field field;
		__u64 val;
	} cases[] = {
		{"arg0 == 10", AUXBPF_FIELD_ARG0, 10},
		{"arg0 == 0x1F", AUXBPF_FIELD_ARG0, 31},
		{"arg0 == 0755", AUXBPF_FIELD_ARG0, 0755},
		{"arg0==18446744073709551615", AUXBPF_FIELD_ARG0, UINT64_MAX},
		{"arg1 == 4k", AUXBPF_FIELD_ARG1, 4096},
		{"arg1 == 2MiB", AUXBPF_FIELD_ARG1, 2 << 20},
		{"arg1 == 1m", AUXBPF_FIELD_ARG1, 1 << 20},
		{"arg1 == 3G", AUXBPF_FIELD_ARG1, 3ull << 30},
		{"arg2 == O_CREAT|O_EXCL", AUXBPF_FIELD_ARG2, O_CREAT | O_EXCL},
		{"arg2 == (O_CREAT | 0x3)", AUXBPF_FIELD_ARG2, O_CREAT | 3},
		{"arg3 == SIGTERM", AUXBPF_FIELD_ARG3, SIGTERM},
		{"ret == -ENOENT", AUXBPF_FIELD_RET, (__u64)-ENOENT},
		{"ret == - 2", AUXBPF_FIELD_RET, (__u64)-2},
		{"ret == O_RDWR", AUXBPF_FIELD_RET, O_RDWR},
		{"latency == 5ns", AUXBPF_FIELD_LATENCY, 5},
		{"latency == 5us", AUXBPF_FIELD_LATENCY, 5000},
		{"latency == 5ms", AUXBPF_FIELD_LATENCY, 5000000},
		{"latency == 5s", AUXBPF_FIELD_LATENCY, 5000000000},
		{"pid == 1", AUXBPF_FIELD_PID, 1},
		{"tid == 1", AUXBPF_FIELD_TID, 1},
		{"ppid == 1", AUXBPF_FIELD_PPID, 1},
		{"cpu == 1", AUXBPF_FIELD_CPU, 1},
		{"uid == 4294967295", AUXBPF_FIELD_UID, UINT32_MAX},
		{"uid == www-data", AUXBPF_FIELD_UID, 33},
		{"uid >= www-data", AUXBPF_FIELD_UID, 34},
		{"cgroup == 17", AUXBPF_FIELD_CGROUP, 17},
		{"cgroup == '/system.slice/a b.service'", AUXBPF_FIELD_CGROUP, 4711},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!CHECK(holds(cases[i].text, cases[i].field, cases[i].val)))
			fprintf(stderr, "%s\n", cases[i].text);
		CHECK(!holds(cases[i].text, cases[i].field, 7));
	}
}

static void test_comparisons(void)
{
	static const struct {
		const char *text;
		bool below, equal, above; /* for 9, 10 and 11 */
	} cases[] = {
		{"arg0 == 10", false, true, false}, {"arg0 != 10", true, false, true},
		{"arg0 < 10", true, false, false},  {"arg0 <= 10", true, true, false},
		{"arg0 > 10", false, false, true},  {"arg0 >= 10", false, true, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CHECK_EQ(holds(cases[i].text, AUXBPF_FIELD_ARG0, 9), cases[i].below);
		CHECK_EQ(holds(cases[i].text, AUXBPF_FIELD_ARG0, 10), cases[i].equal);
		CHECK_EQ(holds(cases[i].text, AUXBPF_FIELD_ARG0, 11), cases[i].above);
	}
}

static void test_bits(void)
{
	CHECK(holds("arg1 & O_CREAT", AUXBPF_FIELD_ARG1, O_CREAT | O_RDWR));
	CHECK(!holds("arg1 & O_CREAT", AUXBPF_FIELD_ARG1, O_RDWR));
	CHECK(holds("arg1&O_CREAT|O_EXCL", AUXBPF_FIELD_ARG1, O_EXCL));
	CHECK(holds("(arg1 & O_ACCMODE) == O_RDWR", AUXBPF_FIELD_ARG1, O_RDWR | O_CREAT));
	CHECK(!holds("(arg1 & O_ACCMODE) == O_RDWR", AUXBPF_FIELD_ARG1, O_WRONLY));
	CHECK(holds("((arg1 & 0xf0)) >= 0x20", AUXBPF_FIELD_ARG1, 0x12f));
	CHECK(!holds("(arg1 & 0xf0) >= 0x20", AUXBPF_FIELD_ARG1, 0xf1f));
	CHECK(holds("(arg1 & 0xf0) <= 0x20", AUXBPF_FIELD_ARG1, 0xf20));
	CHECK(holds("!(arg1 & 1)", AUXBPF_FIELD_ARG1, 2));
	CHECK(holds("(ret & 0xff) == 0xfe", AUXBPF_FIELD_RET, (__u64)-2));
}

static void test_signs(void)
{
	/* An int argument, with whatever is in the upper half of the register. */
	CHECK(holds("arg0 == -1", AUXBPF_FIELD_ARG0, UINT64_MAX));
	CHECK(holds("arg0 == -1", AUXBPF_FIELD_ARG0, UINT32_MAX));
	CHECK(holds("arg0 == AT_FDCWD", AUXBPF_FIELD_ARG0, 0x12345678ffffff9c));
	CHECK(!holds("arg0 != AT_FDCWD", AUXBPF_FIELD_ARG0, (__u64)AT_FDCWD));
	CHECK(holds("arg0 <= -1", AUXBPF_FIELD_ARG0, 0x80000000));
	CHECK(!holds("arg0 <= -1", AUXBPF_FIELD_ARG0, 0x7fffffff));
	CHECK(holds("arg0 > -1", AUXBPF_FIELD_ARG0, 0));
	CHECK(!holds("arg0 > -1", AUXBPF_FIELD_ARG0, UINT32_MAX));
	CHECK(holds("arg0 < -5", AUXBPF_FIELD_ARG0, (__u64)-6));
	CHECK(!holds("arg0 < -5", AUXBPF_FIELD_ARG0, (__u64)-5));
	CHECK(!holds("arg0 < -5", AUXBPF_FIELD_ARG0, 3));
	CHECK(holds("arg0 >= -5", AUXBPF_FIELD_ARG0, (__u64)-5));
	CHECK(holds("arg0 >= -2147483648", AUXBPF_FIELD_ARG0, 0x80000000));
	/* Below the least int: 64 bits. */
	CHECK(holds("arg0 < -2147483649", AUXBPF_FIELD_ARG0, (__u64)-2147483650));
	CHECK(!holds("arg0 < -2147483649", AUXBPF_FIELD_ARG0, 0x80000000));
	CHECK(holds("arg0 == -9223372036854775808", AUXBPF_FIELD_ARG0, 1ull << 63));
	/* Unsigned otherwise. */
	CHECK(holds("arg0 > 1", AUXBPF_FIELD_ARG0, UINT64_MAX));
	CHECK(holds("ret < 0", AUXBPF_FIELD_RET, (__u64)-1));
	CHECK(!holds("ret > 1", AUXBPF_FIELD_RET, (__u64)-1));
	CHECK(holds("ret >= -4095", AUXBPF_FIELD_RET, (__u64)-4095));
	CHECK(!holds("ret > -4095", AUXBPF_FIELD_RET, (__u64)-4095));
}

static bool holds_for_comm(const char *text, const char *comm, char behind)
{
	struct event event = {0};
	char bytes[AUXBPF_COMM_LEN];

	memset(bytes, behind, sizeof(bytes));
	memcpy(bytes, comm, strlen(comm) + 1);
	memcpy(&event.fields[AUXBPF_FIELD_COMM_LOW], bytes, 8);
	memcpy(&event.fields[AUXBPF_FIELD_COMM_HIGH], bytes + 8, 8);
	return CHECK_EQ(compile(text), 0) && auxbpf_condition__eval(&rule, rule.nr_tests, read_field, &event);
}

static void test_comm(void)
{
	static const char *const comms[] = {
		"", "a", "1234567", "12345678", "123456789", "12345678901234", "123456789012345"};
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(comms); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(comms); j++) {
			snprintf(text, sizeof(text), "comm == '%s'", comms[i]);
			CHECK_EQ(holds_for_comm(text, comms[j], 'x'), i == j);
			snprintf(text, sizeof(text), "comm != \"%s\"", comms[i]);
			CHECK_EQ(holds_for_comm(text, comms[j], '\0'), i != j);
		}
	}
	CHECK(holds_for_comm("comm == kworker/u8:2-ev", "kworker/u8:2-ev", 0));
	CHECK(holds_for_comm("comm == 7zip", "7zip", 0));
	CHECK(holds_for_comm("comm == 'it\\'s'", "it's", 0));
	CHECK(holds_for_comm("comm == \"a*)\"", "a*)", 0));
	CHECK(holds_for_comm("comm == \xc3\xa4", "\xc3\xa4", 0));
}

/* A condition over x = arg0, y = arg1, z = arg2 with all values of three bits. */
static void check_table(const char *text, unsigned int want)
{
	unsigned int got = 0;

	CHECK_EQ(compile(text), 0);
	for (unsigned int i = 0; i < 8; i++) {
		struct event event = {.fields = {i & 1, i >> 1 & 1, i >> 2 & 1}};

		got |= (unsigned int)auxbpf_condition__eval(&rule, rule.nr_tests, read_field, &event) << i;
	}
	if (!CHECK_EQ(got, want))
		fprintf(stderr, "%s\n", text);
}

#define X 0xaau
#define Y 0xccu
#define Z 0xf0u

static void test_logic(void)
{
	check_table("arg0 & 1", X);
	check_table("!(arg0 & 1)", ~X & 0xff);
	check_table("arg0 & 1 && arg1 & 1", X & Y);
	check_table("arg0 & 1 || arg1 & 1", X | Y);
	check_table("arg0 & 1 || arg1 & 1 && arg2 & 1", X | (Y & Z));
	check_table("arg0 & 1 && arg1 & 1 || arg2 & 1", (X & Y) | Z);
	check_table("(arg0 & 1 || arg1 & 1) && arg2 & 1", (X | Y) & Z);
	check_table("!(arg0 & 1 || arg1 & 1) && arg2 & 1", ~(X | Y) & Z & 0xff);
	check_table("!(arg0 & 1 && !(arg1 & 1)) || arg2 == 1", (~(X & ~Y) | Z) & 0xff);
	check_table("((arg0 == 1))", X);
	check_table("(arg0 & 1) == 1 && (arg1 & 1) == 0", X & ~Y & 0xff);
}

static void test_lazy(void)
{
	struct event event = {.fields = {[AUXBPF_FIELD_ARG0] = 1}};

	CHECK_EQ(compile("arg0 == 1 || arg1 == 1"), 0);
	CHECK(auxbpf_condition__eval(&rule, rule.nr_tests, read_field, &event));
	CHECK_EQ(event.asked, CONDITION_FIELD(AUXBPF_FIELD_ARG0));
	event.asked = 0;
	CHECK_EQ(compile("arg0 == 2 && arg1 == 1"), 0);
	CHECK(!auxbpf_condition__eval(&rule, rule.nr_tests, read_field, &event));
	CHECK_EQ(event.asked, CONDITION_FIELD(AUXBPF_FIELD_ARG0));
}

static void test_parse(void)
{
	static const char text[] = "openat(arg2 & O_CREAT || (comm == ')') ),close";
	char message[RULE_MESSAGE_SIZE];
	size_t at = 7;

	CHECK_EQ(condition__parse(text, &at, &opts, &rule, message, sizeof(message)), 0);
	CHECK_STREQ(text + at, "),close");
	CHECK_EQ(rule.nr_tests, 2);
}

/* "arg0 == 0 || arg0 == 1 || ...": with @nr comparisons. */
static void write_long(char *text, unsigned int nr)
{
	*text = '\0';
	for (unsigned int i = 0; i < nr; i++)
		text += sprintf(text, "%sarg0 == %u", i ? " || " : "", i);
}

static void test_or(void)
{
	struct auxbpf_condition both, before;
	char text[1024];

	CHECK_EQ(compile("arg0 == 1 && arg1 == 1"), 0);
	both = rule;
	CHECK_EQ(compile("arg1 == 2 || !(arg0 != 3 || arg1 != 3)"), 0);
	CHECK_EQ(condition__or(&both, &rule), 0);
	CHECK_EQ(both.nr_tests, 5);
	for (__u64 x = 0; x < 5; x++) {
		for (__u64 y = 0; y < 5; y++) {
			struct event event = {.fields = {x, y}};

			CHECK_EQ(auxbpf_condition__eval(&both, both.nr_tests, read_field, &event),
				 (x == 1 && y == 1) || y == 2 || (x == 3 && y == 3));
		}
	}
	write_long(text, AUXBPF_CONDITION_TESTS - 4);
	CHECK_EQ(compile(text), 0);
	before = both;
	CHECK_EQ(condition__or(&both, &rule), -E2BIG);
	CHECK(!memcmp(&both, &before, sizeof(both)));
}

static void test_and(void)
{
	struct auxbpf_condition both, before;
	char text[1024];

	CHECK_EQ(compile("arg0 == 1 || arg1 == 1"), 0);
	both = rule;
	CHECK_EQ(compile("arg0 == 2 || !(arg1 == 2 || arg0 != 1)"), 0);
	CHECK_EQ(condition__and(&both, &rule), 0);
	for (__u64 x = 0; x < 4; x++) {
		for (__u64 y = 0; y < 4; y++) {
			struct event event = {.fields = {x, y}};

			CHECK_EQ(auxbpf_condition__eval(&both, both.nr_tests, read_field, &event),
				 (x == 1 || y == 1) && (x == 2 || (y != 2 && x == 1)));
		}
	}
	write_long(text, AUXBPF_CONDITION_TESTS - 4);
	CHECK_EQ(compile(text), 0);
	before = both;
	CHECK_EQ(condition__and(&both, &rule), -E2BIG);
	CHECK(!memcmp(&both, &before, sizeof(both)));
}

static void test_fields(void)
{
	CHECK_EQ(compile("arg1 == 1 || (comm == abcdefghij && !(ret < 0))"), 0);
	CHECK_EQ(condition__fields(&rule),
		 CONDITION_FIELD(AUXBPF_FIELD_ARG1) | CONDITION_FIELD(AUXBPF_FIELD_COMM_LOW) |
			 CONDITION_FIELD(AUXBPF_FIELD_COMM_HIGH) | CONDITION_FIELD(AUXBPF_FIELD_RET));
}

static void test_long(void)
{
	struct event event = {0};
	char text[1024];

	write_long(text, AUXBPF_CONDITION_TESTS);
	CHECK_EQ(compile(text), 0);
	CHECK_EQ(rule.nr_tests, AUXBPF_CONDITION_TESTS);
	event.fields[AUXBPF_FIELD_ARG0] = AUXBPF_CONDITION_TESTS - 1;
	CHECK(auxbpf_condition__eval(&rule, rule.nr_tests, read_field, &event));
	event.fields[AUXBPF_FIELD_ARG0] = AUXBPF_CONDITION_TESTS;
	CHECK(!auxbpf_condition__eval(&rule, rule.nr_tests, read_field, &event));
}

int main(void)
{
	test_values();
	test_comparisons();
	test_bits();
	test_signs();
	test_comm();
	test_logic();
	test_lazy();
	test_parse();
	test_or();
	test_and();
	test_fields();
	test_long();
	return check__done();
}
