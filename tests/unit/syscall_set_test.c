// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sys/syscall.h>

#include "auxbpf_condition.h"
#include "base/nearest.h"
#include "check.h"
#include "rules/syscall_set.h"

static struct syscall_set set;
static char message[RULE_MESSAGE_SIZE];

static int resolve(void *arg, enum auxbpf_field field, const char *name, uint64_t *ret)
{
	*ret = 33;
	return field == AUXBPF_FIELD_UID && !strcmp(name, "www-data") ? 0 : -ENOENT;
}

static int add(const char *list)
{
	static const struct condition_names names = {.resolve = resolve};

	*message = '\0';
	return syscall_set__add(&set, list, &names, message, sizeof(message));
}

static int parse(const char *list)
{
	memset(&set, 0, sizeof(set));
	return add(list);
}

static int count(const uint8_t *table)
{
	int n = 0;

	for (int i = 0; i < AUXBPF_MAX_SYSCALLS; i++)
		n += table[i] == AUXBPF_SYSCALL_ALWAYS;
	return n;
}

static void test_names(void)
{
	CHECK_EQ(parse("uname,openat"), 0);
	CHECK_EQ(set.native[SYS_uname], AUXBPF_SYSCALL_ALWAYS);
	CHECK_EQ(set.native[SYS_openat], AUXBPF_SYSCALL_ALWAYS);
	CHECK_EQ(count(set.native), 2);
	CHECK_EQ(count(set.compat), 2);
#if defined(__x86_64__)
	CHECK(set.compat[122]);
	CHECK(!set.compat[SYS_uname]);
	/* The calls that can also be made through socketcall and ipc have numbers of their own. */
	CHECK_EQ(parse("socket,shmget"), 0);
	CHECK(set.compat[359]);
	CHECK(set.compat[395]);
	CHECK_EQ(count(set.compat), 2);
#endif
	CHECK_STREQ(message, "");
	CHECK_EQ(parse(" uname , openat "), 0);
	CHECK_EQ(count(set.native), 2);
}

static void test_numbers(void)
{
	CHECK_EQ(parse("63"), 0);
	CHECK(set.native[63]);
	CHECK_EQ(count(set.native), 1);
	CHECK_EQ(count(set.compat), 0);
	CHECK_EQ(parse("0x3f"), 0);
	CHECK(set.native[63]);
	CHECK_EQ(parse("1023"), 0);
	CHECK_EQ(parse("1024"), -EINVAL);
	CHECK(strstr(message, "no system call 1024"));
}

static void test_classes(void)
{
	CHECK_EQ(parse("%file"), 0);
	CHECK(set.native[SYS_openat]);
	CHECK(set.native[SYS_execve]);
	CHECK(!set.native[SYS_read]);
	CHECK(count(set.native) > 30);
	CHECK(count(set.compat) > 30);
	CHECK_EQ(parse("%net"), 0);
	CHECK(set.native[SYS_sendto]);
	CHECK(!set.native[SYS_write]);
#if defined(__x86_64__)
	CHECK(set.compat[102]);
	CHECK_EQ(parse("%%stat"), 0);
	CHECK(set.native[SYS_stat] && set.native[SYS_lstat] && set.native[SYS_fstat] &&
	      set.native[SYS_statx]);
	CHECK_EQ(count(set.native), 5);
	CHECK_EQ(parse("%stat"), 0);
	CHECK_EQ(count(set.native), 1);
#endif
}

static void test_all_and_none(void)
{
	CHECK_EQ(parse("all"), 0);
	CHECK_EQ(count(set.native), AUXBPF_MAX_SYSCALLS);
	CHECK_EQ(count(set.compat), AUXBPF_MAX_SYSCALLS);
	CHECK_EQ(parse("none"), -EINVAL);
	CHECK(strstr(message, "'none' traces nothing"));
}

static void test_exclude(void)
{
	CHECK_EQ(parse("!close"), 0);
	CHECK_EQ(count(set.native), AUXBPF_MAX_SYSCALLS - 1);
	CHECK(!set.native[SYS_close]);
	CHECK_EQ(parse("!close,!%memory"), 0);
	CHECK(!set.native[SYS_close]);
	CHECK(!set.native[SYS_mmap]);
	CHECK(set.native[SYS_read]);
	CHECK_EQ(parse("all,! close"), 0);
	CHECK(!set.native[SYS_close]);
	CHECK_EQ(parse("%desc,!read,write"), 0);
	CHECK(set.native[SYS_close]);
	CHECK(!set.native[SYS_read]);
	/* From left to right: out, and in again. */
	CHECK_EQ(parse("!%desc,read"), 0);
	CHECK(set.native[SYS_read]);
	CHECK(!set.native[SYS_write]);
	CHECK(set.native[SYS_getpid]);
}

