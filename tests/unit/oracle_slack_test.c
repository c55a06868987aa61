// SPDX-License-Identifier: GPL-2.0-only
/* The slack file and the symbols that it names. */
#include "oracle_synth.h"
#include "slack.h"

#define USER 0x401000ul
#define WORK 0xffffffff81002000ul
#define GATE 0xffffffff81003000ul

static const char kallsyms[] = "ffffffff81000000 T entry_SYSCALL_64\n"
			       "ffffffff81002000 t work.isra.0\n"
			       "ffffffff81003000 t bpf_prog_1234_gate\t[bpf]\n"
			       "ffffffff81003000 t another_name\n"
			       "ffffffff8100a000 D some_data\n";

static int slack_load(const char *text)
{
	char syms_path[32], slack_path[32];
	_cleanup_symbols_ struct symbols *syms = NULL;
	_cleanup_slack_ struct slack *slack = NULL;
	int err;

	synth__write_text(kallsyms, syms_path);
	synth__write_text(text, slack_path);
	err = symbols__load(syms_path, &syms);
	if (!err)
		err = slack__load(slack_path, syms, &slack);
	/* Clones and parts of a function are the function; names are whole. */
	if (!err) {
		CHECK(slack__allows(slack, SLACK_OPEN, WORK + 5));
		CHECK(!slack__allows(slack, SLACK_OPEN, WORK - 1));
		CHECK(!slack__allows(slack, SLACK_CLOSE, WORK + 5));
		CHECK(slack__allows(slack, SLACK_CLOSE, GATE));
		CHECK(!slack__allows(slack, SLACK_OPEN, USER));
	}
	unlink(syms_path);
	unlink(slack_path);
	return err;
}

static void test_slack_file(void)
{
	CHECK_EQ(slack_load("open work\nclose another_name\nlimit own 5\nwait work"), 0);
	CHECK_EQ(slack_load("open work.isra.*\nclose another_*\nopen wor\n"), 0);
	CHECK(slack_load("opens work\n") < 0);
	CHECK(slack_load("limit end 5\n") < 0);
	CHECK(slack_load("limit wait 5\n") < 0);
	CHECK(slack_load("limit all 5\n") < 0);
	CHECK(slack_load("limit open five\n") < 0);
	CHECK(slack_load("limit open 5 6\n") < 0);
	CHECK(slack_load("limit open\n") < 0);
}

static void test_bad_kallsyms(void)
{
	struct symbols *syms = NULL;
	char path[32];

	synth__write_text("0000000000000000 T entry_SYSCALL_64\n", path);
	CHECK(symbols__load(path, &syms) < 0);
	unlink(path);
}

static void test_symbols(void)
{
	_cleanup_symbols_ struct symbols *syms = NULL;
	char path[32];

	synth__write_text(kallsyms, path);
	CHECK_EQ(symbols__load(path, &syms), 0);
	unlink(path);
	if (!syms)
		return;
	CHECK_EQ(symbols__nr(syms), 3);
	CHECK_EQ(symbols__find(syms, USER), SYMBOLS_NONE);
	CHECK_STREQ(symbols__name(syms, symbols__find(syms, WORK)), "work.isra.0");
	CHECK_STREQ(symbols__name(syms, symbols__find(syms, GATE - 1)), "work.isra.0");
	CHECK_STREQ(symbols__name(syms, symbols__find(syms, GATE + 100)), "another_name");
}

int main(void)
{
	test_slack_file();
	test_symbols();
	test_bad_kallsyms();
	return check__done();
}
