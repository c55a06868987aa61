// SPDX-License-Identifier: GPL-2.0-only
/* The check of snapshots with a log and texts made up: right ones pass, and each fault has its own message.
 */
#include "oracle_snapshots_synth.h"

/* Two snapshots of two CPUs, with what was overwritten before each. */
static struct fixture *two_of_two(void)
{
	struct fixture *f = fixture(2);

	for (unsigned int file = 0; file < 2; file++) {
		run_branches(f, 0, 5);
		for (unsigned int cpu = 0; cpu < 2; cpu++) {
			unsigned int first = run_branches(f, cpu, 40);

			text_records(f, file, first, f->log.nr);
		}
	}
	return f;
}

static void test_right(void)
{
	expect(two_of_two(), 0, "A: cpu 0: records 5 to 44, 40 branches\n");
	expect(two_of_two(), 0, "B: cpu 1: records 130 to 169, 40 branches\n");
	expect(two_of_two(), 0, "snapshots: right, 2 files, 160 branches\n");
}

static void test_directly_behind(void)
{
	struct fixture *f = fixture(2);

	run_branches(f, 0, 60);
	text_records(f, 0, 0, 30);
	text_records(f, 1, 30, 60);
	expect(f, 0, "B: cpu 0: records 30 to 59, 30 branches\n");
}

static void test_overlap(void)
{
	struct fixture *f = fixture(2);

	run_branches(f, 0, 60);
	text_records(f, 0, 0, 30);
	text_records(f, 1, 29, 60);
	expect(f, 1, "B: cpu 0: WRONG: 1 branches are in A too\n");
	f = fixture(2);
	run_branches(f, 0, 60);
	text_records(f, 0, 10, 30);
	text_records(f, 1, 10, 30);
	expect(f, 1, "B: cpu 0: WRONG: 20 branches are in A too\n");
}

static void test_wrong_order(void)
{
	struct fixture *f = fixture(2);

	run_branches(f, 0, 60);
	text_records(f, 0, 30, 60);
	text_records(f, 1, 0, 30);
	expect(f, 1, "B: cpu 0: WRONG: what it has ran before what A has");
}

static void test_missing(void)
{
	static const unsigned int where[] = {1, 2, 30, 57};

	for (size_t i = 0; i < ARRAY_SIZE(where); i++) {
		struct fixture *f = fixture(1);

		run_branches(f, 0, 70);
		text_records(f, 0, 0, where[i]);
		text_records(f, 0, where[i] + 1, 60);
		expect(f, 1, "1 branches are missing from the decode and 0 are in it that did not run");
	}
}

/* What is missing is said to be where it is, however near to the end or behind a sync point. */
static void test_where_missing(void)
{
	struct fixture *f = fixture(1);

	run_branches(f, 0, 70);
	text_records(f, 0, 10, 15);
	text_records(f, 0, 18, 60);
	expect(f, 1, "a difference at branch 5 of the snapshot");
	f = fixture(1);
	run_branches(f, 0, 70);
	text_branch(f, 0, 0, 0, f->log.rec[9].to);
	text_records(f, 0, 10, 15);
	text_records(f, 0, 18, 60);
	expect(f, 1, "3 branches are missing from the decode and 0 are in it that did not run");
}

static struct fixture *with_gaps(uint64_t nr, uint64_t allowed)
{
	struct fixture *f = fixture(1);

	run_branches(f, 0, 70);
	text_records(f, 0, 0, 20);
	text_records(f, 0, 24, 40);
	text_records(f, 0, nr > 1 ? 41 : 40, 60);
	f->opts.gaps = allowed;
	return f;
}

/* Trace that ended for a while behind record 20, and what was decoded of it. */
static struct fixture *with_shared_sink(bool shows_end, unsigned int from)
{
	struct fixture *f = fixture(1);

