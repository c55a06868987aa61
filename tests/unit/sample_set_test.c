// SPDX-License-Identifier: GPL-2.0-only
/* Names of regular events on a made-up machine: what becomes of them in perf_event_attr. */
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <time.h>

#include "base/log.h"
#include "check.h"
#include "root_dir.h"
#include "rules/event_list.h"
#include "trace/cpu_trace.h"
#include "trace/perf_event.h"
#include "trace/sample_event.h"
#include "trace/sample_set.h"

#define EVENTS "/sys/kernel/tracing/events/"
#define CPU "/sys/bus/event_source/devices/cpu/"

static struct root_dir root;

static void make_machine(void)
{
	CHECK(root_dir__make(&root));
	root_dir__put(&root, EVENTS "sched/sched_switch/id", "314\n");
	root_dir__put(&root, EVENTS "sched/sched_switch/format", "name: sched_switch\n");
	root_dir__put(&root, EVENTS "sched/sched_wakeup/id", "315\n");
	root_dir__put(&root, EVENTS "sched/sched_wakeup/format", "name: sched_wakeup\n");
	root_dir__put(&root, EVENTS "sched/without_id/format", "name: without_id\n");
	root_dir__put(&root, EVENTS "irq/uk/id", "7\n");
	root_dir__put(&root, EVENTS "irq/uk/format", "name: uk\n");
	root_dir__put(&root, EVENTS "header_page", "page");
	root_dir__put(&root, EVENTS "header_event", "event");
	root_dir__put(&root, CPU "type", "4\n");
	root_dir__put(&root, CPU "format/event", "config:0-7\n");
	root_dir__put(&root, CPU "format/umask", "config:8-15\n");
	root_dir__put(&root, CPU "format/ldlat", "config1:0-15\n");
	root_dir__put(&root, CPU "events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	root_dir__put(&root, "/sys/bus/event_source/devices/box/type", "12\n");
	root_dir__put(&root, "/sys/bus/event_source/devices/box/cpumask", "0\n");
	root_dir__put(&root, "/sys/bus/event_source/devices/box/events/clockticks", "config=1\n");
	root_dir__put(&root, "/proc/sys/kernel/perf_event_max_sample_rate", "50000\n");
}

static bool parses(const char *list, bool callchains, struct sample_set *set)
{
	const struct sample_opts opts = {.callers = callchains};
	_cleanup_free_ char *copy = strdup(list);
	char *rest = copy, *spec;

	*set = (struct sample_set){0};
	while ((spec = event_list__next(&rest)))
		if (sample_set__add(set, root.path, spec))
			return false;
	return !sample_set__complete(set, root.path, &opts);
}

/* The one event of @spec. */
static struct perf_event_attr attr_of(const char *spec)
{
	_cleanup_(sample_set__release) struct sample_set set;

	if (!CHECK(parses(spec, false, &set)) || !CHECK_EQ(set.nr, 1))
		return (struct perf_event_attr){0};
	CHECK_STREQ(set.events[0].name, spec);
	return set.events[0].attr;
}

static void is(const char *spec, uint32_t type, uint64_t config)
{
	const struct perf_event_attr attr = attr_of(spec);

	if (attr.type != type || attr.config != config)
		fprintf(stderr, "of %s:\n", spec);
	CHECK_EQ(attr.type, type);
	CHECK_EQ(attr.config, config);
}

static void is_wrong(const char *spec)
{
	_cleanup_(sample_set__release) struct sample_set set = {0};

	if (!CHECK_EQ(sample_set__add(&set, root.path, spec), -EINVAL))
		fprintf(stderr, "of '%s'\n", spec);
}

static void test_names(void)
{
	is("cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	is("cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	is("branches:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	is("sched:sched_switch", PERF_TYPE_TRACEPOINT, 314);
	is("sched:sched_switch:k", PERF_TYPE_TRACEPOINT, 314);
	is("irq:uk", PERF_TYPE_TRACEPOINT, 7);
	is("r1a8", PERF_TYPE_RAW, 0x1a8);
	is("r1a8:u", PERF_TYPE_RAW, 0x1a8);
	is("cpu/event=0x3c/", 4, 0x3c);
	is("cpu/event=0x3c,umask=2/uk", 4, 0x23c);
	is("cpu/config=0x1c2/", 4, 0x1c2);
	is("cpu/mem-loads/", 4, 0x1cd);
	is("mem-loads:p", 4, 0x1cd);
	is("box/clockticks/", 12, 1);
	is("L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000);
	is("LLC-stores:u", PERF_TYPE_HW_CACHE, 0x102);
	is("node-prefetch-misses", PERF_TYPE_HW_CACHE, 0x10206);
	is("branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES);
	is("branch-load-misses", PERF_TYPE_HW_CACHE, 0x10005);
	CHECK_EQ(attr_of("cpu/mem-loads,ldlat=30/").config1, 30);
}

static void test_wrong(void)
{
	is_wrong("");
	is_wrong("cpu-clok");
	is_wrong("cpu-clock:q");
	is_wrong("cpu-clock:");
	is_wrong("cpu-clock/freq=0/");
	is_wrong("cpu-clock/period=x/");
	is_wrong("cpu-clock/event=1/");
	is_wrong("cpu-clock/freq=9/z");
	is_wrong("sched:sched_swich");
	is_wrong("sched:../sched/sched_switch");
	is_wrong("../sched:sched_switch");
	is_wrong("rxyz");
	is_wrong("r11112222333344445");
	is_wrong("cpu/nothing/");
	is_wrong("cpu/event=0x1cd/");
	is_wrong("../cpu/event=1/");
	is_wrong("clockticks"); /* not of the CPU */
	is_wrong("mem:x");
	is_wrong("mem:0x1000:q");
	is_wrong("cpu-clock,");
	is_wrong(",cpu-clock");
}

static void test_modifiers(void)
{
	struct perf_event_attr attr = attr_of("cpu-clock");

	CHECK(!attr.exclude_user && !attr.exclude_kernel && !attr.exclude_hv && !attr.precise_ip);
	attr = attr_of("cpu-clock:u");
	CHECK(!attr.exclude_user && attr.exclude_kernel && attr.exclude_hv);
	attr = attr_of("cycles:kpp");
	CHECK(attr.exclude_user && !attr.exclude_kernel && attr.exclude_hv);
	CHECK_EQ(attr.precise_ip, 2);
	CHECK_EQ(attr_of("cycles:ppppp").precise_ip, 3);
	attr = attr_of("cpu/event=1/uh");
	CHECK(!attr.exclude_user && attr.exclude_kernel && !attr.exclude_hv);
}

static void test_rate(void)
{
	struct perf_event_attr attr = attr_of("cpu-clock");

	CHECK(attr.freq);
	CHECK_EQ(attr.sample_freq, 4000);
	attr = attr_of("cpu-clock/freq=99/u");
	CHECK(attr.freq && attr.exclude_kernel);
	CHECK_EQ(attr.sample_freq, 99);
	attr = attr_of("cpu-clock/freq=70000/");
	CHECK_EQ(attr.sample_freq, 50000);
	attr = attr_of("cpu/event=1,period=1000/");
	CHECK(!attr.freq);
	CHECK_EQ(attr.sample_period, 1000);
	attr = attr_of("sched:sched_switch");
	CHECK(!attr.freq);
	CHECK_EQ(attr.sample_period, 1);
	CHECK_EQ(attr_of("sched:sched_switch/period=5/").sample_period, 5);
}

static void test_breakpoints(void)
{
	struct perf_event_attr attr = attr_of("mem:0x601040/8:w:u");

	CHECK_EQ(attr.type, PERF_TYPE_BREAKPOINT);
	CHECK_EQ(attr.bp_addr, 0x601040);
	CHECK_EQ(attr.bp_len, 8);
	CHECK_EQ(attr.bp_type, HW_BREAKPOINT_W);
	CHECK(attr.exclude_kernel);
	CHECK_EQ(attr.sample_period, 1);
	CHECK(attr.sample_type & PERF_SAMPLE_ADDR);
	attr = attr_of("mem:0x601040");
	CHECK_EQ(attr.bp_type, HW_BREAKPOINT_RW);
	CHECK_EQ(attr.bp_len, 4);
	attr = attr_of("mem:0x601040:x");
	CHECK_EQ(attr.bp_len, sizeof(long));
}

/* What samples of all of them have in common: where the id and the time are, and the clock. */
static void test_set(void)
{
	_cleanup_(sample_set__release) struct sample_set set;

	CHECK(parses("cpu-clock,sched:sched_switch,cpu/event=1,umask=2/u,irq:uk,sched:sched_switch", true,
		     &set));
	CHECK_EQ(set.nr, 5);
	CHECK(set.with_users);
	for (size_t i = 0; i < set.nr; i++) {
		const struct perf_event_attr *attr = &set.events[i].attr;

		CHECK_EQ(attr->sample_type & PERF_EVENT_SAMPLE_TYPE, PERF_EVENT_SAMPLE_TYPE);
		CHECK(attr->sample_type & PERF_SAMPLE_CALLCHAIN);
		CHECK_EQ(!!(attr->sample_type & PERF_SAMPLE_RAW), attr->type == PERF_TYPE_TRACEPOINT);
		CHECK(attr->write_backward && attr->use_clockid && attr->disabled);
		CHECK_EQ(attr->clockid, CLOCK_MONOTONIC);
	}
	CHECK_STREQ(set.events[2].name, "cpu/event=1,umask=2/u");
	/* Once, though it is there twice. */
	CHECK(memmem(set.tracing.data, set.tracing.len, "sched\0\1\0\0\0", 10));
	CHECK(memmem(set.tracing.data, set.tracing.len, "name: uk\n", 9));
	sample_set__release(&set);
	CHECK(parses("cpu-clock:k", false, &set));
	CHECK(!set.with_users);
	CHECK_EQ(set.tracing.len, 0);
	CHECK(!(set.events[0].attr.sample_type & PERF_SAMPLE_CALLCHAIN));
}

/* The names of the events of @list, each with how many members its group has. */
static void names_are(const char *list, const char *wanted)
{
	_cleanup_(sample_set__release) struct sample_set set;
	char names[256] = "";

	if (!CHECK(parses(list, false, &set)))
		fprintf(stderr, "of '%s'\n", list);
	for (size_t i = 0; i < set.nr; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s+%zu ", set.events[i].name,
			 set.events[i].nr_members);
	CHECK_STREQ(names, wanted);
}

static void test_patterns(void)
{
	names_are("sched:*", "sched:sched_switch+0 sched:sched_wakeup+0 ");
	names_are("cs,sched:*_sw*:k,*:uk", "cs+0 sched:sched_switch:k+0 irq:uk+0 ");
	names_are("s?hed:sched_[tw]*/period=7/u", "sched:sched_wakeup/period=7/u+0 ");
	CHECK_EQ(attr_of("sched:sched_wakeup/period=7/u").sample_period, 7);
	is_wrong("sched:*wich");
	is_wrong("skhed:*");
	is_wrong("sched:*:q");
	is_wrong("mem:*");
	is_wrong("cpu-*");
}

static void test_groups(void)
{
	_cleanup_(sample_set__release) struct sample_set set;

	names_are("{cpu-clock,faults}", "cpu-clock+1 faults+0 ");
	names_are("cs,{cpu/event=1,umask=2/,faults:u,mem:0x40/8:w}:k,cycles",
		  "cs+0 cpu/event=1,umask=2/+2 faults:u+0 mem:0x40/8:w+0 cycles+0 ");
	CHECK(parses("cs,{cpu-clock,faults,cs},cycles", false, &set));
	for (size_t i = 0; i < set.nr; i++)
		CHECK_EQ(set.events[i].attr.disabled, i != 2 && i != 3);
	sample_set__release(&set);
	names_are("{sched:*}", "sched:sched_switch+1 sched:sched_wakeup+0 ");
	CHECK(parses("{cpu-clock,faults:u}:kp", false, &set));
	CHECK(set.events[0].attr.exclude_user && !set.events[0].attr.exclude_kernel &&
	      set.events[0].attr.exclude_hv);
	CHECK(!set.events[1].attr.exclude_user && !set.events[1].attr.exclude_kernel &&
	      set.events[1].attr.exclude_hv);
	CHECK(set.events[0].attr.precise_ip == 1 && set.events[1].attr.precise_ip == 1);
	is_wrong("{cpu-clock");
	is_wrong("{}");
	is_wrong("{cpu-clock,}");
	is_wrong("{cpu-clock}x");
	is_wrong("{cpu-clock}:");
	is_wrong("{cpu-clock}:S");
	is_wrong("{{cpu-clock}}");
	is_wrong("{intel_pt//,cpu-clock}");
}

/* How many events of @list do not tick on in idle CPUs. */
static size_t resting(const char *list, uint32_t aux)
{
	const struct sample_opts opts = {.aux = aux};
	_cleanup_(sample_set__release) struct sample_set set = {0};
	size_t nr = 0;

	CHECK(!sample_set__add(&set, root.path, list) && !sample_set__complete(&set, root.path, &opts));
	for (size_t i = 0; i < set.nr; i++)
		nr += set.events[i].attr.exclude_idle;
	return nr;
}

static void test_idle(void)
{
	CHECK_EQ(resting("{cpu-clock,faults,task-clock,cycles}", 0), 1);
	CHECK_EQ(resting("{cpu-clock,faults,task-clock,cycles}", 4096), 2);
	CHECK_EQ(resting("cpu-clock", 0), 0);
	CHECK_EQ(resting("cpu-clock", 4096), 1);
}

static unsigned int highest;

static int open_up_to_highest(struct perf_event_attr *attr)
{
	return attr->precise_ip > highest ? -EOPNOTSUPP : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static unsigned int settled(const char *spec, unsigned int possible)
{
	struct sample_event event;
	unsigned int ret;

	CHECK(!sample_event__parse(root.path, spec, &event));
	highest = possible;
	sample_event__settle_precision(&event, open_up_to_highest);
	ret = event.attr.precise_ip;
	sample_event__release(&event);
	return ret;
}

/* P asks for what the CPU can, p for so much and no other. */
static void test_precision(void)
{
	for (unsigned int i = 0; i <= 3; i++)
		CHECK_EQ(settled("cycles:P", i), i);
	CHECK_EQ(settled("cpu/event=1/uP", 2), 2);
	CHECK_EQ(settled("cycles:pp", 1), 2);
	CHECK_EQ(settled("cycles", 3), 0);
}

/* As many as are taken, and one more. */
static void test_number(void)
{
	_cleanup_(sample_set__release) struct sample_set set = {0};

	for (size_t i = 0; i < 64; i++)
		CHECK(!sample_set__add(&set, root.path, "cpu-clock"));
	CHECK_EQ(sample_set__add(&set, root.path, "cpu-clock"), -EINVAL);
	CHECK_EQ(set.nr, 64);
}

int main(void)
{
	log__set_level(LOG_ERROR);
	make_machine();
	test_names();
	test_wrong();
	test_modifiers();
	test_rate();
	test_breakpoints();
	test_set();
	test_patterns();
	test_groups();
	test_idle();
	test_precision();
	test_number();
	root_dir__remove(&root);
	return check__done();
}
