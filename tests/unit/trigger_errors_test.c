// SPDX-License-Identifier: GPL-2.0-only
/* What is wrong with a rule, where the caret is, and what is said. */
#include "check.h"
#include "rules/trigger.h"
#include "rules/trigger_set.h"
#include "trigger_synth.h"
#include "wrong_rule.h"

static void check_wrong(const struct wrong *wrong)
{
	char message[RULE_MESSAGE_SIZE] = "";
	struct trigger trigger;

	CHECK_EQ(trigger__parse(wrong->text, &synth_opts, &trigger, message, sizeof(message)), -EINVAL);
	CHECK(!trigger.text && !trigger.where && !trigger.tracepoint.category && !trigger.tracepoint.event);
	check_told(wrong, message);
}

#define CHECK_ALL(cases)                                       \
	do {                                                   \
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) \
			check_wrong(&(cases)[i]);              \
	} while (0)

static void test_kinds(void)
{
	static const struct wrong cases[] = {
		{"", 0, "expected a kind of trigger, as in syscall:openat ret == -ENOENT\n"},
		{"  ", 2, "expected a kind of trigger"},
		{"(offcpu > 5ms)", 0, "expected a kind of trigger"},
		{"sycall:openat", 0, "unknown kind of trigger 'sycall'; did you mean syscall?\n"},
		{" sigal:SIGSEGV", 1, "unknown kind of trigger 'sigal'; did you mean signal?\n"},
		{"openat ret < 0", 0,
		 "unknown kind of trigger 'openat'; there are syscall, function, tracepoint, offcpu, runq, "
		 "signal, exit, exec, fork, oom, softirq and irq\n"},
		{"execs", 0, "unknown kind of trigger 'execs'; did you mean exec"},
		{"user", 0, "unknown kind of trigger 'user'; there are syscall"},
		{"syscall", 7,
		 "expected : and which system calls, as in syscall:openat; syscall:all is every one\n"},
		{"syscall ret < 0", 7, "expected : and which system calls"},
		{"syscall:", 8, "expected which system calls, as in syscall:openat"},
		{"syscall: openat", 8, "expected which system calls"},
		{"function", 8,
		 "expected : and which function, as in function:vfs_fsync or function:libc:malloc\n"},
		{"function: latency > 1s", 9, "expected which function"},
		{"tracepoint", 10,
		 "expected : and which tracepoint, as in tracepoint:block:block_rq_error\n"},
		{"tracepoint:", 11, "expected which tracepoint"},
		{"exec:/bin/sh", 4, "nothing is behind exec but a condition\n"},
		{"fork:", 4, "nothing is behind fork but"},
		{"oom:x", 3, "nothing is behind oom but"},
		{"exit:1", 4, "nothing is behind exit but"},
		{"offcpu:5ms", 6, "nothing is behind offcpu but"},
		{"runq:2ms", 4, "nothing is behind runq but"},
	};

	CHECK_ALL(cases);
}

static void test_syscalls(void)
{
	static const struct wrong cases[] = {
		{"syscall:opnat ret < 0", 8, "unknown system call 'opnat'; did you mean openat"},
		{"syscall:read,qqqqqqqq ret < 0", 13,
		 "unknown system call 'qqqqqqqq'; `man 2 syscalls` lists them\n"},
		{"syscall:read,%flie latency > 1s", 13,
		 "unknown class of system calls '%flie'; did you mean %file?\n"},
		{"syscall:read, !opnat", 14, "unknown system call 'opnat'; did you mean openat"},
		{"syscall:read,,write", 13, "an empty name in the list of system calls\n"},
		{"syscall:read,", 13, "an empty name in the list"},
		{"syscall:,read", 8, "an empty name in the list"},
		{"syscall:99999", 8, "there is no system call 99999; the numbers end below 1024\n"},
		{"syscall:read,!read", 13, "with '!read' no system call is left in the list\n"},
		{"syscall:!read,write ret < 0", 14,
		 "a list that begins with ! has all system calls but the excluded"},
		{"syscall:/^op(/ ret < 0", 8, "the regular expression /^op(/ is wrong: "},
		{"syscall:/xyzzy/", 8, "no system call matches /xyzzy/\n"},
		{"syscall:none", 8, "'none' traces nothing; name the system calls\n"},
		{"syscall:read(arg0 == 1) ret < 0", 12,
		 "the condition of a trigger is for all its calls, behind a blank\n"},
		{"syscall:read write ret < 0", 13,
		 "unknown field 'write'; there are arg0 to arg5, ret, latency, "
		 "pid, tid, ppid, uid, comm, cgroup and cpu\n"},
		{"syscall:read && ret < 0", 13, "expected a field and what it is compared with"},
		{"syscall:read ret < 0)", 20, "this ) has no (\n"},
	};

	CHECK_ALL(cases);
}