	run_branches(f, 0, 20);
	synth__add(&f->log, 0, 7, ORACLE_SYSCALL, 0x2400, 0x10, ORACLE_TRACED_FROM);
	synth__add(&f->log, 0, 7, ORACLE_IRET, 0x20, 0x2404, ORACLE_TRACED_TO);
	run_branches(f, 0, 20);
	text_records(f, 0, 0, shows_end ? 21 : from);
	text_records(f, 0, 21, 40);
	f->opts.shared_sink = true;
	return f;
}

/* Where trace begins again, its end may be missing, and nothing else. */
static void test_shared_sink(void)
{
	struct fixture *f = with_shared_sink(false, 20);

	expect(with_shared_sink(true, 0), 0, "snapshots: right, 1 files, 40 branches\n");
	expect(with_shared_sink(false, 20), 0, "snapshots: right, 1 files, 39 branches\n");
	expect(with_shared_sink(false, 19), 1, "2 branches are missing where trace begins again");
	f->opts.shared_sink = false;
	expect(f, 1, "39 branches were decoded that did not run like this");
}

/* No more is missing than is allowed, and what did not run is in no gap. */
static void test_gaps(void)
{
	struct fixture *f = with_gaps(1, 1);

	expect(with_gaps(1, 1), 0, "A: cpu 0: records 24 to 59, 36 branches\n");
	expect(with_gaps(2, 2), 0, "snapshots: right, 1 files, 55 branches\n");
	expect(with_gaps(2, 1), 1, "A: cpu 0: WRONG: 35 branches were decoded that did not run like this");
	expect(with_gaps(1, 0), 1, "4 branches are missing from the decode and 0 are in it that did not run");
	text_branch(f, 0, 0, 0x5, 0x6);
	expect(f, 1, "0 branches are missing from the decode and 1 are in it that did not run");
}

static void test_extra(void)
{
	static const unsigned int where[] = {0, 1, 30, 59, 60};

	for (size_t i = 0; i < ARRAY_SIZE(where); i++) {
		struct fixture *f = fixture(1);

		run_branches(f, 0, 70);
		text_records(f, 0, 3, 3 + where[i]);
		text_branch(f, 0, 0, 0x5, 0x6);
		text_records(f, 0, 3 + where[i], 63);
		expect(f, 1, "A: cpu 0: WRONG: 61 branches were decoded that did not run like this");
	}
}

static void test_swapped(void)
{
	struct fixture *f = fixture(1);

	run_branches(f, 0, 70);
	text_records(f, 0, 0, 30);
	text_records(f, 0, 31, 32);
	text_records(f, 0, 30, 31);
	text_records(f, 0, 32, 70);
	expect(f, 1, "A: cpu 0: WRONG: 70 branches were decoded that did not run like this");
}

static void test_untraced(void)
{
	struct fixture *f = fixture(1);

	run_branches(f, 0, 70);
	text_records(f, 0, 0, 70);
	f->log.rec[35].flags = 0;
	expect(f, 1, "0 branches are missing from the decode and 1 are in it that did not run");
	f = fixture(1);
	run_branches(f, 0, 70);
	f->log.rec[35].flags = 0;
	text_records(f, 0, 0, 70);
	expect(f, 0, "snapshots: right, 1 files, 69 branches");
}

static void test_nothing_like_it(void)
{
	struct fixture *f = fixture(1);

	run_branches(f, 0, 70);
	text_branch(f, 0, 0, 0x5, 0x6);
	expect(f, 1, "nothing like it ran traced on this CPU");
	f = fixture(1);
	run_branches(f, 0, 70);
	text_branch(f, 0, 1, f->log.rec[3].from, f->log.rec[3].to);
	expect(f, 1, "A: cpu 1: WRONG: 1 branches were decoded");
	f = fixture(1);
	run_branches(f, 0, 70);
	text_branch(f, 0, 2, f->log.rec[3].from, f->log.rec[3].to);
	expect(f, 1, "A: cpu 2: WRONG: the log has no such CPU");
}