static void test_exclude_errors(void)
{
	CHECK_EQ(parse("!close,read"), -EINVAL);
	CHECK(strstr(message, "so 'read' adds nothing; to exclude it too, write !read"));
	CHECK_EQ(parse("!close"), 0);
	CHECK_EQ(add("read"), -EINVAL);
	CHECK_EQ(parse("read,!read"), -EINVAL);
	CHECK(strstr(message, "with '!read' no system call is left"));
	CHECK_EQ(parse("!all"), -EINVAL);
	CHECK(strstr(message, "with '!all' no system call is left"));
	CHECK_EQ(parse("!"), -EINVAL);
	CHECK(strstr(message, "empty name"));
}

static void test_several_lists(void)
{
	CHECK_EQ(parse("read"), 0);
	CHECK_EQ(add("write"), 0);
	CHECK_EQ(count(set.native), 2);
	CHECK_EQ(add("!read"), 0);
	CHECK(!set.native[SYS_read]);
	CHECK_EQ(count(set.native), 1);
}

static void test_regex(void)
{
	CHECK_EQ(parse("/^sched_(get|set)/,uname"), 0);
	CHECK(set.native[SYS_sched_getaffinity]);
	CHECK(set.native[SYS_sched_setaffinity]);
	CHECK(set.native[SYS_uname]);
	CHECK(!set.native[SYS_sched_yield]);
	CHECK_EQ(parse("/^sched_.{5,6}$/"), 0);
	CHECK(set.native[SYS_sched_yield]);
	CHECK_EQ(count(set.native), 1);
	CHECK_EQ(parse("!/^sched/"), 0);
	CHECK(!set.native[SYS_sched_yield]);
	CHECK_EQ(parse("/^open"), -EINVAL);
	CHECK(strstr(message, "has a slash at each end"));
	CHECK_EQ(parse("/"), -EINVAL);
	CHECK(strstr(message, "has a slash at each end"));
	CHECK_EQ(parse("/open(/"), -EINVAL);
	CHECK(strstr(message, "the regular expression /open(/ is wrong:"));
	CHECK_EQ(parse("/xyzzy/"), -EINVAL);
	CHECK(strstr(message, "no system call matches /xyzzy/"));
}

/* What the C library would turn into gigabytes is wrong, not tried. */
static void test_greedy_regex(void)
{
	char many[301];

	CHECK_EQ(parse("/^(o++++++++++++++++++++++++++++++++pen|close)/"), -EINVAL);
	CHECK(strstr(message,
		     "the regular expression /^(o++++++++++++++++++++++++++++++++pen|close)/ repeats what it "
		     "repeats too often\n"));
	CHECK_EQ(parse("/((((o{20}){20}){20}){20}){20}/"), -EINVAL);
	CHECK(strstr(message, "too often"));
	CHECK_EQ(parse("/(o{,2000}){99999999999999999999}/"), -EINVAL);
	CHECK(strstr(message, "too often"));
	CHECK_EQ(parse("/(o{,33}p){1,32}/"), -EINVAL);
	CHECK(strstr(message, "too often"));
	CHECK_EQ(parse("/^()+++++open/"), -EINVAL);
	CHECK(strstr(message, "too often"));
	CHECK_EQ(parse("/^((((()+)+)+)+)+open/"), -EINVAL);
	CHECK(strstr(message, "too often"));
	CHECK_EQ(parse("/^([a-z0-9_]+){2,3}(64|at2?)+$/"), 0);
	CHECK(set.native[SYS_openat]);
	memset(many, '(', sizeof(many) - 1);
	many[0] = many[sizeof(many) - 2] = '/';
	many[sizeof(many) - 1] = '\0';
	CHECK_EQ(parse(many), -EINVAL);
	CHECK(strstr(message, "a regular expression of 300 characters is too long\n"));
	memset(many, 'x', sizeof(many) - 1);
	many[0] = many[255] = '/';
	many[256] = '\0';
	CHECK_EQ(parse(many), -EINVAL);
	CHECK(strstr(message, "no system call matches /xxx"));
}

static __u64 read_field(void *arg, __u32 field)
{
	return ((const __u64 *)arg)[field];
}

/* Whether a call counts if only one field is not 0. */
static bool counts(uint8_t entry, enum auxbpf_field field, __u64 val)
{
	__u64 fields[AUXBPF_FIELD_NR] = {0};

	if (entry < AUXBPF_SYSCALL_CONDITION)
		return entry == AUXBPF_SYSCALL_ALWAYS;
	fields[field] = val;
	return CHECK((size_t)(entry - AUXBPF_SYSCALL_CONDITION) < set.nr_conditions) &&
	       auxbpf_condition__eval(&set.conditions[entry - AUXBPF_SYSCALL_CONDITION],
				      set.conditions[entry - AUXBPF_SYSCALL_CONDITION].nr_tests, read_field,
				      fields);
}

