// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

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

/* The places of the heads of all chunks, in their order. */
struct heads {
	uint64_t *at;
	uint64_t nr;
	uint64_t cap;
};

/* What is to be read, by the TSC. */
struct phase {
	uint64_t first, last;
};

struct oracle_log {
	const char *path; /* for messages, while it is opened */
	struct mapped_file file;
	const struct oracle_record *records; /* heads of chunks among them */
	uint64_t nr_records;
	unsigned int nr_cpus;
	struct heads heads;
	struct runs *cpus;
};

static int runs__add(struct runs *runs, uint64_t first, uint64_t count)
{
	if (runs->nr == runs->cap) {
		uint64_t cap = runs->cap ? 2 * runs->cap : 16;
		struct run *run = realloc(runs->run, cap * sizeof(*run));

		if (!run)
			return -ENOMEM;
		runs->run = run;
		runs->cap = cap;
	}
	runs->run[runs->nr++] = (struct run){.first = first, .count = count};
	return 0;
}

static int heads__add(struct heads *heads, uint64_t at)
{
	if (heads->nr == heads->cap) {
		uint64_t cap = heads->cap ? 2 * heads->cap : 64;
		uint64_t *mem = realloc(heads->at, cap * sizeof(*mem));

		if (!mem)
			return -ENOMEM;
		heads->at = mem;
		heads->cap = cap;
	}
	heads->at[heads->nr++] = at;
	return 0;
}

static int say_invalid(const struct oracle_log *log, const char *what)
{
	fprintf(stderr, "oracle-check: %s: %s\n", log->path, what);
	return -EINVAL;
}

/* Goes from head to head. Readahead would read what is between them. */
static int oracle_log__find_heads(struct oracle_log *log)
{
	mapped_file__expect(&log->file, MADV_RANDOM);
	for (uint64_t at = 0; at < log->nr_records; at += 1 + (uint64_t)log->records[at].nr) {
		const struct oracle_record *head = &log->records[at];

		if (head->kind != ORACLE_CHUNK)
			return say_invalid(log, "a chunk has no head");
		if (head->nr >= log->nr_records - at)
			return say_invalid(log, "ends inside a chunk; the guest did not end cleanly");
		if (heads__add(&log->heads, at))
			return -ENOMEM;
		if (head->cpu >= log->nr_cpus)
			return say_invalid(log, "a chunk is of a CPU that the header does not know");
	}
	mapped_file__expect(&log->file, MADV_SEQUENTIAL);
	return 0;
}

static bool phase__has(const struct phase *phase, uint64_t tsc)
{
	return tsc >= phase->first && tsc <= phase->last;
}

/* Adds those records of a chunk that are in the phase. */
static int oracle_log__add_chunk(struct oracle_log *log, uint64_t head, const struct phase *phase)
{
	uint64_t end = head + log->records[head].nr;
	struct runs *runs = &log->cpus[log->records[head].cpu];
	uint64_t count = 0;
	int err = 0;

	for (uint64_t i = head + 1; !err && i <= end; i++) {
		if (log->records[i].cpu != log->records[head].cpu)
			return say_invalid(log, "a record is in a chunk of another CPU");
		if (phase__has(phase, log->records[i].tsc)) {
			count++;
		} else if (count) {
			err = runs__add(runs, i - count, count);
			count = 0;
		}
	}
	if (!err && count)
		err = runs__add(runs, end + 1 - count, count);
	return err;
}

static int oracle_log__add_chunks(struct oracle_log *log, const struct phase *phase)
{
	int err = 0;

	for (uint64_t i = 0; i < log->heads.nr && !err; i++) {
		const struct oracle_record *head = &log->records[log->heads.at[i]];

		if (head->tsc <= phase->last && head->to >= phase->first)
			err = oracle_log__add_chunk(log, log->heads.at[i], phase);
	}
	return err;
}