/* 0 -> address at the beginning: a sync point between two branches, or the trace's own start. */
static void test_sync_point(void)
{
	static const struct {
		int64_t off; /* from the target of the branch before */
		int ret;
	} vectors[] = {{0, 0}, {0x40, 0}, {0x80, 0}, {0x81, 1}, {-1, 1}, {0x100, 1}};

	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct fixture *f = fixture(1);

		run_branches(f, 0, 70);
		text_branch(f, 0, 0, 0, f->log.rec[9].to + (uint64_t)vectors[i].off);
		text_records(f, 0, 10, 60);
		expect(f, vectors[i].ret,
		       vectors[i].ret ? "WRONG: 51 branches were decoded" : "records 10 to 59, 50 branches");
	}
}

static void test_trace_start(void)
{
	struct fixture *f = fixture(2);

	run_branches(f, 0, 30);
	synth__add(&f->log, 0, 7, ORACLE_UNIT, 0x20, 0x24, ORACLE_TRACED_FROM);
	synth__add(&f->log, 0, 7, ORACLE_UNIT, 0x30, 0x34, ORACLE_TRACED_TO);
	run_branches(f, 0, 30);
	text_records(f, 0, 10, 31);
	text_records(f, 1, 31, 60);
	expect(f, 0, "B: cpu 0: records 31 to 59, 29 branches");
}

/* The same branches again and again: each snapshot has its own. */
static struct fixture *repeated(void)
{
	struct fixture *f = fixture(2);

	for (int turn = 0; turn < 5; turn++) {
		note(f, 0);
		for (uint64_t i = 0; i < 8; i++)
			synth__add(&f->log, 0, 7, ORACLE_JMP, 0x1000 + i, 0x2000 + i, BOTH);
	}
	f->opts.note = 0;
	return f;
}

static void test_repeated(void)
{
	struct fixture *f = repeated();

	text_records(f, 0, 1, 18);
	text_records(f, 1, 1, 18);
	expect(f, 0, "B: cpu 0: records 19 to 35, 16 branches");
	f = repeated();
	text_records(f, 0, 1, 27);
	text_records(f, 1, 1, 27);
	expect(f, 1, "WRONG: 24 branches are in A too");
}

/* Of each of five turns a snapshot, or not. */
static void repeated_files(struct fixture *f, uint64_t missed)
{
	f->opts.note = NOTE;
	f->opts.missed = missed;
	text_records(f, 0, 0, 9);
	text_records(f, 1, 0, 9);
}

static void test_missed(void)
{
	struct fixture *f = repeated();

	repeated_files(f, 3);
	expect(f, 0, "snapshots: right");
	f = repeated();
	repeated_files(f, 2);
	expect(f, 1, "WRONG: 2 snapshots and 2 missed, but 5 notes 30");
	/* Of turns 1 and 4, which are told apart. */
	f = repeated();
	repeated_files(f, 3);
	f->text[1][0] = '\0';
	f->log.rec[30].to++;
	text_records(f, 1, 27, 36);
	expect(f, 0, "B: cpu 0: records 28 to 35, 8 branches, 8 behind the trigger");
	/* None may be missed: then it is too late for the second note. */
	f = repeated();
	repeated_files(f, 0);
	f->text[1][0] = '\0';
	f->log.rec[30].to++;
	text_records(f, 1, 27, 36);
	expect(f, 1, "B: cpu 0: WRONG: ends 24 branches behind the trigger, record 9; at most 10 are right");
}

/* Branches, the note, branches, the trigger's two, and @after more. */
static struct fixture *triggered(unsigned int after)
{
	struct fixture *f = fixture(1);

	run_branches(f, 0, 30);
	note(f, 0);
	run_branches(f, 0, 15);
	trigger(f, 0, 7);
	run_branches(f, 0, after);
	return f;
}