static void test_conditions(void)
{
	CHECK_EQ(parse("openat ( arg2 & O_CREAT ) , close"), 0);
	CHECK_EQ(set.nr_conditions, 1);
	CHECK_EQ(set.native[SYS_close], AUXBPF_SYSCALL_ALWAYS);
	CHECK_EQ(set.native[SYS_openat], AUXBPF_SYSCALL_CONDITION);
	CHECK(counts(set.native[SYS_openat], AUXBPF_FIELD_ARG2, 0100));
	CHECK(!counts(set.native[SYS_openat], AUXBPF_FIELD_ARG2, 0200));
	CHECK_EQ(parse("%file(uid == www-data && (arg0 == 0 || comm == ',)')),63(arg0 == 3),/^cl.se$/(arg0 & "
		       "1)"),
		 0);
	CHECK_EQ(set.nr_conditions, 3);
	CHECK_EQ(set.native[SYS_openat], AUXBPF_SYSCALL_CONDITION);
	CHECK_EQ(set.native[SYS_execve], AUXBPF_SYSCALL_CONDITION);
	CHECK(counts(set.native[SYS_openat], AUXBPF_FIELD_UID, 33));
	CHECK(!counts(set.native[SYS_openat], AUXBPF_FIELD_UID, 34));
	CHECK(counts(set.native[63], AUXBPF_FIELD_ARG0, 3));
	CHECK(!counts(set.native[63], AUXBPF_FIELD_ARG0, 1));
	CHECK(counts(set.native[SYS_close], AUXBPF_FIELD_ARG0, 1));
	CHECK_EQ(parse("all(pid == 7)"), 0);
	CHECK_EQ(set.nr_conditions, 1);
	CHECK_EQ(set.native[SYS_read], AUXBPF_SYSCALL_CONDITION);
	CHECK_EQ(set.compat[AUXBPF_MAX_SYSCALLS - 1], AUXBPF_SYSCALL_CONDITION);
}

/* Either condition is enough. */
static void test_several_conditions(void)
{
	CHECK_EQ(parse("openat(arg0 == 1),openat(arg0 == 2)"), 0);
	CHECK_EQ(set.nr_conditions, 1);
	CHECK(counts(set.native[SYS_openat], AUXBPF_FIELD_ARG0, 1));
	CHECK(counts(set.native[SYS_openat], AUXBPF_FIELD_ARG0, 2));
	CHECK(!counts(set.native[SYS_openat], AUXBPF_FIELD_ARG0, 3));
	/* The class keeps its condition; the call of it has both. */
	CHECK_EQ(parse("%file(arg0 == 1)"), 0);
	CHECK_EQ(add("openat(arg0 == 2),read(arg0 == 3)"), 0);
	CHECK_EQ(set.nr_conditions, 3);
	CHECK(counts(set.native[SYS_openat], AUXBPF_FIELD_ARG0, 1));
	CHECK(counts(set.native[SYS_openat], AUXBPF_FIELD_ARG0, 2));
	CHECK(counts(set.native[SYS_execve], AUXBPF_FIELD_ARG0, 1));
	CHECK(!counts(set.native[SYS_execve], AUXBPF_FIELD_ARG0, 2));
	CHECK(!counts(set.native[SYS_read], AUXBPF_FIELD_ARG0, 2));
	CHECK(counts(set.native[SYS_read], AUXBPF_FIELD_ARG0, 3));
	/* No condition is more than any. */
	CHECK_EQ(parse("read(arg0 == 1),read"), 0);
	CHECK_EQ(set.native[SYS_read], AUXBPF_SYSCALL_ALWAYS);
	CHECK_EQ(set.nr_conditions, 0);
	CHECK_EQ(parse("read,read(arg0 == 1)"), 0);
	CHECK_EQ(set.native[SYS_read], AUXBPF_SYSCALL_ALWAYS);
	CHECK_EQ(set.nr_conditions, 0);
	CHECK_EQ(parse("%desc(arg0 == 1),!read"), 0);
	CHECK_EQ(set.native[SYS_read], AUXBPF_SYSCALL_NONE);
	CHECK(counts(set.native[SYS_write], AUXBPF_FIELD_ARG0, 1));
}

