// SPDX-License-Identifier: GPL-2.0-only
/* What of a log perf shows for a trace of Arm's ETE: each rule of etm_view.h. */
#include "etm_view.h"
#include "oracle_synth.h"
#include "traced_stream.h"

#define KERNEL 0xffff800080000000ull /* modules are below it */

#define FROM ORACLE_TRACED_FROM
#define TO ORACLE_TRACED_TO
#define BOTH (FROM | TO)

static struct synth_log made;
static struct decoded_branch seen[16];
static unsigned int nr_seen;

static void add(enum oracle_kind kind, uint64_t from, uint64_t to, unsigned int flags)
{
	synth__add(&made, 0, 7, kind, from, to, flags);
}

/* Trace goes on: what ended before is shown. */
static void add_next(void)
{
	add(ORACLE_IRET, 0x8000, 0x7000, TO);
}

/* What is left of the log, to be looked at with shown(); and of a text, whose number of branches is returned. */
static uint64_t apply_to(const char *decoded, enum etm_pieces pieces)
{
	char log_path[32], text_path[32];
	_cleanup_oracle_log_ struct oracle_log *log = NULL;
	_cleanup_decode_text_ struct decode_text *text = NULL;
	_cleanup_(record_list__release) struct record_list stream = {0};
	uint64_t nr = 0;

	made.nr_cpus = 1;
	synth__write(&made, log_path);
	synth__write_text(decoded, text_path);
	if (oracle_log__open(log_path, 0, &log) || decode_text__load(text_path, &text))
		abort();
	etm_view__log(log, KERNEL, pieces);
	etm_view__text(text);
	if (traced_stream__collect(&stream, log, 0) || stream.nr > ARRAY_SIZE(seen))
		abort();
	for (nr_seen = 0; nr_seen < stream.nr; nr_seen++)
		seen[nr_seen] = traced_stream__as_decoded(stream.rec[nr_seen]);
	(void)decode_text__branches(text, 0, &nr);
	unlink(log_path);
	unlink(text_path);
	made = (struct synth_log){0};
	return nr;
}

static uint64_t apply(const char *decoded)
{
	return apply_to(decoded, ETM_PIECES_ALL);
}

static bool shown(unsigned int at, uint64_t from, uint64_t to)
{
	return at < nr_seen && seen[at].from == from && seen[at].to == to;
}

/* Trace started once more, and nothing was executed: that is not shown, but the end before it. */
static void check_last_end(void)
{
	add(ORACLE_IRET, 0x8000, 0x1000, TO);
	add(ORACLE_SYSCALL, 0x1104, 0x8000, FROM);
	add(ORACLE_IRET, 0x8000, 0x2000, TO);
	add(ORACLE_EXCEPTION, 0x2000, 0x8200, FROM);
	apply("");
	CHECK_EQ(nr_seen, 2);
	CHECK(shown(0, 0, 0x1000));
	CHECK(shown(1, 0x1104, 0));
}

static void check_branches(void)
{
	add(ORACLE_IRET, 0x8000, 0x1000, TO);
	add(ORACLE_JMP, 0x1010, 0x1100, BOTH);
	add(ORACLE_SYSCALL, 0x1104, 0x8000, FROM);
	add(ORACLE_JMP, 0x8000, 0x9000, 0);
	apply("");
	CHECK_EQ(nr_seen, 2);
	CHECK(shown(0, 0, 0x1000));
	CHECK(shown(1, 0x1010, 0x1100));
}

static void check_interruption(void)
{
	add(ORACLE_IRET, 0x8000, 0x1000, TO);
	add(ORACLE_INTERRUPT, 0x1010, 0x8280, BOTH);
	add(ORACLE_IRET, 0x8300, 0x1010, BOTH);
	add(ORACLE_EXCEPTION, 0x1014, 0x8200, FROM);
	add_next();
	apply("");
	CHECK_EQ(nr_seen, 5);
	CHECK(shown(1, 0x100c, 0x8280));
	CHECK(shown(2, 0x8300, 0x1010));
	CHECK(shown(3, 0x1010, 0));
}

