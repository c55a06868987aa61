// SPDX-License-Identifier: GPL-2.0-only
/* Events of cs_etm against a made-up sysfs, tests/unit/fixtures/etm, and what its decoder is told. */
#include <errno.h>

#include "check.h"
#include "trace/cs_etm/frames.h"
#include "trace/cs_etm/sync.h"
#include "trace/trace_pmu.h"

#define ROOT "tests/unit/fixtures/etm"
#define DEFAULT_CONFIG (1ull << 4 | 1ull << 14)

static void test_defaults(void)
{
	struct trace_event event;

	CHECK_EQ(trace_event__parse(ROOT, NULL, &event), 0);
	CHECK_STREQ(event.name, "cs_etm//");
	CHECK_EQ(event.pmu.type, 9);
	CHECK_EQ(event.config.config[0], DEFAULT_CONFIG);
	CHECK_EQ(event.config.config[2], 0);
	CHECK_EQ(trace_event__parse(ROOT, "cs_etm/timestamp=0,contextid=0,cycacc/u", &event), 0);
	CHECK_EQ(event.config.config[0], 1ull << 12);
	CHECK(event.exclude_kernel);
}

static void test_sinks(void)
{
	struct trace_event event;

	CHECK_EQ(trace_event__parse(ROOT, "cs_etm/@trbe0/", &event), 0);
	CHECK_EQ(event.config.config[0], DEFAULT_CONFIG);
	CHECK_EQ(event.config.config[2], 0x5dbeacb3);
	CHECK_STREQ(event.name, "cs_etm/@trbe0/");
	CHECK_EQ(trace_event__parse(ROOT, "cs_etm/retstack,@trbe1/k", &event), 0);
	CHECK_EQ(event.config.config[0], DEFAULT_CONFIG | 1ull << 29);
	CHECK_EQ(event.config.config[2], 0x19c7bbd4);
}

/* A sink is one CPU's own if it is a TRBE, and so is the one that the driver chooses where there are such. */
static void test_shared_sinks(void)
{
	struct trace_event event;

	CHECK_EQ(trace_event__parse(ROOT, "cs_etm/@tmc_etr0/", &event), 0);
	CHECK_EQ(event.config.config[2], 0x6509eae1);
	CHECK(event.pmu.ops->shared_buffer);
	CHECK(event.pmu.ops->next_sync == etm_frames__next);
	CHECK(event.pmu.ops->tail == &etm_frames__tail);
	CHECK_EQ(trace_event__parse(ROOT, "cs_etm/@trbe1/", &event), 0);
	CHECK(!event.pmu.ops->shared_buffer);
	CHECK(event.pmu.ops->next_sync == etm_sync__next);
	CHECK(event.pmu.ops->tail == &etm_sync__tail);
	CHECK_EQ(trace_event__parse(ROOT, "cs_etm//", &event), 0);
	CHECK(!event.pmu.ops->shared_buffer);
	CHECK_EQ(trace_event__parse(ROOT "_shared", "cs_etm//", &event), 0);
	CHECK(event.pmu.ops->shared_buffer);
}

static void test_threshold(void)
{
	struct trace_event event;

	CHECK_EQ(trace_event__parse(ROOT, "cs_etm/cycacc,cc_threshold=0xfff/", &event), 0);
	CHECK_EQ(event.config.config[0], DEFAULT_CONFIG | 1ull << 12);
	CHECK_EQ(event.config.config[3], 0xfff);
	CHECK_EQ(trace_event__parse(ROOT, "cs_etm/config3=9/", &event), 0);
	CHECK_EQ(event.config.config[3], 9);
}

static void test_configurations(void)
{
	struct trace_event event;

	CHECK_EQ(trace_event__parse(ROOT, "cs_etm/autofdo,preset=2/", &event), 0);
	CHECK_EQ(event.config.config[0], DEFAULT_CONFIG | 2);
	CHECK_EQ(event.config.config[2], 0x1f2e3d4cull << 32);
}