static void test_end(void)
{
	struct fixture *f = triggered(8);

	text_records(f, 0, 5, f->log.nr);
	expect(f, 0, "A: cpu 0: records 5 to 55, 50 branches, 10 behind the trigger\n");
	f = triggered(8);
	text_records(f, 0, 5, f->log.nr);
	expect(f, 0, "branches behind the trigger: min 10, median 10, max 10\n");
	f = triggered(9);
	text_records(f, 0, 5, f->log.nr);
	expect(f, 1, "A: cpu 0: WRONG: ends 11 branches behind the trigger, record 46; at most 10 are right");
	f = triggered(0);
	f->with_trigger = false; /* counted from the note */
	text_records(f, 0, 5, f->log.nr);
	expect(f, 1, "A: cpu 0: WRONG: ends 17 branches behind the trigger, record 30; at most 10 are right");
}

/* An interrupt behind the trigger is no part of its path; what follows its IRET is. */
static void test_interrupt(void)
{
	struct fixture *f = triggered(4);

	synth__add(&f->log, 0, 7, ORACLE_INTERRUPT, 0x5000, 0x6000, BOTH);
	run_branches(f, 0, 20);
	synth__add(&f->log, 0, 7, ORACLE_IRET, 0x6100, 0x4444, BOTH); /* of a fault inside */
	run_branches(f, 0, 20);
	synth__add(&f->log, 0, 7, ORACLE_IRET, 0x6100, 0x5000, BOTH);
	run_branches(f, 0, 4);
	text_records(f, 0, 5, f->log.nr);
	expect(f, 0, ", 10 behind the trigger and 43 in interrupts\n");
	f = triggered(4);
	synth__add(&f->log, 0, 7, ORACLE_INTERRUPT, 0x5000, 0x6000, BOTH);
	synth__add(&f->log, 0, 7, ORACLE_IRET, 0x6100, 0x5000, BOTH);
	run_branches(f, 0, 5);
	text_records(f, 0, 5, f->log.nr);
	expect(f, 1, "WRONG: ends 11 branches behind the trigger, record 46; at most 10 are right");
}

/* As perf shows Arm's trace: the interrupt is not shown, or it comes from the instruction before. */
static void test_interrupt_of_arm(void)
{
	struct fixture *f = triggered(4);

	synth__add(&f->log, 0, 7, ORACLE_CALL, 0x4ffc, 0x6000, BOTH);
	synth__add(&f->log, 0, 7, ORACLE_INTERRUPT, 0x5000, 0x6000, 0);
	run_branches(f, 0, 20);
	synth__add(&f->log, 0, 7, ORACLE_IRET, 0x6100, 0x5000, BOTH);
	synth__add(&f->log, 0, 7, ORACLE_INTERRUPT, 0x5000, 0x6000, BOTH);
	run_branches(f, 0, 20);
	synth__add(&f->log, 0, 7, ORACLE_IRET, 0x6100, 0x5004, BOTH);
	run_branches(f, 0, 3);
	text_records(f, 0, 5, f->log.nr);
	expect(f, 0, ", 10 behind the trigger and 43 in interrupts\n");
}

/* Nor is what runs while the task is put aside by the tracepoint's code; elsewhere it is. */
static void test_put_aside(void)
{
	for (uint64_t to = PUT_ASIDE; to <= PUT_ASIDE + 0x1000; to += 0x1000) {
		struct fixture *f = triggered(4);

		synth__add(&f->log, 0, 7, ORACLE_CALL, BEHIND_TRIGGER + 0x10, to, BOTH);
		run_branches(f, 0, 20);
		synth__add(&f->log, 0, 7, ORACLE_RET, to + 0x20, BEHIND_TRIGGER + 0x15, BOTH);
		run_branches(f, 0, 4);
		text_records(f, 0, 5, f->log.nr);
		if (to == PUT_ASIDE)
			expect(f, 0, ", 10 behind the trigger and 22 in interrupts\n");
		else
			expect(f, 1,
			       "WRONG: ends 32 branches behind the trigger, record 46; at most 10 are right");
	}
}