static void check_interruption_at_target(void)
{
	add(ORACLE_IRET, 0x8000, 0x1000, TO);
	add(ORACLE_JMP, 0x1010, 0x1100, BOTH);
	add(ORACLE_EXCEPTION, 0x1100, 0x8200, BOTH);
	add(ORACLE_INTERRUPT, 0x8200, 0x8280, BOTH); /* and again */
	add(ORACLE_IRET, 0x8300, 0x1100, BOTH);
	add(ORACLE_EXCEPTION, 0x1100, 0x8200, FROM);
	add(ORACLE_IRET, 0x8300, 0x1100, TO);
	add(ORACLE_EXCEPTION, 0x1100, 0x8200, FROM); /* nothing was executed at all */
	add(ORACLE_IRET, 0x8300, 0x1100, TO);
	add(ORACLE_EXCEPTION, 0x1100, 0x8200, BOTH);
	add(ORACLE_JMP, 0x8204, 0x8400, BOTH);
	apply("");
	CHECK_EQ(nr_seen, 5);
	CHECK(shown(0, 0, 0x1000));
	CHECK(shown(1, 0x1010, 0x8280));
	CHECK(shown(2, 0x8300, 0));
	CHECK(shown(3, 0, 0x8200));
	CHECK(shown(4, 0x8204, 0x8400));
}

static void check_switched_off(void)
{
	add(ORACLE_UNIT, 0x8000, 0x8004, TO);
	add(ORACLE_JMP, 0x8010, 0x8100, BOTH);
	add(ORACLE_UNIT, 0x8104, 0x8108, BOTH); /* its setup changed */
	add(ORACLE_UNIT, 0x8110, 0x8114, FROM);
	add(ORACLE_UNIT, 0x8120, 0x8124, TO);
	add(ORACLE_UNIT, 0x8130, 0x8134, FROM); /* with no branch in between */
	add_next();
	add(ORACLE_JMP, 0x7010, 0x7100, BOTH); /* and then the buffer was full */
	add_next();
	apply("");
	CHECK_EQ(nr_seen, 5);
	CHECK(shown(2, 0, 0x7000));
	CHECK(shown(3, 0x7010, 0));
	CHECK(shown(4, 0, 0x7000));
	CHECK(shown(0, 0, 0x8004));
	CHECK(shown(1, 0x8010, 0));
}

/* The last thing that was told is a branch that led to the next instruction. */
static void check_passed_branch(void)
{
	add(ORACLE_UNIT, 0x8000, 0x8004, TO);
	add(ORACLE_CALL, 0x8010, 0x8100, BOTH);
	add(ORACLE_PASSED, 0x8108, 0x810c, FROM);
	add(ORACLE_UNIT, 0x8110, 0x8114, FROM);
	add_next();
	add(ORACLE_PASSED, 0x7008, 0x700c, FROM); /* the buffer was full */
	add_next();
	apply("");
	CHECK_EQ(nr_seen, 6);
	CHECK(shown(1, 0x8010, 0x8100));
	CHECK(shown(2, 0x8108, 0));
	CHECK(shown(3, 0, 0x7000));
	CHECK(shown(4, 0x7008, 0));
	CHECK(shown(5, 0, 0x7000));
}

static void check_bare_piece(void)
{
	add(ORACLE_IRET, 0x8000, 0x1000, TO);
	add(ORACLE_EXCEPTION, 0x1008, 0x8200, FROM);
	add(ORACLE_IRET, 0x8000, 0x1008, TO);
	add(ORACLE_SYSCALL, 0x1010, 0x8200, FROM);
	add(ORACLE_UNIT, 0x8200, 0x8204, 0); /* a pause: the piece goes on */
	add(ORACLE_IRET, 0x8000, 0x1014, TO);
	add(ORACLE_SYSCALL, 0x1020, 0x8200, FROM);
	add(ORACLE_UNIT, 0x8200, 0x8204, 0);
	add(ORACLE_UNIT, 0x8300, 0x8304, ORACLE_BUFFER_OFF);
	add(ORACLE_IRET, 0x8000, 0x1024, TO);
	add(ORACLE_PASSED, 0x1028, 0x102c, FROM); /* a branch, if one not taken */
	add(ORACLE_UNIT, 0x8300, 0x8304, ORACLE_BUFFER_OFF);
	add_next();
	apply("");
	CHECK_EQ(nr_seen, 7);
	CHECK(shown(1, 0x1004, 0));
	CHECK(shown(2, 0, 0x1008));
	CHECK(shown(3, 0x1010, 0));
	CHECK(shown(4, 0, 0x1024));
	CHECK(shown(5, 0x1028, 0));
	CHECK(shown(6, 0, 0x7000));
}