static void test_functions(void)
{
	static const struct wrong cases[] = {
		{"function:/usr/bin/app latency > 5ms", 9,
		 "which function of /usr/bin/app? /usr/bin/app:FUNCTION names one\n"},
		{"function:0x1234 arg0 == 1", 9,
		 "a function of the kernel goes by its name, not by an address: '0x1234'\n"},
		{"function:a-b", 9, "'a-b' is no name of a function; the forms are"},
		{"function::main", 9, "':main' names no file"},
		{"function:libc: ret < 0", 9, "'libc:' names no function"},
		{"function:app:foo::bar", 9, "'app:foo::bar': C++ functions go by the name that the linker"},
		{"function:app:0x", 9, "'0x' in 'app:0x' is no address"},
		{"function:'' ret < 0", 9, "an empty name of a function\n"},
		{"function:'/a b:c ret < 0", 9, "this string has no end: expected another '\n"},
	};

	CHECK_ALL(cases);
}

static void test_signals(void)
{
	static const struct wrong cases[] = {
		{"signal:", 7, "expected a signal, as in signal:SIGSEGV; without : it is any\n"},
		{"signal: SIGSEGV", 7, "expected a signal"},
		{"signal:SIGSEG", 7, "unknown signal 'SIGSEG'; did you mean SIGSEGV"},
		{"signal:SEGV", 7, "unknown signal 'SEGV'; did you mean SIGSEGV"},
		{"signal:0", 7,
		 "unknown signal '0'; expected a name like SIGSEGV or a number from 1 to 64\n"},
		{"signal:65", 7, "unknown signal '65'; expected a name"},
		{"signal:ENOENT", 7, "unknown signal 'ENOENT'"},
		{"signal:SIGBUS,SIGSEGV", 7,
		 "expected one signal; several are signal sig == SIGBUS || sig == SIGSEGV\n"},
		{"signal SIGSEGV", 7,
		 "unknown field 'SIGSEGV'; there are sig, pid, tid, ppid, uid, comm, "
		 "cgroup and cpu\n"},
		{"signal sig == SIGSEG", 14, "unknown name 'SIGSEG'; did you mean SIGSEGV"},
		{"signal sig == O_CREAT", 14,
		 "'O_CREAT' is a flag; sig is compared with a signal like SIGTERM or a number\n"},
		{"signal sig == 65", 14, "sig is at most 64\n"},
		{"signal sig < 0", 13, "sig is unsigned here, never below 0\n"},
		{"signal sig & 1", 11, "the bits of sig mean nothing"},
		{"signal sig == -1", 14, "sig is never negative\n"},
	};

	CHECK_ALL(cases);
}