static void test_end_too_early(void)
{
	struct fixture *f = triggered(8);

	text_records(f, 0, 5, 29);
	expect(f, 1, "A: cpu 0: WRONG: ends before its note, record 30\n");
	f = triggered(8);
	text_records(f, 0, 5, 46);
	expect(f, 1, "A: cpu 0: WRONG: ends behind its note, record 30, but before the trigger\n");
	f = triggered(8);
	text_records(f, 0, 5, 47);
	expect(f, 0, "1 behind the trigger\n");
	f = triggered(8);
	run_branches(f, 1, 20);
	text_records(f, 0, 56, 76);
	expect(f, 1, "A: cpu 0: WRONG: no branches of the CPU of its note, record 30\n");
}

/* Another task's trigger, on the note's CPU, is not that of the note. */
static void test_trigger_of_another(void)
{
	struct fixture *f = fixture(1);

	note(f, 0);
	trigger(f, 0, 8);
	run_branches(f, 0, 15);
	trigger(f, 0, 7);
	text_records(f, 0, 0, f->log.nr);
	expect(f, 0, "19 branches, 2 behind the trigger\n");
	f = fixture(1);
	note(f, 0);
	trigger(f, 0, 8);
	text_records(f, 0, 0, f->log.nr);
	expect(f, 1, "but before the trigger\n");
}

/*
 * The note's task leaves the CPU and comes back, too soon at first. Of the second time both switches are triggers,
 * and the one back is meant.
 */
static void test_switch_in(void)
{
	struct fixture *f = fixture(1);

	note(f, 0);
	trigger(f, 0, 7);
	synth__add(&f->log, 0, 8, ORACLE_SWITCH, 0, 0, 0);
	trigger(f, 0, 8);
	synth__add(&f->log, 0, 7, ORACLE_SWITCH, 0, 0, 0);
	trigger(f, 0, 7);
	synth__add(&f->log, 0, 8, ORACLE_SWITCH, 0, 0, 0);
	run_branches(f, 0, 15);
	trigger(f, 0, 8);
	run_branches(f, 0, 2);
	text_records(f, 0, 0, f->log.nr);
	synth__add(&f->log, 0, 7, ORACLE_SWITCH, 0, 0, 0);
	f->opts.place.off_cpu = 100;
	expect(f, 0, "25 branches, 4 behind the trigger\n");
}

static void test_decoder_error(void)
{
	struct fixture *f = two_of_two();

	text_line(f, 1, " instruction trace error type 1 time 1.0 cpu 0 pid 7 tid 7 ip 0 code 6: No match\n");
	expect(f, 1, "B: WRONG: the decoder reported 1 errors, the first: instruction trace error type 1");
}

static void test_nothing(void)
{
	struct fixture *f = fixture(1);

	run_branches(f, 0, 10);
	expect(f, 1, "nothing was traced: no branch to compare");
}

static void test_no_name(void)
{
	struct snapshot_file *files = NULL;
	char text[32], names[32];
	char *paths[] = {text, text};

	synth__write_text("[000] 1 => 2\n", text);
	synth__write_text("one\n", names);
	CHECK(snapshot_files__load(paths, 2, names, &files) < 0);
	CHECK(!files);
	CHECK(snapshot_files__load(paths, 2, "/nonexistent", &files) < 0);
	CHECK_EQ(snapshot_files__load(paths, 2, NULL, &files), 0);
	CHECK(files && !strcmp(files[1].name, text));
	snapshot_files__free(files, 2);
	unlink(text);
	unlink(names);
}

int main(void)
{
	test_right();
	test_directly_behind();
	test_overlap();
	test_wrong_order();
	test_missing();
	test_where_missing();
	test_gaps();
	test_shared_sink();
	test_extra();
	test_swapped();
	test_untraced();
	test_nothing_like_it();
	test_sync_point();
	test_trace_start();
	test_repeated();
	test_missed();
	test_end();
	test_interrupt();
	test_interrupt_of_arm();
	test_put_aside();
	test_end_too_early();
	test_trigger_of_another();
	test_switch_in();
	test_decoder_error();
	test_nothing();
	test_no_name();
	return check__done();
}