/* Without times perf decodes across the end of a piece. */
static void check_bare_piece_shown(void)
{
	add(ORACLE_IRET, 0x8000, 0x1008, TO);
	add(ORACLE_EXCEPTION, 0x1010, 0x8200, FROM);
	add(ORACLE_UNIT, 0x8300, 0x8304, ORACLE_BUFFER_OFF);
	add_next();
	apply_to("", ETM_PIECES_NONE);
	CHECK_EQ(nr_seen, 3);
	CHECK(shown(0, 0, 0x1008));
	CHECK(shown(1, 0x100c, 0));
	CHECK(shown(2, 0, 0x7000));
}

/* Trace was synchronized at the last branch: what came behind it is dropped like what comes behind a start. */
static void check_synced_piece(void)
{
	for (unsigned int synced = 0; synced < 2; synced++) {
		add(ORACLE_IRET, 0x8000, 0x1000, TO);
		add(ORACLE_JCC, 0x1008, 0x1100, BOTH | ORACLE_SYNCED);
		add(ORACLE_JCC, 0x1108, 0x1200, BOTH | (synced ? ORACLE_SYNCED : 0));
		add(ORACLE_SYSCALL, 0x1208, 0x8200, FROM);
		add(ORACLE_UNIT, 0x8300, 0x8304, ORACLE_BUFFER_OFF);
		add(ORACLE_IRET, 0x8000, 0x1300, TO);
		add(ORACLE_PASSED, 0x1308, 0x130c, BOTH | (synced ? ORACLE_SYNCED : 0));
		add(ORACLE_SYSCALL, 0x1310, 0x8200, FROM);
		add(ORACLE_UNIT, 0x8300, 0x8304, ORACLE_BUFFER_OFF);
		add_next();
		apply("");
		CHECK_EQ(nr_seen, synced ? 6 : 7);
		CHECK(shown(1, 0x1008, 0x1100));
		CHECK(shown(2, 0x1108, synced ? 0 : 0x1200));
		CHECK(synced || shown(3, 0x1208, 0));
		CHECK(shown(4 - synced, 0, 0x1300));
		CHECK(shown(5 - synced, synced ? 0x1308 : 0x1310, 0));
	}
}

/* Something is behind the last piece only. */
static void check_last_bare_piece(void)
{
	for (unsigned int all = 0; all < 2; all++) {
		add(ORACLE_IRET, 0x8000, 0x1008, TO);
		add(ORACLE_EXCEPTION, 0x1010, 0x8200, FROM);
		add(ORACLE_UNIT, 0x8300, 0x8304, ORACLE_BUFFER_OFF);
		add(ORACLE_IRET, 0x8000, 0x1014, TO);
		add(ORACLE_JMP, 0x1018, 0x1100, BOTH);
		add(ORACLE_EXCEPTION, 0x1108, 0x8200, FROM);
		add(ORACLE_IRET, 0x8000, 0x2008, TO);
		add(ORACLE_EXCEPTION, 0x2010, 0x8200, FROM);
		add(ORACLE_UNIT, 0x8300, 0x8304, ORACLE_BUFFER_OFF);
		apply_to("", all ? ETM_PIECES_ALL : ETM_PIECES_BUT_LAST);
		CHECK_EQ(nr_seen, all ? 3 : 4);
		CHECK(shown(0, 0, 0x1014));
		CHECK(shown(1, 0x1018, 0x1100));
		CHECK(shown(2, 0x1104, 0));
		CHECK(all || shown(3, 0, 0x2008));
	}
}