static void test_interrupts(void)
{
	static const struct wrong cases[] = {
		{"softirq:", 8, "expected a soft interrupt, as in softirq:NET_RX; without : it is any\n"},
		{"softirq: NET_RX", 8, "expected a soft interrupt"},
		{"softirq:NET_RX,", 15, "expected a soft interrupt"},
		{"softirq:NET_RX,,TIMER", 15, "expected a soft interrupt"},
		{"softirq:NET_RC", 8, "unknown soft interrupt 'NET_RC'; did you mean NET_RX"},
		{"softirq:BLOCK,netrx latency > 1ms", 14,
		 "unknown soft interrupt 'netrx'; did you mean NET_RX"},
		{"softirq:tiemr", 8, "unknown soft interrupt 'tiemr'; did you mean TIMER"},
		{"softirq:xyzzy", 8, "unknown soft interrupt 'xyzzy'; /proc/softirqs lists them\n"},
		{"softirq:3", 8, "unknown soft interrupt '3'"},
		{"softirq:NET_RX ret < 0", 15,
		 "ret is not known at softirq; only syscall and function triggers have it\n"},
		{"softirq NET_RX", 8, "unknown field 'NET_RX'; there are latency, pid, tid"},
		{"softirq latency > 5", 18, "'5' is a number; latency is compared with a time like 10ms\n"},
		{"irq:", 4,
		 "expected the number of an interrupt, as in irq:24; /proc/interrupts lists them\n"},
		{"irq:eth0", 4, "expected the number of an interrupt"},
		{"irq:24,-1", 7, "expected the number of an interrupt"},
		{"irq:2147483648", 4, "expected the number of an interrupt"},
		{"irq:24 arg0 == 1", 7, "arg0 is not known at irq; only"},
	};

	CHECK_ALL(cases);
}

static void test_fields(void)
{
	static const struct wrong cases[] = {
		{"exec latency > 5ms", 5,
		 "latency is not known at exec; only syscall, function, softirq and irq triggers have it\n"},
		{"oom ret < 0", 4, "ret is not known at oom; only syscall and function triggers have it\n"},
		{"fork pid == 1 && arg0 == 1", 17,
		 "arg0 is not known at fork; only syscall and function triggers have it\n"},
		{"signal arg5 == 1", 7, "arg5 is not known at signal; only syscall and function"},
		{"syscall:read sig == 9", 13,
		 "sig is not known at syscall; only signal and exit triggers have it\n"},
		{"signal code == 1", 7, "code is not known at signal; only exit triggers have it\n"},
		{"function:main code == 1", 14, "code is not known at function; only exit"},
		{"exit offcpu > 1ms", 5,
		 "offcpu is not known at exit; only offcpu and runq triggers have it\n"},
		{"syscall:read runq > 1ms", 13, "runq is not known at syscall; only offcpu and runq"},
		{"offcpu > 5ms && latency > 1ms", 16, "latency is not known at offcpu; only syscall, "},
		{"tracepoint:block:block_rq_error ret < 0", 32,
		 "ret is not known at tracepoint; only syscall"},
		{"exit code == 256", 13, "code is at most 255\n"},
		{"exit code == SIGTERM", 13, "'SIGTERM' is a signal; code is compared with a number\n"},
		{"exit cod == 1", 5, "unknown field 'cod'; did you mean code"},
		/* What exec does not have is not offered. */
		{"exec latncy > 1s", 5, "unknown field 'latncy'; there are pid, tid"},
		{"exec xyzzyxyzzy == 1", 5,
		 "unknown field 'xyzzyxyzzy'; there are pid, tid, ppid, uid, comm, cgroup and "
		 "cpu\n"},
	};

	CHECK_ALL(cases);
}

static void test_waits(void)
{
	static const struct wrong cases[] = {
		{"offcpu", 6, "expected a time behind offcpu, as in offcpu > 5ms\n"},
		{"  runq  ", 8, "expected a time behind runq, as in runq > 5ms\n"},
		{"offcpu 5ms", 7, "expected an operator behind offcpu"},
		{"offcpu comm == db", 7, "expected an operator behind offcpu"},
		{"offcpu > 5", 9, "'5' is a number; offcpu is compared with a time like 10ms\n"},
		{"runq > 5k", 7, "'5k' is a size; runq is compared with a time"},
		{"offcpu > 5ms && runq >", 22, "expected a time like 10ms\n"},
		{"offcpu > 5ms & 1", 13, "expected && or || or the end of the condition\n"},
	};

	CHECK_ALL(cases);
}