static void test_condition_errors(void)
{
	CHECK_EQ(parse("close,openat(arg2 & )"), -EINVAL);
	CHECK(strstr(message, "expected a number, a size like 4k or a name like O_CREAT\n"
			      "  close,openat(arg2 & )\n"
			      "                      ^"));
	CHECK_EQ(parse("close(ret < 0)"), -EINVAL);
	CHECK(strstr(message, "ret is not known at the begin of a system call; only syscall"
			      " and function triggers have it\n"));
	CHECK_EQ(parse("close(arg0 == 1"), -EINVAL);
	CHECK(strstr(message, "expected ) or && or ||\n  close(arg0 == 1\n                 ^"));
	CHECK_EQ(parse("close(arg0 == 1,read"), -EINVAL);
	CHECK(strstr(message, "',' is not part of the language\n"));
	CHECK_EQ(parse("close(arg0 == 1) read"), -EINVAL);
	CHECK(strstr(message, "expected a comma behind the condition of 'close'\n"));
	CHECK_EQ(parse("close()"), -EINVAL);
	CHECK(strstr(message, "expected a field"));
	CHECK_EQ(parse("(arg0 == 1)"), -EINVAL);
	CHECK(strstr(message, "empty name"));
	CHECK_EQ(parse("!close(arg0 == 1)"), -EINVAL);
	CHECK(strstr(message, "what is excluded with ! has no condition\n  !close("));
	CHECK_EQ(parse("!close,read(arg0 == 1)"), -EINVAL);
	CHECK(strstr(message, "so 'read' adds nothing"));
}

/* Rules that nothing refers to make room. */
static void test_many_conditions(void)
{
	char item[64];

	memset(&set, 0, sizeof(set));
	for (unsigned int i = 0; i < AUXBPF_MAX_CONDITIONS; i++) {
		snprintf(item, sizeof(item), "%u(arg0 == %u)", i, i);
		CHECK_EQ(add(item), 0);
	}
	CHECK_EQ(set.nr_conditions, AUXBPF_MAX_CONDITIONS);
	CHECK(counts(set.native[AUXBPF_MAX_CONDITIONS - 1], AUXBPF_FIELD_ARG0, AUXBPF_MAX_CONDITIONS - 1));
	/* Every rule gets a successor. */
	CHECK_EQ(add("/./(arg1 == 5)"), -EINVAL);
	CHECK(strstr(message, "with '/./' there are more than 64 different conditions"));
	CHECK_EQ(parse("100(arg0 == 1)"), 0);
	for (unsigned int i = 0; i < AUXBPF_MAX_CONDITIONS * 3; i++) {
		snprintf(item, sizeof(item), "!%u,%u(arg0 == %u)", 200 + i % 50, 200 + i % 50, i);
		CHECK_EQ(add(item), 0);
	}
	CHECK_EQ(set.nr_conditions, 51);
	CHECK_EQ(parse("3(arg0 == 1)"), 0);
	for (unsigned int i = 1; i < AUXBPF_CONDITION_TESTS; i++)
		CHECK_EQ(add("3(arg0 == 1)"), 0);
	CHECK_EQ(add("3(arg0 == 1)"), -EINVAL);
	CHECK(strstr(message, "the conditions of '3' here and before are too long together"));
}

static void test_errors(void)
{
	CHECK_EQ(parse("unmae"), -EINVAL);
	CHECK(strstr(message, "unknown system call 'unmae'; did you mean"));
	CHECK(strstr(message, "uname"));
	CHECK_EQ(parse(""), -EINVAL);
	CHECK_EQ(parse("uname,,read"), -EINVAL);
	CHECK(strstr(message, "empty name"));
	CHECK_EQ(parse("uname,"), -EINVAL);
	CHECK_EQ(parse("qqqqqqqqqq"), -EINVAL);
	CHECK_STREQ(message, "unknown system call 'qqqqqqqqqq'; `man 2 syscalls` lists them\n"
			     "  qqqqqqqqqq\n  ^");
	CHECK_EQ(parse("%flie"), -EINVAL);
	CHECK(strstr(message, "unknown class of system calls '%flie'; did you mean %file"));
	CHECK_EQ(parse("%"), -EINVAL);
	CHECK(strstr(message, "unknown class"));
}

static void test_restart(void)
{
	CHECK_EQ(syscall__restart_nr(), SYS_restart_syscall);
	CHECK_EQ(syscall__compat_restart_nr(), 0);
}

static void test_user_calls(void)
{
	int nrs[SYSCALL_USER_CALLS];
	size_t nr_calls = syscall__user_calls(nrs), native = 0;

	for (size_t i = 0; i < nr_calls; i++) {
		CHECK(nrs[i] >= 0);
		native += nrs[i] == SYS_setuid || nrs[i] == SYS_setreuid || nrs[i] == SYS_setresuid;
	}
	/* The three calls, and on i386 and 32-bit Arm these with ids of 16 and of 32 bits. */
	CHECK_EQ(native, 3);
	CHECK_EQ(nr_calls, 9);
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
	test_classes();
	test_all_and_none();
	test_exclude();
	test_exclude_errors();
	test_several_lists();
	test_regex();
	test_greedy_regex();
	test_conditions();
	test_several_conditions();
	test_condition_errors();
	test_many_conditions();
	test_errors();
	test_restart();
	test_user_calls();
	test_nearest();
	return check__done();
}
