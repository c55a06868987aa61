// SPDX-License-Identifier: GPL-2.0-only
/* The reader of oracle logs: phases, what is read of a log that is larger than memory, and logs that are wrong. */
#include <errno.h>

#include "log_reader.h"
#include "oracle_synth.h"

/* Records of all tests are jumps to here, and marks. */
#define TARGET 0x1000

static struct synth_log *new_log(void)
{
	struct synth_log *log = calloc(1, sizeof(*log));

	if (!log)
		abort();
	log->nr_cpus = 2;
	return log;
}

static void add(struct synth_log *log, unsigned int cpu, unsigned int count)
{
	while (count--)
		synth__add(log, cpu, 5, ORACLE_JMP, 0x10, TARGET, 0);
}

static void add_mark(struct synth_log *log, unsigned int cpu, uint32_t nr)
{
	synth__add(log, cpu, 5, ORACLE_MARK, 0, 0, 0)->nr = nr;
}

/* What opening the log comes to. It is unlinked. */
static int open_path(const char *path, uint32_t note, struct oracle_log **ret)
{
	int err = oracle_log__open(path, note, ret);

	unlink(path);
	return err;
}

static int open_log(const struct synth_log *log, uint32_t note, struct oracle_log **ret)
{
	char path[32];

	synth__write(log, path);
	return open_path(path, note, ret);
}

/* How many records there are of a CPU, and the place in the file of the first. */
static uint64_t count(const struct oracle_log *log, unsigned int cpu, uint64_t *first)
{
	const struct oracle_record *rec;
	struct oracle_cursor cur;
	uint64_t nr = 0;

	oracle_cursor__init(&cur, log, cpu);
	while ((rec = oracle_cursor__next(&cur)))
		if (!nr++)
			*first = oracle_log__index(log, rec);
	return nr;
}

static void expect_phase(const struct synth_log *synth, uint32_t note, const uint64_t nr[2],
			 const uint64_t first[2])
{
	_cleanup_oracle_log_ struct oracle_log *log = NULL;

	if (!CHECK_EQ(open_log(synth, note, &log), 0))
		return;
	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		uint64_t at = 0;

		CHECK_EQ(count(log, cpu, &at), nr[cpu]);
		CHECK_EQ(at, first[cpu]);
	}
}

/* NOTE is in the midst of a chunk. Places in the file are counted without heads. */
static void test_phases(void)
{
	_cleanup_free_ struct synth_log *log = new_log();

	for (unsigned int phase = 0; phase < 2; phase++) {
		add_mark(log, 0, ORACLE_MARK_START);
		add(log, 0, 2);
		add_mark(log, 0, 20 + phase);
		add(log, 0, 3 + phase);
		add(log, 1, 5 + phase);
		add_mark(log, 1, ORACLE_MARK_STOP);
	}
	expect_phase(log, 20, (uint64_t[]){4, 6}, (uint64_t[]){3, 7});
	expect_phase(log, 21, (uint64_t[]){5, 7}, (uint64_t[]){16, 21});
	expect_phase(log, 0, (uint64_t[]){7 + 8, 6 + 7}, (uint64_t[]){0, 7});
}

/* The CPU of STOP wrote its records before that of NOTE did. */
static void test_stop_before_note_in_the_file(void)
{
	_cleanup_free_ struct synth_log *log = new_log();

	log->tsc = 1000;
	add(log, 1, 2);
	add_mark(log, 1, ORACLE_MARK_STOP);
	add(log, 1, 1);
	log->tsc = 900;
	add(log, 0, 2);
	add_mark(log, 0, 20);
	add(log, 0, 1);
	expect_phase(log, 20, (uint64_t[]){2, 3}, (uint64_t[]){6, 0});
}

static void test_no_phase(void)
{
	_cleanup_free_ struct synth_log *log = new_log();
	struct oracle_log *ret = NULL;

	add_mark(log, 0, 20);
	add_mark(log, 0, ORACLE_MARK_STOP);
	add_mark(log, 1, 21);
	CHECK_EQ(open_log(log, 22, &ret), -ENOENT);
	CHECK_EQ(open_log(log, 21, &ret), -ENOENT);
}

/*
 * The phase is behind a chunk of 200 GB, a hole in the file: more than there is memory, and than could be read in the time
 * that the test has.
 */
static void test_the_rest_is_not_read(void)
{
	const struct oracle_record huge = {.kind = ORACLE_CHUNK, .nr = UINT32_MAX};
	_cleanup_oracle_log_ struct oracle_log *log = NULL;
	_cleanup_free_ struct synth_log *synth = new_log();
	char path[32];
	FILE *f = synth__create(path);
	uint64_t first = 0;

	add_mark(synth, 0, 20);
	add(synth, 0, 4);
	add_mark(synth, 0, ORACLE_MARK_STOP);
	if (!f)
		abort();
	synth__put_header(f, 2);
	synth__put(f, &huge, sizeof(huge));
	if (fseeko(f, (off_t)huge.nr * (off_t)sizeof(huge), SEEK_CUR)) {
		fputs("skipped: no file of 200 GB\n", stderr);
		unlink(path);
		fclose(f);
		return;
	}
	synth__put_chunk(f, synth->rec, synth->nr);
	fclose(f);
	alarm(20);
	if (CHECK_EQ(open_path(path, 20, &log), 0)) {
		CHECK_EQ(count(log, 0, &first), 6);
		CHECK_EQ(first, UINT32_MAX);
	}
	alarm(0);
}

static void test_bad_files(void)
{
	static const char *const bad[] = {"", "AUXORCL1", "AUXORCL2", "AUXORCL3........"};
	struct oracle_log *log = NULL;
	char path[32];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		synth__write_text(bad[i], path);
		CHECK_EQ(open_path(path, 0, &log), -EINVAL);
	}
	CHECK_EQ(oracle_log__open("/nonexistent", 0, &log), -ENOENT);
}

static void test_unknown_cpus(void)
{
	_cleanup_free_ struct synth_log *synth = new_log();
	struct oracle_log *log = NULL;
	char path[32];
	FILE *f;

	add(synth, 0, 2);
	add(synth, 2, 1);
	CHECK_EQ(open_log(synth, 0, &log), -EINVAL);
	f = synth__create(path);
	if (!f)
		abort();
	synth__put_header(f, 3);
	synth__put_chunk(f, synth->rec, synth->nr);
	fclose(f);
	CHECK_EQ(open_path(path, 0, &log), -EINVAL);
}

/* Writes a chunk and then its first records once more, without a head. */
static void test_bad_chunks(void)
{
	_cleanup_free_ struct synth_log *synth = new_log();
	struct oracle_log *log = NULL;
	char path[32];

	add(synth, 0, 3);
	for (unsigned int records = 0; records < 3; records++) {
		FILE *f = synth__create(path);

		if (!f)
			abort();
		synth__put_header(f, 2);
		synth__put_chunk(f, synth->rec, synth->nr);
		if (records)
			synth__put(f, synth->rec, records * sizeof(*synth->rec));
		fclose(f);
		CHECK_EQ(open_path(path, 0, &log), records ? -EINVAL : 0);
	}
	oracle_log__free(log);
	log = NULL;
	synth__write(synth, path);
	CHECK(!truncate(path, sizeof(struct oracle_header) + 3 * sizeof(struct oracle_record)));
	CHECK_EQ(open_path(path, 0, &log), -EINVAL);
}

int main(void)
{
	test_phases();
	test_stop_before_note_in_the_file();
	test_no_phase();
	test_the_rest_is_not_read();
	test_bad_files();
	test_unknown_cpus();
	test_bad_chunks();
	return check__done();
}
