// SPDX-License-Identifier: GPL-2.0-only
/* Rules of every kind: what becomes of them, and when their conditions hold. */
#include <signal.h>
#include <sys/syscall.h>

#include "auxbpf_condition.h"
#include "check.h"
#include "rules/trigger.h"
#include "rules/trigger_set.h"
#include "trigger_synth.h"

static struct trigger trigger;

static int parse(const char *text)
{
	char message[RULE_MESSAGE_SIZE];
	int err;

	trigger__release(&trigger);
	err = trigger__parse(text, &synth_opts, &trigger, message, sizeof(message));
	if (err)
		fprintf(stderr, "%s\n", message);
	else
		CHECK_STREQ(message, "");
	return err;
}

static __u64 read_field(void *arg, __u32 field)
{
	const __u64 *fields = arg;

	return fields[field];
}

/* Whether the condition holds if only one field is not 0. */
static bool holds(enum auxbpf_field field, __u64 val)
{
	__u64 fields[AUXBPF_FIELD_NR] = {0};

	fields[field] = val;
	return CHECK(trigger.has_condition) &&
	       auxbpf_condition__eval(&trigger.condition, trigger.condition.nr_tests, read_field, fields);
}

static bool has(const uint64_t *table, unsigned int nr)
{
	return table[nr / 64] >> nr % 64 & 1;
}

static unsigned int count(const uint64_t *table)
{
	unsigned int n = 0;

	for (unsigned int nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++)
		n += has(table, nr);
	return n;
}

/* Rules, their kind, whether they have a condition and fire at the entry. */
static void test_kinds(void)
{
	static const struct {
		const char *text;
		enum auxbpf_trigger_kind kind;
		bool has_condition, at_entry;
	} cases[] = {
		{"syscall:openat", AUXBPF_TRIGGER_SYSCALL, false, true},
		{"syscall:openat ret == -ENOENT", AUXBPF_TRIGGER_SYSCALL, true, false},
		{"syscall:fsync latency > 10ms", AUXBPF_TRIGGER_SYSCALL, true, false},
		{"syscall:write arg2 >= 1m && comm == postgres", AUXBPF_TRIGGER_SYSCALL, true, true},
		{"syscall:write arg2 >= 1m || ret < 0", AUXBPF_TRIGGER_SYSCALL, true, false},
		{"function:vfs_fsync", AUXBPF_TRIGGER_FUNCTION, false, true},
		{"function:vfs_fsync ret < 0", AUXBPF_TRIGGER_FUNCTION, true, false},
		{"function:/usr/bin/app:handle latency > 5ms", AUXBPF_TRIGGER_FUNCTION, true, false},
		{"function:libc:malloc arg0 > 1m", AUXBPF_TRIGGER_FUNCTION, true, true},
		{"tracepoint:block:block_rq_error", AUXBPF_TRIGGER_TRACEPOINT, false, false},
		{"tracepoint:block:block_rq_error error != 0", AUXBPF_TRIGGER_TRACEPOINT, true, false},
		{"offcpu > 5ms", AUXBPF_TRIGGER_OFFCPU, true, false},
		{"offcpu>5ms&&comm==db", AUXBPF_TRIGGER_OFFCPU, true, false},
		{"runq > 2ms", AUXBPF_TRIGGER_RUNQ, true, false},
		{"signal", AUXBPF_TRIGGER_SIGNAL, false, false},
		{"signal:SIGSEGV", AUXBPF_TRIGGER_SIGNAL, true, false},
		{"signal sig == SIGTERM || sig == SIGINT", AUXBPF_TRIGGER_SIGNAL, true, false},
		{"exit", AUXBPF_TRIGGER_EXIT, false, false},
		{"exit code != 0", AUXBPF_TRIGGER_EXIT, true, false},
		{"exit sig == SIGKILL", AUXBPF_TRIGGER_EXIT, true, false},
		{"exec", AUXBPF_TRIGGER_EXEC, false, false},
		{"exec(comm == sh)", AUXBPF_TRIGGER_EXEC, true, false},
		{"fork uid == 33", AUXBPF_TRIGGER_FORK, true, false},
		{"oom", AUXBPF_TRIGGER_OOM, false, false},
		{"oom cgroup == '/a#b'", AUXBPF_TRIGGER_OOM, true, false},
		{"softirq", AUXBPF_TRIGGER_SOFTIRQ, false, false},
		{"softirq latency > 1ms", AUXBPF_TRIGGER_SOFTIRQ, true, false},
		{"softirq:NET_RX", AUXBPF_TRIGGER_SOFTIRQ, true, false},
		{"irq", AUXBPF_TRIGGER_IRQ, false, false},
		{"irq:24 latency > 500us && comm == db", AUXBPF_TRIGGER_IRQ, true, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!CHECK_EQ(parse(cases[i].text), 0))
			continue;
		CHECK_EQ(trigger.kind, cases[i].kind);
		CHECK_EQ(trigger.has_condition, cases[i].has_condition);
		CHECK_EQ(trigger.at_entry, cases[i].at_entry);
		CHECK_STREQ(trigger.text, cases[i].text);
	}
	CHECK_EQ(parse(" \t exec  uid == 33 \n"), 0);
	CHECK_STREQ(trigger.text, "exec  uid == 33");
}

