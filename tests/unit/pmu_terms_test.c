// SPDX-License-Identifier: GPL-2.0-only
/* Events and terms against a made-up sysfs, tests/unit/fixtures/pt. */
#include <errno.h>

#include "base/log.h"
#include "check.h"
#include "trace/pmu_terms.h"
#include "trace/trace_pmu.h"

#define ROOT "tests/unit/fixtures/pt"
#define DEFAULT_CONFIG (1ull << 0 | 1ull << 9 | 1ull << 10 | 1ull << 13 | 3ull << 14 | 3ull << 24)

static void test_format(void)
{
	struct pmu_config config = {0};

	CHECK_EQ(pmu_format__set("config:14-17", 5, &config), 0);
	CHECK_EQ(config.config[0], 5ull << 14);
	CHECK_EQ(pmu_format__get("config:14-17", &config), 5);
	CHECK_EQ(pmu_format__set("config:14-17", 2, &config), 0);
	CHECK_EQ(config.config[0], 2ull << 14);
	CHECK_EQ(pmu_format__set("config:14-17", 16, &config), -ERANGE);
	CHECK_EQ(pmu_format__set("config1:0-1,8", 7, &config), 0);
	CHECK_EQ(config.config[1], 0x103);
	CHECK_EQ(pmu_format__get("config1:0-1,8", &config), 7);
	CHECK_EQ(pmu_format__set("config2:0-63", UINT64_MAX, &config), 0);
	CHECK_EQ(config.config[2], UINT64_MAX);
	CHECK_EQ(pmu_format__set("config:64", 1, &config), -EINVAL);
	CHECK_EQ(pmu_format__set("configure:1", 1, &config), -EINVAL);
}

static void test_default_event(void)
{
	struct trace_event event;

	CHECK_EQ(trace_event__parse(ROOT, NULL, &event), 0);
	CHECK_EQ(event.pmu.type, 8);
	CHECK_EQ(event.config.config[0], DEFAULT_CONFIG);
	CHECK(!event.exclude_user && !event.exclude_kernel);
	CHECK_STREQ(event.name, "intel_pt//");
	trace_event__default_to_kernel(&event);
	CHECK(event.exclude_user && !event.exclude_kernel);
	CHECK_STREQ(event.name, "intel_pt//k");
	CHECK_EQ(trace_event__term(&event, "mtc_period"), 3);
	CHECK_EQ(trace_event__term(&event, "nothing"), 0);
}

static void test_events(void)
{
	struct trace_event event;

	CHECK_EQ(trace_event__parse(ROOT, "intel_pt//u", &event), 0);
	CHECK(!event.exclude_user && event.exclude_kernel);
	CHECK_EQ(trace_event__parse(ROOT, "intel_pt//ku", &event), 0);
	CHECK(!event.exclude_user && !event.exclude_kernel);
	trace_event__default_to_kernel(&event);
	CHECK(!event.exclude_user && !event.exclude_kernel);
	CHECK_EQ(trace_event__parse(ROOT, "intel_pt:u", &event), 0);
	CHECK(!event.exclude_user && event.exclude_kernel);
	CHECK_EQ(trace_event__parse(ROOT, "intel_pt", &event), 0);
	CHECK_EQ(event.config.config[0], DEFAULT_CONFIG);
	CHECK_EQ(trace_event__parse(ROOT, "intel_pt/mtc=0,psb_period=0,noretcomp/k", &event), 0);
	CHECK_EQ(event.config.config[0], 1ull << 0 | 1ull << 10 | 1ull << 11 | 1ull << 13 | 3ull << 14);
	CHECK_EQ(trace_event__parse(ROOT, "intel_pt/config=0x401/", &event), 0);
	CHECK_EQ(event.config.config[0], 0x401);
}

static void test_bad_events(void)
{
	struct trace_event event;

	CHECK_EQ(trace_event__parse(ROOT, "intel_pt/nothing/", &event), -EINVAL);
	CHECK_EQ(trace_event__parse(ROOT, "intel_pt/../", &event), -EINVAL);
	/* A name of the PMU's that stands for itself. */
	CHECK_EQ(trace_event__parse(ROOT, "intel_pt/again/", &event), -EINVAL);
	CHECK_EQ(trace_event__parse(ROOT, "intel_pt/mtc=x/", &event), -EINVAL);
	CHECK_EQ(trace_event__parse(ROOT, "intel_pt/mtc=2/", &event), -EINVAL);
	CHECK_EQ(trace_event__parse(ROOT, "intel_pt//p", &event), -EINVAL);
	CHECK_EQ(trace_event__parse(ROOT, "intel_pt//k/", &event), -EINVAL);
	CHECK_EQ(trace_event__parse(ROOT, "intel_pt:p", &event), -EINVAL);
	CHECK_EQ(trace_event__parse(ROOT, "cycles", &event), -EINVAL);
	CHECK_EQ(trace_event__parse(ROOT, "", &event), -EINVAL);
	CHECK_EQ(trace_event__parse("tests/unit/fixtures/nothing", NULL, &event), -ENODEV);
	CHECK_EQ(trace_event__parse("tests/unit/fixtures/nothing", "intel_pt//", &event), -ENODEV);
}

int main(void)
{
	test_format();
	test_default_event();
	test_events();
	fprintf(stderr, "(the messages that follow are of the errors that are tested)\n");
	test_bad_events();
	return check__done();
}