static void test_errors(void)
{
	static const char *const wrong[] = {"cs_etm/@etr0/",	"cs_etm/@/",
					    "cs_etm/@../",	"cs_etm/autofdo=1/",
					    "cs_etm/.autofdo/", "cs_etm/cc_threshold=4096/"};
	struct trace_event event;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		CHECK_EQ(trace_event__parse(ROOT, wrong[i], &event), -EINVAL);
}

static uint64_t format_bits(void *ctx, const char *term)
{
	static const struct {
		const char *term;
		uint64_t bits;
	} all[] = {{"timestamp", 0xf0}, {"contextid1", 1 << 14}, {"contextid2", 1 << 15},
		   {"cycacc", 1 << 12}, {"retstack", 1 << 29},	 {"branch_broadcast", 1 << 8}};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (!strcmp(all[i].term, term))
			return all[i].bits;
	return 0;
}

/* CPU 1 has an ETE, CPU 4 an ETMv4 of an old kernel. */
static uint64_t cpu_value(void *ctx, int cpu, const char *file)
{
	static const char *const files[] = {"trcidr/trcidr0", "trcidr/trcidr1", "trcidr/trcidr2",
					    "trcidr/trcidr8", "mgmt/trcauthstatus"};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (!strcmp(files[i], file))
			return (uint64_t)cpu << 8 | i;
	if (!strcmp(file, "mgmt/trcdevarch"))
		return cpu == 1 ? 0x47705a13 : 0;
	return cpu == 1 && !strcmp(file, "ts_source");
}

static uint64_t next_word(const struct buf *b, size_t *at)
{
	uint64_t word = 0;

	if (CHECK(*at + sizeof(word) <= b->len))
		memcpy(&word, b->data + *at, sizeof(word));
	*at += sizeof(word);
	return word;
}

static uint64_t config_word(uint64_t config)
{
	const struct trace_source source = {.format_bits = format_bits, .cpu_value = cpu_value};
	const struct trace_setup setup = {.config = config, .cpus = (int[]){1}, .nr_cpus = 1};
	_cleanup_buf_ struct buf b = {0};
	size_t at = 16 + 6 * 8;

	trace_info__add_record(&cs_etm_info, &b, &setup, &source);
	return next_word(&b, &at);
}

static void test_config(void)
{
	CHECK_EQ(config_word(0), 0);
	CHECK_EQ(config_word(DEFAULT_CONFIG), 1 << 11 | 1 << 6);
	CHECK_EQ(config_word(15 << 4), 1 << 11);
	CHECK_EQ(config_word(1 << 15), 1 << 15 | 1 << 7);
	CHECK_EQ(config_word(1 << 29 | 1 << 12 | 1 << 8), 1 << 12 | 1 << 4 | 1 << 3);
}

static void test_info(void)
{
	static const uint64_t words[] = {2, 9ull << 32 | 2, 0,
					 /* an ETE */
					 0x5050505050505050, 1, 9, 1 << 11 | 1 << 6, 0x12, 0x100, 0x101,
					 0x102, 0x103, 0x104, 0x47705a13, 1,
					 /* an ETMv4 */
					 0x4040404040404040, 4, 8, 1 << 11 | 1 << 6, 0x18, 0x400, 0x401,
					 0x402, 0x403, 0x404, UINT64_MAX};
	const struct trace_source source = {.format_bits = format_bits, .cpu_value = cpu_value};
	const struct trace_setup setup = {
		.pmu_type = 9,
		.config = DEFAULT_CONFIG,
		.cpus = (int[]){1, 4},
		.nr_cpus = 2,
	};
	_cleanup_buf_ struct buf b = {0};
	size_t at = 8;

	trace_info__add_record(&cs_etm_info, &b, &setup, &source);
	CHECK_EQ(next_word(&b, &at), 3);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!CHECK_EQ(next_word(&b, &at), words[i]))
			fprintf(stderr, "word %zu\n", i);
	CHECK_EQ(b.len, at);
}

int main(void)
{
	test_defaults();
	test_sinks();
	test_shared_sinks();
	test_threshold();
	test_configurations();
	fprintf(stderr, "(the messages that follow are of the errors that are tested)\n");
	test_errors();
	test_config();
	test_info();
	return check__done();
}
