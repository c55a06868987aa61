// SPDX-License-Identifier: GPL-2.0-only
/* What of made-up traces is left, by their age, where it is known; and where a trace goes on. */
#include "check.h"
#include "root_dir.h"
#include "snapshot/snapshot_cut.h"
#include "trace/cs_etm/sync.h"
#include "trace/trace_pmu.h"

/* Blocks with a sync point each, one every so many ticks, which are ns here. */
#define BLOCK 4096u
#define NR 64u
#define STEP 1000u
#define LEN (NR * BLOCK)

static uint8_t trace[LEN];
static struct snapshot_cpu cpu;
static struct snapshot_gap gap;
static struct buf lead;
static struct snapshot_job job;

/* With the time @first_time in the first block. */
static void make_trace(uint64_t first_time)
{
	static const uint8_t async[ETM_ASYNC_ZEROS + 1] = {[ETM_ASYNC_ZEROS] = ETM_ASYNC_END};

	memset(trace, 0xf7, sizeof(trace));
	for (unsigned int i = 0; i < NR; i++) {
		uint64_t time = first_time + i * STEP;
		uint8_t *to = trace + i * BLOCK;

		memcpy(to, async, sizeof(async));
		to += sizeof(async);
		*to++ = 0x02;
		for (int n = 0; n < 8; n++, time >>= 7)
			*to++ = (uint8_t)(time | 0x80);
		*to = (uint8_t)time;
	}
}

/* A snapshot of all of the trace, read at @reference. */
static void make_job(uint64_t offset, uint64_t reference)
{
	buf__release(&lead);
	cpu = (struct snapshot_cpu){
		.aux = {.data = {{trace, LEN}}, .offset = offset, .reference = reference}};
	gap = (struct snapshot_gap){.blind = 1, .read = reference};
	job = (struct snapshot_job){
		.snapshot = {.cpus = &cpu, .nr = 1, .nr_all = 1, .tsc = {.mult = 1, .cap_zero = true}},
		.gaps = &gap,
		.lead_ins = &lead,
	};
}

static size_t left(const struct trace_pmu_ops *ops, bool timed, uint64_t lookback)
{
	_cleanup_(cleanup__snapshot_cut) struct snapshot_cut *cut = NULL;

	if (CHECK_EQ(snapshot_cut__new(ops, 1, timed, lookback, &cut), 0))
		CHECK_EQ(snapshot_cut__apply(cut, &job), 0);
	CHECK_EQ(gap.end, aux_piece__end(&cpu.aux));
	return aux_piece__len(&cpu.aux);
}

static void test_lookback(void)
{
	make_trace(1000000);
	make_job(0, 1000000 + NR * STEP);
	CHECK_EQ(left(&cs_etm_ops, true, 0), LEN);
	CHECK_EQ(gap.covered, NR * STEP);
	CHECK_EQ(snapshot_job__begin(&job), 1000000);
	make_job(7, 1000000 + NR * STEP);
	CHECK_EQ(left(&cs_etm_ops, true, 10 * STEP), 10 * BLOCK);
	CHECK_EQ(gap.covered, 10 * STEP);
	CHECK_EQ(gap.begin, 7 + LEN - 10 * BLOCK);
	CHECK_EQ(cpu.aux.offset, gap.begin);
	make_job(0, 1000000 + NR * STEP);
	CHECK_EQ(left(&cs_etm_ops, true, 9 * STEP + 1), 10 * BLOCK); /* from the sync point before on */
}

/* The time to look back is that before the CPUs were frozen, however long it took to come to the reading. */
static void test_read_late(void)
{
	make_trace(1000000);
	make_job(0, 1000000 + (NR + 5) * STEP);
	cpu.late = 5 * STEP;
	CHECK_EQ(left(&cs_etm_ops, true, 10 * STEP), 10 * BLOCK);
	CHECK_EQ(gap.covered, 15 * STEP);
}

/* Nothing ties the clock of the trace to the reference: all of it is left, however old it looks. */
static void test_other_clock(void)
{
	const uint64_t references[] = {1, 1000000 + NR * STEP, UINT64_C(1) << 50};

	make_trace(1000000);
	for (size_t i = 0; i < ARRAY_SIZE(references); i++) {
		make_job(3, references[i]);
		job.since = references[i] - 1;
		CHECK_EQ(left(&cs_etm_ops, false, STEP), LEN);
		CHECK_EQ(gap.begin, 3);
		CHECK_EQ(gap.covered, 0);
		CHECK_EQ(snapshot_job__begin(&job), 0); /* all that is known of tasks may belong to it */
	}
}

