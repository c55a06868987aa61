// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_bench DIR MIB: measures what it costs to write so many MiB of trace into a file in DIR, beside cp(1)
 * of that file: as --stream does it, from a buffer that this program fills in place of a trace unit, and as a
 * snapshot is written that was copied. They take turns. A line is "WHAT WHO NUMBER": the time it took and the
 * CPU time, in ns.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "capture/capture_events.h"
#include "session/stream.h"
#include "session/stream_cpu.h"
#include "snapshot/snapshot_cut.h"

#define ROUNDS 15
#define BUFFER (4u << 20)
#define PART (BUFFER / 4) /* so many bytes wake the reader */
#define PSB_PERIOD 16384

static struct trace_event event = {
	.pmu = {.ops = &intel_pt_ops, .root = "", .type = 8},
	.exclude_kernel = true, /* otherwise the kernel's code would be copied */
	.exclude_user = true,	/* otherwise the programs would be copied */
	.name = "intel_pt//",
};

struct bench {
	const char *dir;
	char *path, *copy;
	size_t size;
	struct capture_opts opts;
	struct cpu_trace cpu;
	struct capture_file *file, *synced;
};

struct cost {
	uint64_t time, cpu;
};

static uint64_t cpu_time(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

static struct cost now(int who)
{
	return (struct cost){clock__ns(CLOCK_MONOTONIC), cpu_time(who)};
}

static void report(const char *what, const char *who, const struct cost *from, const struct cost *to)
{
	printf("%s-time %s %llu\n", what, who, (unsigned long long)(to->time - from->time));
	printf("%s-cpu %s %llu\n", what, who, (unsigned long long)(to->cpu - from->cpu));
}

static void *memory(size_t len, int flags)
{
	void *mem = mmap(NULL, len, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return mem == MAP_FAILED ? NULL : mem;
}

/* Fills the buffer with packets, and a PSB at regular distances. */
static void fill(uint8_t *to, size_t len)
{
	static const uint8_t tip[] = {0xcd, 1, 2, 3, 4, 5, 6}, end[] = {0x02, 0x23};
	uint8_t psb[24];

	for (size_t i = 0; i < 16; i++)
		psb[i] = i % 2 ? 0x82 : 0x02;
	memcpy(psb + 16, &(uint64_t){(uint64_t)1 << 40 | 0x19}, 8);
	for (size_t i = 0; i + sizeof(tip) <= len; i += sizeof(tip))
		memcpy(to + i, tip, sizeof(tip));
	for (size_t i = 0; i + PSB_PERIOD <= len; i += PSB_PERIOD) {
		memcpy(to + i, psb, sizeof(psb));
		memcpy(to + i + sizeof(psb), end, sizeof(end));
	}
}

static int map_ring(struct bench *b)
{
	struct ring *ring = &b->cpu.ring;
	uint8_t *aux = memory(BUFFER, MAP_SHARED);

	ring->page = memory(4096, MAP_SHARED);
	ring->data = memory(4096, MAP_SHARED);
	if (!ring->page || !ring->data || !aux)
		return -ENOMEM;
	fill(aux, BUFFER);
	ring->data_size = 4096;
	ring->aux = aux;
	ring->aux_size = ring->page->aux_size = BUFFER;
	return 0;
}

/* Plays the trace unit, which only moves the head, and streams all. */
static int stream_all(struct bench *b, struct stream_cpu *c)
{
	struct perf_event_mmap_page *page = b->cpu.ring.page;
	int err = 0;

	page->aux_head = page->aux_tail = 0;
	while (!err && page->aux_head < b->size) {
		page->aux_head += PART;
		err = stream_cpu__read(c, true);
	}
	return err;
}

static int describe(struct bench *b, struct capture_events *desc)
{
	int err = capture_events__init(desc, &b->opts, 1, 1);

	if (!err)
		capture_events__set_cpu(desc, 0, 0, &(struct capture_event_ids){1, 2, NULL});
	return err;
}

static int write_stream(struct bench *b)
{
	_cleanup_(cleanup__capture_stream) struct capture_stream *file = NULL;
	_cleanup_(capture_events__release) struct capture_events desc = {0};
	struct stream_cpu cpu = {.trace = &b->cpu, .ops = &intel_pt_ops, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct cost from, to;
	uint64_t bytes;
	int err = describe(b, &desc);

	if (!err)
		err = capture_stream__new(b->file, NULL, &desc.desc, &file);
	cpu.file = file;
	from = now(RUSAGE_SELF);
	if (!err)
		err = stream_all(b, &cpu);
	to = now(RUSAGE_SELF);
	if (!err)
		err = capture_stream__finish(file, &bytes);
	report("stream", "auxbpf", &from, &to);
	return err;
}

static int write_snapshot_to(struct bench *b, struct capture_file *file, const char *what, const char *who)
{
	_cleanup_(cleanup__snapshot_job) struct snapshot_job *job = NULL;
	_cleanup_(cleanup__snapshot_cut) struct snapshot_cut *cut = NULL;
	struct cpu_trace cpu = {.ring = {.aux_size = b->size}, .copies_aux = true};
	const struct cpu_traces traces = {.cpus = &cpu, .nr = 1, .nr_all = 1};
	struct cost from, to;
	uint64_t bytes;
	int err = snapshot_job__new(&traces, false, &job);

	if (!err)
		err = snapshot_job__map(job);
	if (!err)
		err = snapshot_cut__new(&intel_pt_ops, 1, true, 0, &cut);
	if (err)
		return err;
	fill(job->mem, b->size);
	job->snapshot.cpus[0].aux.data[0] = (struct span){job->mem, b->size};
	from = now(RUSAGE_SELF);
	err = snapshot_cut__apply(cut, job);
	if (!err)
		err = snapshot__write(&b->opts, file, NULL, &job->snapshot, &bytes);
	to = now(RUSAGE_SELF);
	report(what, who, &from, &to);
	return err;
}

static int write_snapshot(struct bench *b)
{
	return write_snapshot_to(b, b->file, "snapshot", "auxbpf");
}

/* Runs a program until it has ended. */
static int run_program(char *const argv[])
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	return pid < 0 || waitpid(pid, &status, 0) < 0 || status ? -ECHILD : 0;
}

/* Copies the capture with cp; nearly all of it is trace. */
static int copy(struct bench *b, const char *what)
{
	char *const argv[] = {(char[]){"cp"}, (char[]){"-r"}, b->path, b->copy, NULL};
	struct cost from = now(RUSAGE_CHILDREN), to;
	int err = run_program(argv);

	to = now(RUSAGE_CHILDREN);
	if (!err)
		report(what, "cp", &from, &to);
	return err;
}

/* Writes a file and copies it. Both are removed, so that nothing is overwritten and nothing is left. */
static int round_of(struct bench *b, const char *what, int (*write)(struct bench *b))
{
	char *const argv[] = {(char[]){"rm"}, (char[]){"-rf"}, b->path, b->copy, NULL};
	int err = write(b), removed;

	if (!err)
		err = copy(b, what);
	removed = run_program(argv);
	return err ? err : removed;
}

/* Writes a snapshot with its syncs and one without: the difference is what it costs to survive a power cut. */
static int round_of_syncs(struct bench *b)
{
	char *const argv[] = {(char[]){"rm"}, (char[]){"-rf"}, b->path, NULL};
	int err = write_snapshot_to(b, b->synced, "synced", "auxbpf");

	if (!err)
		err = run_program(argv);
	if (!err)
		err = write_snapshot_to(b, b->file, "synced", "no-sync");
	return err ? err : run_program(argv);
}

static int run(struct bench *b)
{
	static char *const cmdline[] = {NULL};
	static const struct stream_opts stream;
	int err = map_ring(b);

	b->opts = (struct capture_opts){
		.root = "",
		.event = &event,
		.output = b->path,
		.aux_size = BUFFER,
		.cmdline = cmdline,
		.stream = &stream,
		.no_sync = true, /* cp does not sync either */
	};
	if (!err)
		err = snapshot__prepare(&b->opts, AT_FDCWD, b->path, (int[]){0}, 0, &b->file);
	b->opts.no_sync = false;
	if (!err)
		err = snapshot__prepare(&b->opts, AT_FDCWD, b->path, (int[]){0}, 0, &b->synced);
	for (int i = 0; !err && i < ROUNDS; i++) {
		err = round_of(b, "stream", write_stream);
		if (!err)
			err = round_of(b, "snapshot", write_snapshot);
		if (!err)
			err = round_of_syncs(b);
	}
	capture_file__free(b->synced);
	capture_file__free(b->file);
	return err;
}

int main(int argc, char **argv)
{
	struct bench b = {.dir = argc > 1 ? argv[1] : ".",
			  .size = (argc > 2 ? strtoul(argv[2], NULL, 10) : 64) << 20};
	int err = -ENOMEM;

	if (asprintf(&b.path, "%s/written", b.dir) >= 0 && asprintf(&b.copy, "%s/copied", b.dir) >= 0)
		err = run(&b);
	if (err)
		log_err("write_bench: %s", strerror(-err));
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
