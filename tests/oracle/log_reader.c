// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "log_reader.h"
#include "mapped_file.h"

/* Records of one CPU that follow each other in the file. */
struct run {
	uint64_t first;
	uint64_t count;
};

struct runs {
	struct run *run;
	uint64_t nr;
	uint64_t cap;
};

struct oracle_log {
	struct mapped_file file;
	const struct oracle_record *records;
	uint64_t nr_records;
	unsigned int nr_cpus;
	struct runs *cpus;
	uint64_t first_tsc, last_tsc; /* records outside are left out */
};

static int runs__add(struct runs *runs, uint64_t first)
{
	if (runs->nr == runs->cap) {
		uint64_t cap = runs->cap ? 2 * runs->cap : 16;
		struct run *run = realloc(runs->run, cap * sizeof(*run));

		if (!run)
			return -ENOMEM;
		runs->run = run;
		runs->cap = cap;
	}
	runs->run[runs->nr++] = (struct run){.first = first, .count = 1};
	return 0;
}

static int oracle_log__check_cpus(const struct oracle_log *log, const char *path)
{
	for (uint64_t i = 0; i < log->nr_records; i++) {
		if (log->records[i].cpu < log->nr_cpus)
			continue;
		fprintf(stderr, "oracle-check: %s: record %lu is of CPU %u, the header says %u CPUs\n", path,
			(unsigned long)i, log->records[i].cpu, log->nr_cpus);
		return -EINVAL;
	}
	return 0;
}

/* Where in the file the records of each CPU are. */
static int oracle_log__index_cpus(struct oracle_log *log)
{
	unsigned int last = log->nr_cpus;

	for (uint64_t i = 0; i < log->nr_records; i++) {
		const struct oracle_record *rec = &log->records[i];

		if (rec->tsc < log->first_tsc || rec->tsc > log->last_tsc) {
			last = log->nr_cpus;
			continue;
		}
		if (rec->cpu == last) {
			log->cpus[rec->cpu].run[log->cpus[rec->cpu].nr - 1].count++;
			continue;
		}
		if (runs__add(&log->cpus[rec->cpu], i))
			return -ENOMEM;
		last = rec->cpu;
	}
	return 0;
}

static int oracle_log__check_format(const struct mapped_file *file, const char *path)
{
	const struct oracle_header *hdr = file->data;
	const char *what = NULL;

	if (file->size < sizeof(*hdr) || memcmp(hdr->magic, ORACLE_MAGIC, sizeof(hdr->magic)))
		what = "not an oracle log";
	else if (hdr->record_size != sizeof(struct oracle_record))
		what = "records of another size; written by another version of the trace unit";
	else if (!hdr->nr_cpus || hdr->nr_cpus > UINT16_MAX)
		what = "impossible number of CPUs";
	else if ((file->size - sizeof(*hdr)) % sizeof(struct oracle_record))
		what = "ends inside a record; the guest did not end cleanly";
	if (!what)
		return 0;
	fprintf(stderr, "oracle-check: %s: %s\n", path, what);
	return -EINVAL;
}

int oracle_log__open(const char *path, struct oracle_log **ret)
{
	_cleanup_oracle_log_ struct oracle_log *log = calloc(1, sizeof(*log));
	const struct oracle_header *hdr;
	int err;

	if (!log)
		return -ENOMEM;
	err = mapped_file__open(&log->file, path);
	if (!err)
		err = oracle_log__check_format(&log->file, path);
	if (err)
		return err;
	hdr = log->file.data;
	log->records = (const struct oracle_record *)(hdr + 1);
	log->nr_records = (log->file.size - sizeof(*hdr)) / sizeof(struct oracle_record);
	log->nr_cpus = hdr->nr_cpus;
	log->cpus = calloc(log->nr_cpus, sizeof(*log->cpus));
	if (!log->cpus)
		return -ENOMEM;
	log->last_tsc = UINT64_MAX;
	err = oracle_log__check_cpus(log, path);
	if (!err)
		err = oracle_log__index_cpus(log);
	if (!err)
		*ret = steal_ptr(log);
	return err;
}

/* The TSC of the first mark @nr that is not before @tsc. */
static bool oracle_log__find_mark(const struct oracle_log *log, uint32_t nr, uint64_t tsc, uint64_t *ret)
{
	bool found = false;

	for (uint64_t i = 0; i < log->nr_records; i++) {
		const struct oracle_record *rec = &log->records[i];

		if (rec->kind != ORACLE_MARK || rec->nr != nr || rec->tsc < tsc ||
		    (found && rec->tsc >= *ret))
			continue;
		*ret = rec->tsc;
		found = true;
	}
	return found;
}

