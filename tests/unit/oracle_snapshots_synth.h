/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A made-up log and texts of snapshots, and the check of snapshots run over them.
 */
#ifndef TESTS_ORACLE_SNAPSHOTS_SYNTH_H
#define TESTS_ORACLE_SNAPSHOTS_SYNTH_H

#include "oracle_synth.h"
#include "snapshot_check.h"

#define BOTH (ORACLE_TRACED_FROM | ORACLE_TRACED_TO)
#define NOTE 30
#define MAX_FILES 4

/* A kernel function: the tracepoint of the trigger. */
#define TRIGGER 0xffffffff81001000u
#define BEHIND_TRIGGER 0xffffffff81002000u
#define PUT_ASIDE 0xffffffff81003000u
static const char kallsyms[] =
	"ffffffff81000000 T other\nffffffff81001000 T trigger\nffffffff81002000 T next\n"
	"ffffffff81003000 T preempt_schedule_notrace_thunk\nffffffff81004000 T preempt_schedule_thunk\n";

struct fixture {
	struct synth_log log;
	char text[MAX_FILES][32768];
	unsigned int nr;
	bool with_note, with_trigger;
	struct snapshot_check_opts opts;
	char report[65536];
};

static inline struct fixture *fixture(unsigned int nr)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		abort();
	f->nr = nr;
	f->log.nr_cpus = 2;
	f->opts.max_after = 10;
	return f;
}

/* Branches that are on a straight way from one to the next, each different; so many on @cpu. */
static inline unsigned int run_branches(struct fixture *f, unsigned int cpu, unsigned int n)
{
	unsigned int first = f->log.nr;

	for (unsigned int i = 0; i < n; i++) {
		uint64_t at = 0x1000 + 0x100 * (uint64_t)f->log.nr;

		synth__add(&f->log, cpu, 7, ORACLE_JMP, at, at + 0x80, BOTH);
	}
	return first;
}

static inline void note(struct fixture *f, unsigned int cpu)
{
	synth__add(&f->log, cpu, 7, ORACLE_MARK, 0x10, 0x12, 0)->nr = NOTE;
	f->opts.note = NOTE;
}

static inline void trigger(struct fixture *f, unsigned int cpu, uint32_t pid)
{
	synth__add(&f->log, cpu, pid, ORACLE_CALL, TRIGGER - 16, TRIGGER, BOTH);
	synth__add(&f->log, cpu, pid, ORACLE_JMP, TRIGGER + 8, TRIGGER + 4, BOTH);
	f->with_trigger = true;
}

static inline void text_line(struct fixture *f, unsigned int file, const char *line)
{
	strcat(f->text[file], line);
}

static inline void text_branch(struct fixture *f, unsigned int file, unsigned int cpu, uint64_t from,
			       uint64_t to)
{
	char line[128];

	snprintf(line, sizeof(line), "[%03u]    %16lx => %16lx\n", cpu, (unsigned long)from,
		 (unsigned long)to);
	text_line(f, file, line);
}

/* The file has what the log has traced from record @first to before @end. */
static inline void text_records(struct fixture *f, unsigned int file, unsigned int first, unsigned int end)
{
	for (unsigned int i = first; i < end; i++) {
		const struct oracle_record *rec = &f->log.rec[i];

		if (rec->flags & BOTH)
			text_branch(f, file, rec->cpu, rec->flags & ORACLE_TRACED_FROM ? rec->from : 0,
				    rec->flags & ORACLE_TRACED_TO ? rec->to : 0);
	}
}

static inline void load_symbols(struct fixture *f, struct symbols **syms)
{
	char path[32];

	synth__write_text(kallsyms, path);
	CHECK_EQ(symbols__load(path, syms), 0);
	unlink(path);
	f->opts.syms = f->opts.place.syms = *syms;
	if (f->with_trigger)
		CHECK_EQ(address_list__add(&f->opts.place.functions, TRIGGER), 0);
}

/* Runs the check; the report stays in the fixture. */
static inline int run(struct fixture *f)
{
	_cleanup_oracle_log_ struct oracle_log *log = NULL;
	_cleanup_symbols_ struct symbols *syms = NULL;
	struct snapshot_file *files = NULL;
	char log_path[32], paths[MAX_FILES][32], names[32], *path_of[MAX_FILES];
	int ret = -1;

	load_symbols(f, &syms);
	synth__write(&f->log, log_path);
	synth__write_text("A\nB\nC\nD\n", names);
	for (unsigned int i = 0; i < f->nr; i++) {
		synth__write_text(f->text[i], paths[i]);
		path_of[i] = paths[i];
	}
	f->opts.out = fmemopen(f->report, sizeof(f->report), "w");
	if (!oracle_log__open(log_path, 0, &log) && !snapshot_files__load(path_of, f->nr, names, &files))
		ret = snapshot_check__run(log, files, f->nr, &f->opts);
	fclose(f->opts.out);
	snapshot_files__free(files, f->nr);
	unlink(log_path);
	unlink(names);
	for (unsigned int i = 0; i < f->nr; i++)
		unlink(paths[i]);
	free(f->opts.place.functions.val);
	return ret;
}

/* The check's answer and a text of its report; the fixture ends. */
static inline void expect(struct fixture *f, int wanted, const char *text)
{
	bool ok = CHECK_EQ(run(f), wanted);

	if (!CHECK(strstr(f->report, text)) || !ok)
		fprintf(stderr, "no \"%s\" in:\n%s", text, f->report);
	free(f);
}

#endif
