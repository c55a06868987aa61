// SPDX-License-Identifier: GPL-2.0-only
/* The decode check with logs and texts made up: equal ones pass, and each kind of difference is found. */
#include "decode_check.h"
#include "oracle_synth.h"

#define BOTH (ORACLE_TRACED_FROM | ORACLE_TRACED_TO)

struct fixture {
	struct synth_log log;
	char text[65536];
	size_t len;
	uint64_t least;
	bool shared_sink;
};

static void text_add(struct fixture *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void text_add(struct fixture *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	f->len += (size_t)vsnprintf(f->text + f->len, sizeof(f->text) - f->len, fmt, ap);
	va_end(ap);
}

static void text_branch(struct fixture *f, unsigned int cpu, uint64_t from, uint64_t to)
{
	text_add(f, "[%03u]    %16lx => %16lx\n", cpu, (unsigned long)from, (unsigned long)to);
}

/* The log of one CPU: untraced, the unit's start, @n jumps, the unit's end, untraced. Its text. */
static void fill(struct fixture *f, unsigned int cpu, unsigned int n)
{
	f->log.nr_cpus = 2;
	synth__add(&f->log, cpu, 7, ORACLE_CALL, 0x10, 0x20, 0);
	synth__add(&f->log, cpu, 7, ORACLE_UNIT, 0x20, 0x24, ORACLE_TRACED_TO);
	text_branch(f, cpu, 0, 0x24);
	for (uint64_t i = 0; i < n; i++) {
		synth__add(&f->log, cpu, 7, i % 2 ? ORACLE_JCC : ORACLE_JMP, 0x1000 + i, 0x1008 + i, BOTH);
		synth__add(&f->log, cpu, 9, ORACLE_SWITCH, 0, 0, 0);
		text_branch(f, cpu, 0x1000 + i, 0x1008 + i);
	}
	synth__add(&f->log, cpu, 7, ORACLE_UNIT, 0x2000, 0x2002, ORACLE_TRACED_FROM);
	text_branch(f, cpu, 0x2000, 0);
	synth__add(&f->log, cpu, 7, ORACLE_RET, 0x2003, 0x40, 0);
}

static struct fixture *fixture(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		abort();
	return f;
}

/* Runs the check over the fixture, which is released; the report goes to @report if it is not NULL. */
static int run_report(struct fixture *f, bool tail, char *report, size_t size)
{
	char log_path[32], text_path[32];
	_cleanup_oracle_log_ struct oracle_log *log = NULL;
	_cleanup_decode_text_ struct decode_text *text = NULL;
	struct decode_check_opts opts = {.tail = tail, .least = f->least, .shared_sink = f->shared_sink};
	int ret = -1;

	opts.out = report ? fmemopen(report, size, "w") : fopen("/dev/null", "w");
	synth__write(&f->log, log_path);
	synth__write_text(f->text, text_path);
	if (!oracle_log__open(log_path, 0, &log) && !decode_text__load(text_path, &text))
		ret = decode_check__run(log, text, &opts);
	fclose(opts.out);
	unlink(log_path);
	unlink(text_path);
	free(f);
	return ret;
}

static int run(struct fixture *f, bool tail)
{
	return run_report(f, tail, NULL, 0);
}

static void test_equal(void)
{
	struct fixture *f = fixture();

	fill(f, 0, 50);
	fill(f, 1, 3);
	CHECK_EQ(run(f, false), 0);
}

static void test_one_cpu_is_wrong(void)
{
	struct fixture *f = fixture();
	char report[8192] = "";

	fill(f, 0, 50);
	fill(f, 1, 3);
	f->log.rec[f->log.nr - 4].from++;
	CHECK_EQ(run_report(f, false, report, sizeof(report)), 1);
	CHECK(strstr(report, "cpu 0: 52 branches equal"));
	CHECK(strstr(report, "cpu 1: DIFFERENT"));
}

/* Drops line @nr (from 0) of the text. */
static void text_drop(struct fixture *f, unsigned int nr)
{
	char *line = f->text, *next;

	while (nr--)
		line = strchr(line, '\n') + 1;
	next = strchr(line, '\n') + 1;
	memmove(line, next, strlen(next) + 1);
}

/* Line @nr of the text is a start of trace. */
static void text_hide_from(struct fixture *f, unsigned int nr)
{
	char *line = f->text;

	while (nr--)
		line = strchr(line, '\n') + 1;
	memcpy(line + 9, "               0", 16);
}

/* Three blocks of code, of which the text has no more than the end of the first: it begins at @addr. */
static int run_from_block(uint64_t addr)
{
	struct fixture *f = fixture();

	f->log.nr_cpus = 1;
	synth__add(&f->log, 0, 7, ORACLE_UNIT, 0x20, 0x24, ORACLE_TRACED_TO);
	synth__add(&f->log, 0, 7, ORACLE_JMP, 0x30, 0x5000, BOTH);
	synth__add(&f->log, 0, 7, ORACLE_JMP, 0x5010, 0x6000, BOTH);
	synth__add(&f->log, 0, 7, ORACLE_JMP, 0x6010, 0x7000, BOTH);
	synth__add(&f->log, 0, 7, ORACLE_UNIT, 0x7010, 0x7012, ORACLE_TRACED_FROM);
	text_branch(f, 0, 0, addr);
	text_branch(f, 0, 0x5010, 0x6000);
	text_branch(f, 0, 0x6010, 0x7000);
	text_branch(f, 0, 0x7010, 0);
	return run(f, true);
}

static void test_begin_in_block(void)
{
	CHECK_EQ(run_from_block(0x5000), 0);
	CHECK_EQ(run_from_block(0x5008), 0);
	CHECK_EQ(run_from_block(0x5010), 0);
	CHECK_EQ(run_from_block(0x5014), 1);
	CHECK_EQ(run_from_block(0x4ffc), 1);
}

static void test_missing(void)
{
	static const unsigned int where[] = {0, 1, 20, 41};

	for (size_t i = 0; i < ARRAY_SIZE(where); i++) {
		struct fixture *f = fixture();
		char report[8192] = "";

		fill(f, 0, 40);
		text_drop(f, where[i]);
		CHECK_EQ(run_report(f, false, report, sizeof(report)), 1);
		CHECK(strstr(report,
			     "1 branches are missing from the decode and 0 are in it that did not run"));
	}
}

/* Trace that ends and begins again, twice; the text lacks @nr lines from line @first on. The line of the first end is 3. */
static int run_shared(bool shared_sink, unsigned int first, unsigned int nr)
{
	struct fixture *f = fixture();

	f->shared_sink = shared_sink;
	fill(f, 0, 2);
	fill(f, 0, 2);
	fill(f, 0, 2);
	for (unsigned int i = 0; i < nr; i++)
		text_drop(f, first);
	return run(f, false);
}

/* Of a buffer that CPUs share perf does not show each end of trace; all else it does. */
static void test_shared_sink(void)
{
	CHECK_EQ(run_shared(true, 0, 0), 0);
	CHECK_EQ(run_shared(false, 3, 1), 1);
	CHECK_EQ(run_shared(true, 3, 1), 0);
	CHECK_EQ(run_shared(true, 7, 1), 0);
	CHECK_EQ(run_shared(true, 2, 1), 1); /* the branch before the end */
	CHECK_EQ(run_shared(true, 2, 2), 1); /* and the end */
	CHECK_EQ(run_shared(true, 4, 1), 1); /* where trace begins again */
	CHECK_EQ(run_shared(true, 3, 2), 1);
	CHECK_EQ(run_shared(true, 11, 1), 1); /* nothing follows */
}

static void test_extra(void)
{
	struct fixture *f = fixture();
	char report[8192] = "";

	fill(f, 0, 20);
	f->log.rec[10].flags = 0; /* ran, but was not traced */
	CHECK_EQ(run_report(f, false, report, sizeof(report)), 1);
	CHECK(strstr(report, "0 branches are missing from the decode and 1 are in it that did not run"));
	f = fixture();
	fill(f, 0, 20);
	text_branch(f, 0, 0x3000, 0x3001);
	CHECK_EQ(run(f, false), 1);
}

static void test_other_target(void)
{
	struct fixture *f = fixture();

	fill(f, 0, 20);
	f->log.rec[10].to++;
	CHECK_EQ(run(f, false), 1);
}

static void test_swapped(void)
{
	struct fixture *f = fixture();
	struct oracle_record tmp;

	fill(f, 0, 20);
	tmp = f->log.rec[10];
	f->log.rec[10] = f->log.rec[12];
	f->log.rec[12] = tmp;
	CHECK_EQ(run(f, false), 1);
}

/* Branches of the right addresses on the wrong CPU. */
static void test_wrong_cpu(void)
{
	struct fixture *f = fixture();

	fill(f, 0, 20);
	for (unsigned int i = 0; i < f->log.nr; i++)
		f->log.rec[i].cpu = 1;
	CHECK_EQ(run(f, false), 1);
	f = fixture();
	fill(f, 0, 20);
	text_branch(f, 2, 0x10, 0x20);
	CHECK_EQ(run(f, false), 1);
}

static void test_begin_and_end(void)
{
	struct fixture *f = fixture();

	fill(f, 0, 4);
	f->log.rec[1].flags = BOTH; /* setup changed while tracing: no branch, but the text has one */
	CHECK_EQ(run(f, false), 1);
	f = fixture();
	fill(f, 0, 4);
	synth__add(&f->log, 0, 7, ORACLE_UNIT, 0x20, 0x24, BOTH); /* no branch, and none decoded */
	CHECK_EQ(run(f, false), 0);
	f = fixture();
	fill(f, 0, 4);
	f->log.rec[4].flags = ORACLE_TRACED_FROM; /* the trace ended there */
	CHECK_EQ(run(f, false), 1);
}

static void test_tail(void)
{
	struct fixture *f = fixture();
	char report[8192] = "";

	fill(f, 0, 40);
	for (int i = 0; i < 10; i++)
		text_drop(f, 0);
	CHECK_EQ(run_report(f, true, report, sizeof(report)), 0);
	CHECK(strstr(report, "32 branches equal, 10 before them overwritten"));
	f = fixture();
	fill(f, 0, 40);
	for (int i = 0; i < 10; i++)
		text_drop(f, 0);
	CHECK_EQ(run(f, false), 1);
	/* Only the first branch may be told as a start: where it led to. */
	for (unsigned int wrong = 0; wrong < 2; wrong++) {
		f = fixture();
		fill(f, 0, 40);
		for (int i = 0; i < 10; i++)
			text_drop(f, 0);
		text_hide_from(f, wrong);
		CHECK_EQ(run(f, true), wrong);
	}
	/* A hole inside is not a beginning that was overwritten, nor is a missing end. */
	f = fixture();
	fill(f, 0, 40);
	text_drop(f, 20);
	CHECK_EQ(run(f, true), 1);
	f = fixture();
	fill(f, 0, 40);
	text_drop(f, 41);
	CHECK_EQ(run(f, true), 1);
}

static void test_least(void)
{
	for (uint64_t more = 0; more < 2; more++) {
		struct fixture *f = fixture();

		fill(f, 0, 40);
		f->least = 42 + more;
		CHECK_EQ(run(f, false), (int)more);
	}
}

static void test_nothing(void)
{
	struct fixture *f = fixture();

	f->log.nr_cpus = 1;
	synth__add(&f->log, 0, 7, ORACLE_CALL, 0x10, 0x20, 0);
	CHECK_EQ(run(f, false), 1);
}

static void test_decoder_error(void)
{
	struct fixture *f = fixture();

	fill(f, 0, 4);
	text_add(f, " instruction trace error type 1 time 1.0 cpu 0 pid 7 tid 7 ip 0 code 6: Trace doesn't "
		    "match\n");
	CHECK_EQ(run(f, false), 1);
}

/* Lines of perf with more fields, and lines that are none of perf's. */
static void test_text_forms(void)
{
	struct fixture *f = fixture();

	fill(f, 0, 1);
	memset(f->text, 0, sizeof(f->text));
	f->len = 0;
	text_add(f, "# a comment\n\n"
		    "[000]   123.456789012:   tr strt                              0 =>               24 \n"
		    "[000]   123.456789013:   jmp                               1000 =>             1008\n"
		    "  [000]   123.456789013:   tr end                            2000 =>                0");
	CHECK_EQ(run(f, false), 0);
	f = fixture();
	fill(f, 0, 1);
	text_add(f, "[000]  syscalls:sys_enter_uname:                0           43edf9\n"
		    "[001]  syscalls:sys_exit_uname:  123.5:         0 =>        43edf9\n");
	CHECK_EQ(run(f, false), 0);
	f = fixture();
	fill(f, 0, 1);
	text_add(f, "[000]  branches:k:    0 =>        43edf9\n"); /* that is one too many */
	CHECK_EQ(run(f, false), 1);
	f = fixture();
	fill(f, 0, 1);
	text_add(f, "[000]  branches:k:    0           43edf9\n");
	CHECK_EQ(run(f, false), -1);
	f = fixture();
	fill(f, 0, 1);
	text_add(f, "[000]                 0           43edf9\n");
	CHECK_EQ(run(f, false), -1);
	f = fixture();
	fill(f, 0, 1);
	text_add(f, "[000] 1000 foo+0x10 => 1008 bar\n");
	CHECK_EQ(run(f, false), -1);
	f = fixture();
	fill(f, 0, 1);
	text_add(f, "[0x0] 1000 => 1008\n");
	CHECK_EQ(run(f, false), -1);
}

int main(void)
{
	test_equal();
	test_one_cpu_is_wrong();
	test_begin_in_block();
	test_missing();
	test_shared_sink();
	test_extra();
	test_other_target();
	test_swapped();
	test_wrong_cpu();
	test_begin_and_end();
	test_tail();
	test_least();
	test_nothing();
	test_decoder_error();
	test_text_forms();
	return check__done();
}
