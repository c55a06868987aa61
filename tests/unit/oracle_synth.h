/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Synthetic input of the oracle checks' tests: an oracle log, perf's text and kallsyms, in temporary files.
 */
#ifndef TESTS_ORACLE_SYNTH_H
#define TESTS_ORACLE_SYNTH_H

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "oracle_log.h"

#define SYNTH_MAX 8192

struct synth_log {
	struct oracle_record rec[SYNTH_MAX];
	unsigned int nr;
	unsigned int nr_cpus;
	uint64_t tsc;
};

/* A record of the task at 0xffff888000000000 + pid * 0x4000; tasks with pid 0 are one per CPU. */
static inline struct oracle_record *synth__add(struct synth_log *log, unsigned int cpu, uint32_t pid,
					       enum oracle_kind kind, uint64_t from, uint64_t to,
					       unsigned int flags)
{
	struct oracle_record *rec = &log->rec[log->nr++];

	if (log->nr == SYNTH_MAX) {
		fputs("synthetic log too long\n", stderr);
		abort();
	}
	*rec = (struct oracle_record){
		.tsc = log->tsc += 10,
		.from = from,
		.to = to,
		.task = 0xffff888000000000 + (pid ? pid * 0x4000ull : cpu * 0x100ull),
		.pid = pid,
		.cpu = (uint16_t)cpu,
		.kind = (uint8_t)kind,
		.flags = (uint8_t)flags,
	};
	return rec;
}

static inline FILE *synth__create(char *path)
{
	int fd;

	strcpy(path, "/tmp/oracle-test-XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

static inline void synth__put(FILE *f, const void *data, size_t size)
{
	if (fwrite(data, size, 1, f) != 1)
		abort();
}

static inline void synth__put_header(FILE *f, unsigned int nr_cpus)
{
	struct oracle_header hdr = {.record_size = sizeof(struct oracle_record), .nr_cpus = nr_cpus};

	memcpy(hdr.magic, ORACLE_MAGIC, sizeof(hdr.magic));
	synth__put(f, &hdr, sizeof(hdr));
}

static inline void synth__put_chunk(FILE *f, const struct oracle_record *records, uint32_t nr)
{
	struct oracle_record head = oracle_chunk__head(records, nr);

	synth__put(f, &head, sizeof(head));
	synth__put(f, records, nr * sizeof(*records));
}

/* Writes the log to a new file, whose name goes to @path (of at least 32 bytes). Each change of the CPU begins a chunk. */
static inline void synth__write(const struct synth_log *log, char *path)
{
	FILE *f = synth__create(path);
	unsigned int first = 0;

	if (!f)
		abort();
	synth__put_header(f, log->nr_cpus);
	for (unsigned int i = 1; i <= log->nr; i++) {
		if (i < log->nr && log->rec[i].cpu == log->rec[first].cpu)
			continue;
		synth__put_chunk(f, log->rec + first, i - first);
		first = i;
	}
	if (fclose(f))
		abort();
}

static inline void synth__write_text(const char *text, char *path)
{
	FILE *f = synth__create(path);

	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

#endif