static void check_modules(void)
{
	const uint64_t k = KERNEL, module = KERNEL - 0x8000;

	add(ORACLE_UNIT, module, module + 4, TO);
	add(ORACLE_CALL, module + 8, k, BOTH); /* no packet tells where that is */
	add(ORACLE_JMP, k + 4, k + 0x100, BOTH);
	add(ORACLE_RET, k + 0x104, module + 12, BOTH);
	add(ORACLE_RET, module + 16, k + 0x200, BOTH);
	add(ORACLE_JMP, k + 0x204, k + 0x300, BOTH);
	add(ORACLE_IND_CALL, k + 0x304, module + 0x100, BOTH);
	add(ORACLE_JCC, module + 0x104, module + 0x200, BOTH);
	add(ORACLE_INTERRUPT, module + 0x208, k + 0x280, BOTH);
	add(ORACLE_IRET, k + 0x290, module + 0x208, BOTH);
	add(ORACLE_UNIT, module + 0x210, module + 0x214, FROM);
	add_next();
	apply("");
	CHECK_EQ(nr_seen, 5);
	CHECK(shown(0, 0, k + 0x200));
	CHECK(shown(1, k + 0x204, k + 0x300));
	CHECK(shown(2, k + 0x304, k + 0x280));
	CHECK(shown(3, k + 0x290, 0));
}

/* The unit synchronizes where it happens to: perf knows where it is from there on. */
static void check_modules_synchronized(void)
{
	const uint64_t k = KERNEL, module = KERNEL - 0x8000;

	add(ORACLE_UNIT, k, k + 4, TO);
	add(ORACLE_RET, k + 8, module, BOTH);
	add(ORACLE_CALL, module + 8, k + 0x100, BOTH);
	add(ORACLE_JCC, k + 0x104, k + 0x200, BOTH | ORACLE_SYNCED);
	add(ORACLE_JMP, k + 0x204, k + 0x300, BOTH);
	add(ORACLE_RET, k + 0x304, module + 12, BOTH);
	add(ORACLE_JMP, module + 16, module + 0x100, BOTH | ORACLE_SYNCED); /* which tells nothing new */
	add(ORACLE_CALL, module + 0x104, k + 0x400, BOTH);
	add(ORACLE_PASSED, k + 0x404, k + 0x408, BOTH | ORACLE_SYNCED);
	add(ORACLE_PASSED, k + 0x410, k + 0x414, BOTH | ORACLE_SYNCED);
	add(ORACLE_INTERRUPT, k + 0x414, k + 0x280, BOTH);
	add(ORACLE_JMP, k + 0x284, k + 0x500, BOTH);
	add(ORACLE_UNIT, k + 0x504, k + 0x508, FROM);
	add_next();
	apply("");
	CHECK_EQ(nr_seen, 7);
	CHECK(shown(0, 0, k + 4));
	CHECK(shown(1, k + 8, k + 0x200));
	CHECK(shown(2, k + 0x204, k + 0x300));
	CHECK(shown(3, k + 0x304, k + 0x408));
	CHECK(shown(4, k + 0x410, k + 0x280));
	CHECK(shown(5, k + 0x284, 0));
	CHECK(shown(6, 0, 0x7000));
}

static void check_barriers(void)
{
	add(ORACLE_IRET, 0x8000, 0x1000, TO);
	add(ORACLE_JCC, 0x1010, 0x1014, BOTH);
	add(ORACLE_JMP, 0x1020, 0x1100, BOTH);
	CHECK_EQ(apply("[000] branches: 0 => 1000\n[000] branches: 1010 => 1014\n[000] branches: 1018 => "
		       "101c\n"
		       "[000] branches: 1020 => 1100\n[001] branches: 0 => 4\n"),
		 2);
	CHECK_EQ(nr_seen, 2);
	CHECK(shown(1, 0x1020, 0x1100));
}

int main(void)
{
	check_last_end();
	check_branches();
	check_interruption();
	check_interruption_at_target();
	check_switched_off();
	check_passed_branch();
	check_bare_piece();
	check_bare_piece_shown();
	check_synced_piece();
	check_last_bare_piece();
	check_modules();
	check_modules_synchronized();
	check_barriers();
	return check__done();
}