static void test_tracepoints(void)
{
	static const struct wrong cases[] = {
		{"tracepoint::x", 11, "expected the category of a tracepoint, as in"},
		{"tracepoint:block", 16, "expected : and the name of a tracepoint of block\n"},
		{"tracepoint:block error != 0", 16, "expected : and the name of"},
		{"tracepoint:block:", 17, "expected the name of a tracepoint, as in"},
		{"tracepoint:../x:y", 11, "expected the category"},
		{"tracepoint:block:../x", 17, "expected the name of a tracepoint"},
		{"tracepoint:block:a/b", 18, "expected a blank behind the name of the tracepoint\n"},
		{"tracepoint:block:blok", 11,
		 "there is no tracepoint block:blok; `perf list tracepoint` lists them\n"},
		{"tracepoint:block:block_rq_eror", 11,
		 "there is no tracepoint block:block_rq_eror; did you mean block:block_rq_error?\n"},
		{"tracepoint:test:unmounted", 11,
		 "tracepoints need tracefs: mount -t tracefs tracefs /sys/kernel/tracing\n"},
		{"tracepoint:syscalls:sys_enter_openat", 11,
		 "system calls have rules of their own: write syscall:openat; "},
		{"tracepoint:block:forbidden", 11,
		 "the format of the tracepoint block:forbidden cannot be read: Permission denied\n"},
	};

	CHECK_ALL(cases);
}

#define RQ "tracepoint:block:block_rq_error "
#define MANY "tracepoint:test:many "
#define WAKEUP "tracepoint:sched:sched_wakeup "

static void test_tracepoint_fields(void)
{
	static const struct wrong cases[] = {
		{RQ "eror != 0", 32, "unknown field 'eror'; did you mean error?\n"},
		{RQ "event.eror != 0", 32, "unknown field 'event.eror'; did you mean error?\n"},
		{RQ "xyzzyxyzzy != 0", 32,
		 "unknown field 'xyzzyxyzzy'; there are pid, tid, ppid, uid, comm, cgroup and cpu; its own "
		 "are dev, "
		 "sector, nr_sector, error, ioprio\n"},
		{RQ "common_pid == 1", 32, "unknown field 'common_pid'"},
		{RQ "rwbs == W", 32, "rwbs is text; only numbers can be compared\n"},
		{RQ "cmd == x", 32, "cmd is text; only numbers can be compared\n"},
		{MANY "args == 1", 21, "args is an array or a structure; only numbers can be compared\n"},
		{MANY "key == 1", 21, "key is an array or a structure; only"},
		{WAKEUP "pid == 1", 30,
		 "the task and the tracepoint have a field pid: write task.pid or event.pid\n"},
		{WAKEUP "comm == x", 30, "the task and the tracepoint have a field comm: write task.comm or"},
		{WAKEUP "event.comm == x", 30, "comm is text; only numbers can be compared\n"},
		{WAKEUP "task.prio == 1", 30, "unknown field 'task.prio'"},
		{WAKEUP "task.ret == 1", 30, "unknown field 'task.ret'"},
		{WAKEUP "event.uid == 1", 30, "unknown field 'event.uid'"},
		{RQ "error == 5ms", 41,
		 "'5ms' is a time; error is compared with a number, an error like -EIO, a size like 4k or a "
		 "name like O_CREAT\n"},
		{RQ "nr_sector == -1", 45, "nr_sector is never negative\n"},
		{RQ "nr_sector < 0", 44, "nr_sector is unsigned here, never below 0\n"},
		{RQ "nr_sector == 4294967296", 45, "nr_sector is at most 4294967295\n"},
		{RQ "error == 2147483648", 41, "error is at most 2147483647\n"},
		{RQ "error == -2147483649", 41, "error is at least -2147483648\n"},
		{RQ "error < -2147483648", 40, "error is at least -2147483648\n"},
		{RQ "error >= -2147483648", 41, "error is at least -2147483648\n"},
		{MANY "f0 > 127", 26, "f0 is at most 127\n"},
		{MANY "f1 <= 255", 27, "f1 is at most 255\n"},
	};

	CHECK_ALL(cases);
}

static void check_told_first(const char *text, const char *told)
{
	char message[RULE_MESSAGE_SIZE] = "";
	struct trigger trigger;

	CHECK_EQ(trigger__parse(text, &synth_opts, &trigger, message, sizeof(message)), -EINVAL);
	if (!CHECK(!strncmp(message, told, strlen(told))))
		fprintf(stderr, "%s\n", message);
}