int oracle_log__select_phase(struct oracle_log *log, uint32_t note)
{
	uint64_t first = 0, last = 0;

	if (!oracle_log__find_mark(log, note, 0, &first) ||
	    !oracle_log__find_mark(log, ORACLE_MARK_STOP, first, &last)) {
		fprintf(stderr, "oracle-check: the log has no mark %u with a STOP after it\n", note);
		return -ENOENT;
	}
	log->first_tsc = first;
	log->last_tsc = last;
	for (unsigned int cpu = 0; cpu < log->nr_cpus; cpu++)
		log->cpus[cpu].nr = 0;
	return oracle_log__index_cpus(log);
}

void oracle_log__free(struct oracle_log *log)
{
	if (!log)
		return;
	for (unsigned int cpu = 0; log->cpus && cpu < log->nr_cpus; cpu++)
		free(log->cpus[cpu].run);
	free(log->cpus);
	mapped_file__release(&log->file);
	free(log);
}

unsigned int oracle_log__nr_cpus(const struct oracle_log *log)
{
	return log->nr_cpus;
}

uint64_t oracle_log__nr_records(const struct oracle_log *log)
{
	return log->nr_records;
}

uint64_t oracle_log__index(const struct oracle_log *log, const struct oracle_record *rec)
{
	return (uint64_t)(rec - log->records);
}

struct oracle_record *oracle_log__edit(struct oracle_log *log, const struct oracle_record *rec)
{
	return (struct oracle_record *)(uintptr_t)rec;
}

void oracle_cursor__init(struct oracle_cursor *cur, const struct oracle_log *log, unsigned int cpu)
{
	*cur = (struct oracle_cursor){.log = log, .cpu = cpu};
}

const struct oracle_record *oracle_cursor__peek(const struct oracle_cursor *cur)
{
	const struct runs *runs = &cur->log->cpus[cur->cpu];

	return cur->run < runs->nr ? &cur->log->records[runs->run[cur->run].first + cur->at] : NULL;
}

const struct oracle_record *oracle_cursor__next(struct oracle_cursor *cur)
{
	const struct oracle_record *rec = oracle_cursor__peek(cur);

	if (rec && ++cur->at == cur->log->cpus[cur->cpu].run[cur->run].count) {
		cur->run++;
		cur->at = 0;
	}
	return rec;
}

int oracle_merge__init(struct oracle_merge *m, const struct oracle_log *log)
{
	m->nr_cpus = log->nr_cpus;
	m->cpus = calloc(log->nr_cpus, sizeof(*m->cpus));
	if (!m->cpus)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < log->nr_cpus; cpu++)
		oracle_cursor__init(&m->cpus[cpu], log, cpu);
	return 0;
}

const struct oracle_record *oracle_merge__next(struct oracle_merge *m)
{
	struct oracle_cursor *first = NULL;
	uint64_t tsc = 0;

	for (unsigned int cpu = 0; cpu < m->nr_cpus; cpu++) {
		const struct oracle_record *rec = oracle_cursor__peek(&m->cpus[cpu]);

		if (rec && (!first || rec->tsc < tsc)) {
			first = &m->cpus[cpu];
			tsc = rec->tsc;
		}
	}
	return first ? oracle_cursor__next(first) : NULL;
}

void oracle_merge__release(struct oracle_merge *m)
{
	free(m->cpus);
	m->cpus = NULL;
}

bool oracle_record__is_branch(const struct oracle_record *rec)
{
	return rec->kind >= ORACLE_JCC && rec->kind <= ORACLE_FAR_OTHER;
}

const char *oracle_record__kind_name(const struct oracle_record *rec)
{
	static const char *const names[] = {
		[ORACLE_JCC] = "JCC",
		[ORACLE_JMP] = "JMP",
		[ORACLE_CALL] = "CALL",
		[ORACLE_IND_JMP] = "IND_JMP",
		[ORACLE_IND_CALL] = "IND_CALL",
		[ORACLE_RET] = "RET",
		[ORACLE_SYSCALL] = "SYSCALL",
		[ORACLE_SYSRET] = "SYSRET",
		[ORACLE_IRET] = "IRET",
		[ORACLE_SWINT] = "SWINT",
		[ORACLE_EXCEPTION] = "EXCEPTION",
		[ORACLE_INTERRUPT] = "INTERRUPT",
		[ORACLE_FAR_OTHER] = "FAR_OTHER",
		[ORACLE_UNIT] = "UNIT",
		[ORACLE_MARK] = "MARK",
		[ORACLE_SWITCH] = "SWITCH",
		[ORACLE_LOST] = "LOST",
		[ORACLE_PASSED] = "PASSED",
	};

	return rec->kind < ARRAY_SIZE(names) && names[rec->kind] ? names[rec->kind] : "?";
}