static void test_syscalls(void)
{
	CHECK_EQ(parse("syscall:openat ret == -ENOENT"), 0);
	CHECK(has(trigger.syscalls.native, SYS_openat));
	CHECK_EQ(count(trigger.syscalls.native), 1);
	CHECK_EQ(count(trigger.syscalls.compat), 1);
	CHECK(holds(AUXBPF_FIELD_RET, (__u64)-ENOENT));
	CHECK(!holds(AUXBPF_FIELD_RET, 3));
	CHECK_EQ(trigger.fields, CONDITION_FIELD(AUXBPF_FIELD_RET));
	CHECK_EQ(parse("syscall:openat,%network,!connect latency > 1ms"), 0);
	CHECK(has(trigger.syscalls.native, SYS_openat));
	CHECK(has(trigger.syscalls.native, SYS_sendto));
	CHECK(!has(trigger.syscalls.native, SYS_connect));
	CHECK(!holds(AUXBPF_FIELD_LATENCY, 1000000));
	CHECK(holds(AUXBPF_FIELD_LATENCY, 1000001));
	/* Blanks beside commas do not end the list; a parenthesis behind one begins the condition. */
	CHECK_EQ(parse("syscall:openat , /^(read|write)$/ , ! read (ret < 0 || arg0 == 1) && pid == 0"), 0);
	CHECK_EQ(count(trigger.syscalls.native), 2);
	CHECK(has(trigger.syscalls.native, SYS_write));
	CHECK(holds(AUXBPF_FIELD_RET, (__u64)-1));
	CHECK(holds(AUXBPF_FIELD_ARG0, 1));
	CHECK_EQ(parse("syscall:!futex"), 0);
	CHECK_EQ(count(trigger.syscalls.native), AUXBPF_MAX_SYSCALLS - 1);
	CHECK(!has(trigger.syscalls.native, SYS_futex));
	CHECK_EQ(parse("syscall:all"), 0);
	CHECK_EQ(count(trigger.syscalls.native), AUXBPF_MAX_SYSCALLS);
	CHECK_EQ(count(trigger.syscalls.compat), AUXBPF_MAX_SYSCALLS);
	CHECK_EQ(parse("syscall:1023"), 0);
	CHECK(has(trigger.syscalls.native, 1023));
	CHECK_EQ(count(trigger.syscalls.native), 1);
}

/* A trigger at the begin of a call, and the windows that open only then. */
static void test_precedes_window(void)
{
	static const struct {
		const char *rule, *windows;
		bool on_cpu, precedes;
	} cases[] = {
		{"syscall:rmdir", "rmdir", false, true},
		{"syscall:rmdir,openat arg0 > 0", "rmdir,read(arg2 > 5)", false, true},
		{"syscall:read", "read(arg2 > 5)", false, true},
		{"syscall:rmdir latency > 0s", "rmdir", false, false},
		{"syscall:rmdir", "openat", false, false},
		{"syscall:rmdir", "rmdir", true, false},
		{"signal:SIGSEGV", "rmdir", false, false},
	};
	char message[RULE_MESSAGE_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct window_set windows = {.has_syscalls = true, .on_cpu = cases[i].on_cpu};

		CHECK_EQ(
			syscall_set__add(&windows.syscalls, cases[i].windows, NULL, message, sizeof(message)),
			0);
		CHECK_EQ(parse(cases[i].rule), 0);
		if (!CHECK_EQ(trigger__precedes_window(&trigger, &windows), cases[i].precedes))
			fprintf(stderr, "%s, %s\n", cases[i].rule, cases[i].windows);
	}
}

