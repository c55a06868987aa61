// SPDX-License-Identifier: GPL-2.0-only
/* Windows that the user asks for: what is understood of a range, and what is wrong with others. */
#include <sys/syscall.h>

#include "check.h"
#include "rules/window_set.h"
#include "trigger_synth.h"
#include "wrong_rule.h"

static int add(struct window_set *set, const char *text, char *message)
{
	return window_set__add_range(set, text, &synth_opts.tracepoints, message, RULE_MESSAGE_SIZE);
}

static void test_ranges(void)
{
	struct window_set set = {0};
	char message[RULE_MESSAGE_SIZE] = "";

	CHECK(!window_set__is_any(&set));
	CHECK_EQ(add(&set, "sched:sched_wakeup,block:block_rq_error", message), 0);
	CHECK_EQ(add(&set, "block:block_rq_error,test:many", message), 0);
	CHECK_STREQ(message, "");
	CHECK_EQ(set.nr_ranges, 2);
	CHECK_STREQ(set.ranges[0].begin.name.category, "sched");
	CHECK_STREQ(set.ranges[0].begin.name.event, "sched_wakeup");
	CHECK_STREQ(set.ranges[0].end.name.category, "block");
	CHECK_STREQ(set.ranges[0].end.name.event, "block_rq_error");
	CHECK_STREQ(set.ranges[1].end.name.event, "many");
	CHECK(window_set__is_any(&set));
	window_set__release(&set);
}

static void test_syscalls(void)
{
	struct window_set set = {0};
	char message[RULE_MESSAGE_SIZE] = "";

	CHECK_EQ(add(&set, "syscalls:sys_exit_newuname,syscalls:sys_enter_openat", message), 0);
	CHECK_EQ(add(&set, "syscalls:sys_enter_openat,syscalls:sys_exit_openat", message), 0);
	CHECK_EQ(add(&set, "sched:sched_wakeup,test:many", message), 0);
	CHECK_EQ(set.ranges[0].begin.syscall, SYS_uname);
	CHECK_EQ(set.ranges[0].end.syscall, SYS_openat);
	CHECK_STREQ(range_point__event(&set.ranges[0].begin), "sys_exit");
	CHECK_STREQ(range_point__event(&set.ranges[0].end), "sys_enter");
	CHECK_EQ(set.ranges[1].begin.syscall, SYS_openat);
	CHECK_STREQ(range_point__event(&set.ranges[1].end), "sys_exit");
	CHECK_EQ(set.ranges[2].begin.syscall, -1);
	CHECK_STREQ(range_point__event(&set.ranges[2].begin), "sched_wakeup");
	window_set__release(&set);
}

/* Without a machine to ask, names are taken as they are. */
static void test_no_source(void)
{
	static const struct tracepoint_source none = {0};
	struct window_set set = {0};
	char message[RULE_MESSAGE_SIZE];

	CHECK_EQ(window_set__add_range(&set, "no:such,no-such:either", &none, message, sizeof(message)), 0);
	CHECK_STREQ(set.ranges[0].end.name.category, "no-such");
	window_set__release(&set);
}

static void test_wrong(void)
{
	static const struct wrong cases[] = {
		{"", 0, "expected the category of a tracepoint, as in block:block_plug,block:block_unplug\n"},
		{"sched", 5, "expected : and the name of a tracepoint of sched\n"},
		{"sched:", 6, "expected the name of a tracepoint, as in"},
		{"sched:sched_wakeup", 18, "expected , and the tracepoint at which the window ends\n"},
		{"sched:sched_wakeup test:many", 18, "expected , and the tracepoint"},
		{"sched:sched_wakeup,", 19, "expected the category of a tracepoint"},
		{"sched:sched_wakeup,../x:y", 19, "expected the category of a tracepoint"},
		{"sched:sched_wakeup, test:many", 19, "expected the category of a tracepoint"},
		{"sched:sched_wakeup,test:many,", 28,
		 "expected nothing behind the tracepoint at which the window ends\n"},
		{"sched:sched_wakeup,test:many pid == 3", 28, "expected nothing behind the tracepoint"},
		{"sched:sched_wakeup,sched:sched_wakeup", 19,
		 "the window would end where it begins: name another tracepoint\n"},
		{"sched:sched_wakup,test:many", 0,
		 "there is no tracepoint sched:sched_wakup; did you mean sched:sched_wakeup?\n"},
		{"test:many,block:blok", 10,
		 "there is no tracepoint block:blok; `perf list tracepoint` lists them\n"},
		{"test:many,test:unmounted", 10, "tracepoints need tracefs: mount -t tracefs"},
		{"block:forbidden,test:many", 0,
		 "the format of the tracepoint block:forbidden cannot be read: Permission denied\n"},
		{"test:many,syscalls:sys_enter_opnat", 10,
		 "there is no tracepoint syscalls:sys_enter_opnat; did you mean syscalls:sys_enter_odd?\n"},
		{"test:many,syscalls:sys_opened_openat", 10, "there is no tracepoint syscalls:sys_opened"},
		{"syscalls:sys_enter_odd,test:many", 0, "there is no system call of that name; write it as"},
		{"syscalls:sys_exit_newuname,syscalls:sys_exit_uname", 27, "the window would end where"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char message[RULE_MESSAGE_SIZE] = "";
		struct window_set set = {0};

		CHECK_EQ(add(&set, cases[i].text, message), -EINVAL);
		check_told(&cases[i], message);
		CHECK_EQ(set.nr_ranges, 0);
		CHECK(!window_set__is_any(&set));
		window_set__release(&set);
	}
}

static void test_many(void)
{
	struct window_set set = {0};
	char message[RULE_MESSAGE_SIZE] = "";

	for (int i = 0; i < AUXBPF_MAX_RANGES; i++)
		CHECK_EQ(add(&set, "sched:sched_wakeup,test:many", message), 0);
	CHECK_EQ(add(&set, "sched:sched_wakeup,test:many", message), -EINVAL);
	CHECK_STREQ(message, "at most 32 ranges");
	CHECK_EQ(set.nr_ranges, AUXBPF_MAX_RANGES);
	window_set__release(&set);
}

static void test_in_kernel(void)
{
	const char *functions[] = {"vfs_fsync", "libc:malloc"};
	struct window_set set = {.has_syscalls = true, .functions = functions, .nr_functions = 1};
	struct window_range range = {0};

	CHECK(window_set__in_kernel(&set));
	set.nr_functions = 2;
	CHECK(!window_set__in_kernel(&set));
	set = (struct window_set){.on_cpu = true};
	CHECK(!window_set__in_kernel(&set));
	set = (struct window_set){.ranges = &range, .nr_ranges = 1};
	CHECK(!window_set__in_kernel(&set));
}

int main(void)
{
	test_ranges();
	test_syscalls();
	test_no_source();
	test_wrong();
	test_many();
	test_in_kernel();
	return check__done();
}