/* The TSC of the first mark @nr that is not before @tsc. */
static bool oracle_log__find_mark(const struct oracle_log *log, uint32_t nr, uint64_t tsc, uint64_t *ret)
{
	bool found = false;

	for (uint64_t i = 0; i < log->heads.nr; i++) {
		const struct oracle_record *head = &log->records[log->heads.at[i]];

		if (!head->from || head->to < tsc || (found && head->tsc >= *ret))
			continue;
		for (const struct oracle_record *rec = head + 1; rec <= head + head->nr; rec++) {
			if (rec->kind != ORACLE_MARK || rec->nr != nr || rec->tsc < tsc ||
			    (found && rec->tsc >= *ret))
				continue;
			*ret = rec->tsc;
			found = true;
		}
	}
	return found;
}

/* STOP may stand before NOTE in the file: each CPU's records are written when they make a chunk. */
static int oracle_log__find_phase(const struct oracle_log *log, uint32_t note, struct phase *ret)
{
	*ret = (struct phase){.last = UINT64_MAX};
	if (!note)
		return 0;
	if (oracle_log__find_mark(log, note, 0, &ret->first) &&
	    oracle_log__find_mark(log, ORACLE_MARK_STOP, ret->first, &ret->last))
		return 0;
	fprintf(stderr, "oracle-check: %s: the log has no mark %u with a STOP after it\n", log->path, note);
	return -ENOENT;
}

static int oracle_log__check_format(const struct oracle_log *log)
{
	const struct oracle_header *hdr = log->file.data;

	if (log->file.size < sizeof(*hdr) || memcmp(hdr->magic, ORACLE_MAGIC, sizeof(hdr->magic)))
		return say_invalid(log, "no oracle log, or of another version of the trace unit");
	if (hdr->record_size != sizeof(struct oracle_record))
		return say_invalid(log,
				   "records of another size; another version of the trace unit wrote it");
	if (!hdr->nr_cpus || hdr->nr_cpus > UINT16_MAX)
		return say_invalid(log, "impossible number of CPUs");
	if ((log->file.size - sizeof(*hdr)) % sizeof(struct oracle_record))
		return say_invalid(log, "ends inside a record; the guest did not end cleanly");
	return 0;
}

static int oracle_log__map(struct oracle_log *log)
{
	const struct oracle_header *hdr;
	int err = mapped_file__open(&log->file, log->path);

	if (!err)
		err = oracle_log__check_format(log);
	if (err)
		return err;
	hdr = log->file.data;
	log->records = (const struct oracle_record *)(hdr + 1);
	log->nr_records = (log->file.size - sizeof(*hdr)) / sizeof(struct oracle_record);
	log->nr_cpus = hdr->nr_cpus;
	log->cpus = calloc(log->nr_cpus, sizeof(*log->cpus));
	return log->cpus ? 0 : -ENOMEM;
}

int oracle_log__open(const char *path, uint32_t note, struct oracle_log **ret)
{
	_cleanup_oracle_log_ struct oracle_log *log = calloc(1, sizeof(*log));
	struct phase phase;
	int err;

	if (!log)
		return -ENOMEM;
	log->path = path;
	err = oracle_log__map(log);
	if (!err)
		err = oracle_log__find_heads(log);
	if (!err)
		err = oracle_log__find_phase(log, note, &phase);
	if (!err)
		err = oracle_log__add_chunks(log, &phase);
	if (!err)
		*ret = steal_ptr(log);
	return err;
}

void oracle_log__free(struct oracle_log *log)
{
	if (!log)
		return;
	for (unsigned int cpu = 0; log->cpus && cpu < log->nr_cpus; cpu++)
		free(log->cpus[cpu].run);
	free(log->cpus);
	free(log->heads.at);
	mapped_file__release(&log->file);
	free(log);
}

unsigned int oracle_log__nr_cpus(const struct oracle_log *log)
{
	return log->nr_cpus;
}

uint64_t oracle_log__index(const struct oracle_log *log, const struct oracle_record *rec)
{
	uint64_t at = (uint64_t)(rec - log->records), low = 0, high = log->heads.nr;

	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (log->heads.at[mid] < at)
			low = mid + 1;
		else
			high = mid;
	}
	return at - low;
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