static void test_functions(void)
{
	CHECK_EQ(parse("function:/usr/bin/app:handle latency > 5ms"), 0);
	CHECK_STREQ(trigger.where, "/usr/bin/app:handle");
	CHECK(holds(AUXBPF_FIELD_LATENCY, 5000001));
	CHECK_EQ(parse("function:libc:malloc"), 0);
	CHECK_STREQ(trigger.where, "libc:malloc");
	CHECK_EQ(parse("function:/usr/bin/app:0x401136 arg5 == 1"), 0);
	CHECK_STREQ(trigger.where, "/usr/bin/app:0x401136");
	CHECK(holds(AUXBPF_FIELD_ARG5, 1));
	CHECK_EQ(parse("function:'/opt/my app/bin:handle' arg0 == 1"), 0);
	CHECK_STREQ(trigger.where, "/opt/my app/bin:handle");
	CHECK_EQ(parse("function:/usr/bin/rust:_ZN4core3ops$LT$u8$GT$E"), 0);
	CHECK_STREQ(trigger.where, "/usr/bin/rust:_ZN4core3ops$LT$u8$GT$E");
	/* The register of an int, of a longer number, and of the least and largest ints. */
	CHECK_EQ(auxbpf_condition__function_ret((__u32)-ENOENT), -ENOENT);
	CHECK_EQ(auxbpf_condition__function_ret((__u64)-ENOENT), -ENOENT);
	CHECK_EQ(auxbpf_condition__function_ret(0x80000000), INT32_MIN);
	CHECK_EQ(auxbpf_condition__function_ret(0x7fffffff), INT32_MAX);
	CHECK_EQ(auxbpf_condition__function_ret(0x100000000), 0x100000000);
}

static void test_waits(void)
{
	CHECK_EQ(parse("offcpu > 5ms && runq < 1ms || offcpu >= 1s"), 0);
	CHECK_EQ(trigger.kind, AUXBPF_TRIGGER_OFFCPU);
	CHECK(holds(AUXBPF_FIELD_OFFCPU, 5000001));
	CHECK(!holds(AUXBPF_FIELD_OFFCPU, 5000000));
	CHECK_EQ(trigger.fields, CONDITION_FIELDS_WAIT);
	CHECK_EQ(parse("  runq > 2ms && offcpu < 1s && comm != db"), 0);
	CHECK_EQ(trigger.kind, AUXBPF_TRIGGER_RUNQ);
	CHECK(holds(AUXBPF_FIELD_RUNQ, 2000001));
	CHECK(!holds(AUXBPF_FIELD_OFFCPU, 2000001));
}

static void test_signals(void)
{
	CHECK_EQ(parse("signal:SIGSEGV"), 0);
	CHECK(holds(AUXBPF_FIELD_SIG, SIGSEGV));
	CHECK(!holds(AUXBPF_FIELD_SIG, SIGBUS));
	CHECK_EQ(parse("signal:64"), 0);
	CHECK(holds(AUXBPF_FIELD_SIG, 64));
	/* The signal is for all of the condition, not for its first part. */
	CHECK_EQ(parse("signal:SIGSEGV pid == 1 || tid == 0"), 0);
	CHECK(holds(AUXBPF_FIELD_SIG, SIGSEGV));
	CHECK(!holds(AUXBPF_FIELD_SIG, SIGBUS));
	CHECK_EQ(trigger.condition.nr_tests, 3);
	CHECK_EQ(parse("signal sig == SIGTERM || sig == 2"), 0);
	CHECK(holds(AUXBPF_FIELD_SIG, SIGTERM));
	CHECK(holds(AUXBPF_FIELD_SIG, SIGINT));
	CHECK(!holds(AUXBPF_FIELD_SIG, SIGKILL));
}