/* Of what is older it is not known whose it is. */
static void test_since(void)
{
	make_trace(1000000);
	make_job(0, 1000000 + NR * STEP);
	job.since = 1000000 + 60 * STEP;
	CHECK_EQ(left(&cs_etm_ops, true, 0), 4 * BLOCK);
	/* Around the end of the buffer. */
	make_job(7, 1000000 + NR * STEP);
	job.since = 1000000 + 60 * STEP;
	cpu.aux.data[0].len = LEN - BLOCK;
	cpu.aux.data[1] = (struct span){trace + LEN - BLOCK, BLOCK};
	CHECK_EQ(left(&cs_etm_ops, true, 0), 4 * BLOCK);
	CHECK_EQ(cpu.aux.offset, 7 + LEN - 4 * BLOCK);
}

static int put_seven(const struct aux_resume *state, uint64_t time, struct span *data, struct buf *out)
{
	buf__add(out, "seven", 5);
	return buf__error(out);
}

static void know(struct aux_resume *state, struct span data)
{
	state->known = true;
}

/* What was known at the end of a snapshot is put in front of the next one, if that goes on there. */
static void test_lead_in(void)
{
	struct trace_pmu_ops ops = cs_etm_ops;
	struct snapshot_cut *cut;

	ops.lead_in = put_seven;
	ops.follow = know;
	make_trace(1000000);
	if (!CHECK_EQ(snapshot_cut__new(&ops, 1, true, 0, &cut), 0))
		return;
	make_job(0, 1000000 + NR * STEP);
	CHECK_EQ(snapshot_cut__apply(cut, &job), 0);
	CHECK_EQ(cpu.aux.data[1].len, 0);
	make_job(LEN, 1000000 + NR * STEP);
	CHECK_EQ(snapshot_cut__apply(cut, &job), 0);
	CHECK_EQ(cpu.aux.data[0].len, 5);
	CHECK_EQ(cpu.aux.data[1].len, LEN);
	CHECK_EQ(gap.begin, LEN);
	make_job(2 * LEN + 1, 1000000 + NR * STEP);
	CHECK_EQ(snapshot_cut__apply(cut, &job), 0);
	CHECK_EQ(cpu.aux.data[0].len, LEN);
	CHECK_EQ(cpu.aux.data[1].len, 0);
	snapshot_cut__free(cut);
	buf__release(&lead);
}

#define CPU_DIR "/sys/bus/event_source/devices/cs_etm/cpu1"

static void test_kernel_clock(void)
{
	struct root_dir root;
	struct trace_pmu pmu = {.ops = &cs_etm_ops, .root = root.path};

	CHECK(root_dir__make(&root));
	CHECK(!trace_pmu__has_kernel_clock(&pmu, 1));
	CHECK(root_dir__put(&root, CPU_DIR "/mgmt/trcdevarch", "0x47704a13\n"));
	CHECK(!trace_pmu__has_kernel_clock(&pmu, 1));
	CHECK(root_dir__put(&root, CPU_DIR "/mgmt/trcdevarch", "0x47715a13\n"));
	CHECK(trace_pmu__has_kernel_clock(&pmu, 1));
	CHECK(root_dir__put(&root, CPU_DIR "/ts_source", "-1\n"));
	CHECK(!trace_pmu__has_kernel_clock(&pmu, 1));
	CHECK(root_dir__put(&root, CPU_DIR "/ts_source", "2\n"));
	CHECK(!trace_pmu__has_kernel_clock(&pmu, 1));
	CHECK(root_dir__put(&root, CPU_DIR "/ts_source", "1\n"));
	CHECK(trace_pmu__has_kernel_clock(&pmu, 1));
	CHECK(!trace_pmu__has_kernel_clock(&pmu, 0));
	pmu.ops = &intel_pt_ops;
	CHECK(trace_pmu__has_kernel_clock(&pmu, 0));
	root_dir__remove(&root);
}

int main(void)
{
	test_lookback();
	test_read_late();
	test_other_clock();
	test_since();
	test_lead_in();
	test_kernel_clock();
	return check__done();
}