#define EIGHT "7,7,7,7,7,7,7,7"
#define LIST "irq:" EIGHT "," EIGHT "," EIGHT "," EIGHT

/* The 33rd interrupt of a list, and the first comparison beside 32. */
static void test_room_for_interrupts(void)
{
	struct trigger trigger;
	char message[RULE_MESSAGE_SIZE];

	CHECK_EQ(trigger__parse(LIST, &synth_opts, &trigger, message, sizeof(message)), 0);
	CHECK_EQ(trigger.condition.nr_tests, AUXBPF_CONDITION_TESTS);
	trigger__release(&trigger);
	check_told_first(LIST ",8", "a rule has room for 32 interrupts\n");
	check_told_first(LIST " uid == 1", "the condition is too long: with irq:7,7,7");
	check_told_first(
		"irq:" EIGHT " uid == 1 || uid == 2 || uid == 3 || uid == 4 || uid == 5 || uid == 6 || "
		"uid == 7 || uid == 8 || uid == 9 || uid == 10 || uid == 11 || uid == 12 || uid == 13 || "
		"uid == 14 || uid == 15 || uid == 16 || uid == 17 || uid == 18 || uid == 19 || uid == 20 || "
		"uid == 21 || uid == 22 || uid == 23 || uid == 24 || uid == 25",
		"the condition is too long: with irq:" EIGHT " there is room for 24 comparisons\n");
}

/* The ninth field of a tracepoint, and the 32nd comparison beside a signal. */
static void test_room(void)
{
	char message[RULE_MESSAGE_SIZE], text[1024] = "signal:SIGSEGV uid == 1";
	struct trigger trigger;

	CHECK_EQ(trigger__parse(MANY "f0 == 1 || f1 == 1 || f2 == 1 || f3 == 1 || f4 == 1 || f5 == 1 || "
				     "f6 == 1 || f7 == 1 || f8 == 1",
				&synth_opts, &trigger, message, sizeof(message)),
		 -EINVAL);
	CHECK_STREQ(message, "a rule has room for 8 fields of its tracepoint\n"
			     "  ... f3 == 1 || f4 == 1 || f5 == 1 || f6 == 1 || f7 == 1 || f8 == 1\n"
			     "                                                             ^");
	for (unsigned int i = 1; i < AUXBPF_CONDITION_TESTS - 1; i++)
		strcat(text, " || uid == 1");
	CHECK_EQ(trigger__parse(text, &synth_opts, &trigger, message, sizeof(message)), 0);
	CHECK_EQ(trigger.condition.nr_tests, AUXBPF_CONDITION_TESTS);
	trigger__release(&trigger);
	strcat(text, " || uid == 1");
	CHECK_EQ(trigger__parse(text, &synth_opts, &trigger, message, sizeof(message)), -EINVAL);
	CHECK(!strncmp(message,
		       "the condition is too long: with signal:SIGSEGV there is room for 31 comparisons\n",
		       80));
}

/* Whatever its length, a message ends in its buffer. */
static void test_small_buffer(void)
{
	struct trigger_set set = {0};
	struct trigger trigger;
	char message[16];

	for (size_t size = 1; size <= sizeof(message); size++) {
		memset(message, 'x', sizeof(message));
		CHECK_EQ(trigger__parse("sycall:read", &synth_opts, &trigger, message, size), -EINVAL);
		CHECK_EQ(strlen(message), size - 1);
		CHECK_EQ(trigger_set__add_file(&set, "exit:", "rules", &synth_opts, message, size), -EINVAL);
		CHECK_EQ(strlen(message), size - 1);
	}
	trigger_set__release(&set);
}

int main(void)
{
	test_kinds();
	test_syscalls();
	test_functions();
	test_signals();
	test_interrupts();
	test_fields();
	test_waits();
	test_tracepoints();
	test_tracepoint_fields();
	test_room();
	test_room_for_interrupts();
	test_small_buffer();
	return check__done();
}