/* Whether the condition holds for an interrupt of this number that took so long. */
static bool holds_for(__u64 number, __u64 latency)
{
	__u64 fields[AUXBPF_FIELD_NR] = {[AUXBPF_FIELD_IRQ] = number, [AUXBPF_FIELD_LATENCY] = latency};

	return auxbpf_condition__eval(&trigger.condition, trigger.condition.nr_tests, read_field, fields);
}

static void test_interrupts(void)
{
	CHECK_EQ(parse("softirq:NET_RX latency > 1ms"), 0);
	CHECK_EQ(trigger.condition.nr_tests, 2);
	CHECK(holds_for(3, 1000001) && !holds_for(3, 1000000) && !holds_for(2, 1000001));
	CHECK_EQ(trigger.fields, CONDITION_FIELD(AUXBPF_FIELD_IRQ) | CONDITION_FIELD(AUXBPF_FIELD_LATENCY));
	/* Blanks beside commas do not end the list. The list is for all of the condition. */
	CHECK_EQ(parse("softirq:hi , rcu,Irq_Poll latency > 1ms || latency == 7ns"), 0);
	CHECK(holds_for(0, 1000001) && holds_for(9, 1000001) && holds_for(5, 1000001));
	CHECK(holds_for(0, 7) && holds_for(9, 7) && holds_for(5, 7));
	CHECK(!holds_for(0, 8) && !holds_for(1, 7) && !holds_for(4, 1000001));
	CHECK_EQ(parse("softirq:TIMER,TIMER"), 0);
	CHECK(holds_for(1, 0) && !holds_for(0, 0));
	CHECK_EQ(parse("softirq latency > 1ms"), 0);
	CHECK(holds_for(1, 1000001) && holds_for(7, 1000001));
	CHECK_EQ(parse("irq:0,24 , 0x19 latency > 500us"), 0);
	CHECK(holds_for(0, 500001) && holds_for(24, 500001) && holds_for(25, 500001));
	CHECK(!holds_for(24, 500000) && !holds_for(1, 500001));
	CHECK_EQ(parse("irq:2147483647"), 0);
	CHECK(holds_for(2147483647, 0));
}

static void test_exits(void)
{
	CHECK_EQ(parse("exit code != 0"), 0);
	CHECK(holds(AUXBPF_FIELD_CODE, 255));
	CHECK(!holds(AUXBPF_FIELD_SIG, SIGKILL));
	CHECK_EQ(parse("exit sig == SIGKILL || code > 128"), 0);
	CHECK(holds(AUXBPF_FIELD_CODE, 137));
	CHECK(!holds(AUXBPF_FIELD_CODE, 1));
	CHECK(holds(AUXBPF_FIELD_SIG, SIGKILL));
	CHECK_EQ(trigger.fields, CONDITION_FIELD(AUXBPF_FIELD_SIG) | CONDITION_FIELD(AUXBPF_FIELD_CODE));
}

static void check_extra(unsigned int n, unsigned int offset, unsigned int size, bool is_signed)
{
	CHECK(n < trigger.nr_extra);
	CHECK_EQ(trigger.extra[n].offset, offset);
	CHECK_EQ(trigger.extra[n].size, size);
	CHECK_EQ(trigger.extra[n].is_signed, is_signed);
}

static void test_tracepoints(void)
{
	CHECK_EQ(parse("tracepoint:block:block_rq_error error == -EIO && nr_sector >= 4k || error == EIO"),
		 0);
	CHECK_STREQ(trigger.tracepoint.category, "block");
	CHECK_STREQ(trigger.tracepoint.event, "block_rq_error");
	/* Each field once, in the order in which the condition has them. */
	CHECK_EQ(trigger.nr_extra, 2);
	check_extra(0, 28, 4, true);
	check_extra(1, 24, 4, false);
	CHECK(!holds(AUXBPF_FIELD_EXTRA0, (__u64)-EIO));
	CHECK(holds(AUXBPF_FIELD_EXTRA0, EIO));
	CHECK_EQ(parse("tracepoint:block:block_rq_error event.error < 0 && error > -5"), 0);
	CHECK_EQ(trigger.nr_extra, 1);
	CHECK(holds(AUXBPF_FIELD_EXTRA0, (__u64)-4));
	CHECK(!holds(AUXBPF_FIELD_EXTRA0, (__u64)-5));
	CHECK_EQ(parse("tracepoint:block:block_rq_error uid == www-data"), 0);
	CHECK_EQ(trigger.nr_extra, 0);
	CHECK(holds(AUXBPF_FIELD_UID, 33));
	CHECK_EQ(parse("tracepoint:test:many f0 == -128 || f1 & 0x80 || f2 == 3 || f3 == 1 || f4 < -1 || f5 "
		       "== 0xffff888000000000 || (f6 & 3) == 2 || f7 == 4294967295"),
		 0);
	CHECK_EQ(trigger.nr_extra, AUXBPF_TRIGGER_EXTRAS);
	check_extra(0, 8, 1, true);
	check_extra(1, 9, 1, false);
	check_extra(5, 24, 8, false);
	CHECK(holds(AUXBPF_FIELD_EXTRA0, (__u64)-128));
	CHECK(holds(AUXBPF_FIELD_EXTRA1, 0x81));
	CHECK(holds(AUXBPF_FIELD_EXTRA4, (__u64)-2));
	CHECK(holds(AUXBPF_FIELD_EXTRA5, 0xffff888000000000));
	CHECK(holds(AUXBPF_FIELD_EXTRA6, 0xe));
	CHECK(holds(AUXBPF_FIELD_EXTRA7, UINT32_MAX));
}

/* What has a name that the language has too. */
static void test_tracepoint_names(void)
{
	CHECK_EQ(parse("tracepoint:sched:sched_wakeup event.pid == 7 && task.pid == 0"), 0);
	CHECK_EQ(trigger.nr_extra, 1);
	check_extra(0, 24, 4, true);
	CHECK(holds(AUXBPF_FIELD_EXTRA0, 7));
	CHECK(!holds(AUXBPF_FIELD_PID, 7));
	CHECK_EQ(parse("tracepoint:sched:sched_wakeup task.comm == '' && cpu == 2"), 0);
	CHECK(holds(AUXBPF_FIELD_CPU, 2));
	/* Not one of the task: there is no other. */
	CHECK_EQ(parse("tracepoint:test:many ret == 3"), 0);
	CHECK(holds(AUXBPF_FIELD_EXTRA0, 3));
}

/* From the source of a manual page to what it shows. */
static void unescape(char *text)
{
	static const struct {
		const char *from, *to;
	} escapes[] = {{"\\-", "-"}, {"\\&", ""}, {"\\(dq", "\""}};

	for (size_t i = 0; i < ARRAY_SIZE(escapes); i++) {
		for (char *at; (at = strstr(text, escapes[i].from));) {
			const char *rest = at + strlen(escapes[i].from);

			memmove(at + strlen(escapes[i].to), rest, strlen(rest) + 1);
			memcpy(at, escapes[i].to, strlen(escapes[i].to));
		}
	}
}

/* The examples of auxbpf-rules(7). */
static void test_manual(void)
{
	_cleanup_fclose_ FILE *f = fopen("src/commands/auxbpf-rules.7", "r");
	unsigned int kinds = 0;
	bool inside = false;
	char line[256];

	if (!CHECK(f))
		return;
	while (fgets(line, sizeof(line), f)) {
		if (*line == '.' && line[1] == 'S')
			inside = !strcmp(line, ".Ss Of triggers\n");
		if (!inside || strncmp(line, ".Dl ", 4))
			continue;
		unescape(line);
		CHECK_EQ(parse(line + 4), 0);
		kinds |= 1u << trigger.kind;
	}
	/* Of all kinds but fork. */
	CHECK_EQ(kinds, (1u << AUXBPF_TRIGGER_USER) - 1 - (1u << AUXBPF_TRIGGER_FORK));
}

/* Without a machine to ask, names are taken as they are. */
static void test_no_formats(void)
{
	static const struct trigger_opts none = {0};
	char message[RULE_MESSAGE_SIZE];

	trigger__release(&trigger);
	CHECK_EQ(trigger__parse("tracepoint:no:such uid == 3", &none, &trigger, message, sizeof(message)), 0);
	CHECK_STREQ(trigger.tracepoint.event, "such");
}

static void test_set(void)
{
	struct trigger_set set = {0};
	char message[RULE_MESSAGE_SIZE], rule[64];

	for (unsigned int i = 0; i < AUXBPF_MAX_TRIGGERS; i++) {
		snprintf(rule, sizeof(rule), "exit code == %u", i);
		CHECK_EQ(trigger_set__add(&set, rule, &synth_opts, message, sizeof(message)), 0);
	}
	CHECK_EQ(set.nr, AUXBPF_MAX_TRIGGERS);
	CHECK_STREQ(set.all[63].text, "exit code == 63");
	CHECK_EQ(trigger_set__add(&set, "exec", &synth_opts, message, sizeof(message)), -EINVAL);
	CHECK_STREQ(message, "there is room for 64 rules");
	CHECK_EQ(set.nr, AUXBPF_MAX_TRIGGERS);
	trigger_set__release(&set);
	CHECK_EQ(set.nr, 0);
	CHECK_EQ(trigger_set__add(&set, "exec uid", &synth_opts, message, sizeof(message)), -EINVAL);
	CHECK_EQ(set.nr, 0);
	CHECK_EQ(trigger_set__add(&set, "exec", &synth_opts, message, sizeof(message)), 0);
	trigger_set__release(&set);
	trigger_set__release(&set);
}

static int add_file(struct trigger_set *set, const char *text, char *message)
{
	*message = '\0';
	return trigger_set__add_file(set, text, "rules", &synth_opts, message, RULE_MESSAGE_SIZE);
}

static void test_file(void)
{
	static const char text[] = "# rules of the database\n"
				   "\n"
				   "\tsyscall:openat ret == -ENOENT\t# nobody should\r\n"
				   "   # indented\n"
				   "exec comm == 'a #b' || comm == \"it's # \\\" #\"# more\n"
				   "oom cgroup == '/a#b'\n"
				   " \t \r\n"
				   "exit";
	char message[RULE_MESSAGE_SIZE];
	struct trigger_set set = {0};

	CHECK_EQ(add_file(&set, text, message), -EINVAL);
	/* No blank before the third #: it is part of the rule. */
	CHECK_STREQ(message, "rules:5: '#' is not part of the language\n"
			     "  exec comm == 'a #b' || comm == \"it's # \\\" #\"# more\n"
			     "                                              ^");
	CHECK_EQ(set.nr, 1);
	CHECK_STREQ(set.all[0].text, "syscall:openat ret == -ENOENT");
	CHECK_EQ(add_file(&set, strstr(text, "oom"), message), 0);
	CHECK_EQ(set.nr, 3);
	CHECK_STREQ(set.all[1].text, "oom cgroup == '/a#b'");
	CHECK_STREQ(set.all[2].text, "exit");
	CHECK_EQ(add_file(&set, "fork\nexec comm == 'a #b' #", message), 0);
	CHECK_STREQ(set.all[4].text, "exec comm == 'a #b'");
	CHECK_EQ(add_file(&set, "# nothing\n\n", message), -EINVAL);
	CHECK_STREQ(message, "rules has no rules; syscall:openat ret == -ENOENT is one");
	CHECK_EQ(add_file(&set, "", message), -EINVAL);
	CHECK_EQ(add_file(&set, "fork\nexot\n", message), -EINVAL);
	CHECK_STREQ(message,
		    "rules:2: unknown kind of trigger 'exot'; did you mean exit or exec?\n  exot\n  ^");
	trigger_set__release(&set);
}

int main(void)
{
	test_kinds();
	test_syscalls();
	test_precedes_window();
	test_functions();
	test_waits();
	test_signals();
	test_interrupts();
	test_exits();
	test_tracepoints();
	test_tracepoint_names();
	test_no_formats();
	test_manual();
	trigger__release(&trigger);
	test_set();
	test_file();
	return check__done();
}
