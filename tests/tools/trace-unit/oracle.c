// SPDX-License-Identifier: GPL-2.0-only
#include "oracle.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK 4096u /* records buffered per vCPU */
#define MAX_MARKED 64u

/* Filled by one vCPU; emptied by it, by oracle__stop() or by oracle__close(). */
struct chunk {
	pthread_mutex_t lock;
	struct oracle_record records[1 + CHUNK]; /* the head first, which is set as the chunk is written */
	unsigned int count;
};

/* A task that said whether more is logged of it than what is traced. Its struct may come to be another's. */
struct marked_task {
	uint64_t task;
	uint32_t pid;
	atomic_bool quiet;
};

struct oracle {
	int fd;
	pthread_mutex_t file_lock;
	atomic_bool logging;
	atomic_bool traced_only; /* not ORACLE_START_ALL */
	atomic_bool no_branches; /* ORACLE_START_UNITS */
	atomic_uint epoch;	 /* how often logging was started */
	_Atomic uint64_t symbols[ORACLE_SYM_NR];
	atomic_uint first_loud;		       /* tasks with a lower id are quiet */
	struct marked_task marked[MAX_MARKED]; /* each is filled before nr_marked counts it */
	atomic_uint nr_marked;
	unsigned int nr_cpus;
	struct chunk chunks[];
};

static void write_all(struct oracle *oracle, const void *data, size_t size)
{
	const char *at = data;

	pthread_mutex_lock(&oracle->file_lock);
	while (size && oracle->fd >= 0) {
		ssize_t done = write(oracle->fd, at, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			fprintf(stderr, "oracle log: %s: the log ends here\n", strerror(errno));
			close(oracle->fd);
			oracle->fd = -1;
			break;
		}
		at += done;
		size -= (size_t)done;
	}
	pthread_mutex_unlock(&oracle->file_lock);
}

/* The chunk's lock is held. */
static void flush_chunk(struct oracle *oracle, struct chunk *chunk)
{
	if (!chunk->count)
		return;
	chunk->records[0] = oracle_chunk__head(chunk->records + 1, chunk->count);
	write_all(oracle, chunk->records, (1 + chunk->count) * sizeof(*chunk->records));
	chunk->count = 0;
}

static void flush_all(struct oracle *oracle)
{
	for (unsigned int i = 0; i < oracle->nr_cpus; i++) {
		pthread_mutex_lock(&oracle->chunks[i].lock);
		flush_chunk(oracle, &oracle->chunks[i]);
		pthread_mutex_unlock(&oracle->chunks[i].lock);
	}
}

int oracle__open(const char *path, unsigned int nr_cpus, bool all, struct oracle **oracle)
{
	struct oracle_header header = {.record_size = sizeof(struct oracle_record), .nr_cpus = nr_cpus};
	struct oracle *o = calloc(1, sizeof(*o) + nr_cpus * sizeof(o->chunks[0]));

	if (!o)
		return -ENOMEM;
	o->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (o->fd < 0) {
		free(o);
		return -errno;
	}
	o->nr_cpus = nr_cpus;
	pthread_mutex_init(&o->file_lock, NULL);
	for (unsigned int i = 0; i < nr_cpus; i++)
		pthread_mutex_init(&o->chunks[i].lock, NULL);
	memcpy(header.magic, ORACLE_MAGIC, sizeof(header.magic));
	write_all(o, &header, sizeof(header));
	if (all)
		oracle__start(o, ORACLE_START_ALL, 0);
	*oracle = o;
	return 0;
}

void oracle__close(struct oracle *oracle)
{
	if (!oracle)
		return;
	oracle__stop(oracle);
	pthread_mutex_lock(&oracle->file_lock);
	if (oracle->fd >= 0)
		close(oracle->fd);
	oracle->fd = -1;
	pthread_mutex_unlock(&oracle->file_lock);
	/* Not freed: a vCPU thread may still be in a callback when QEMU exits. */
}

bool oracle__logging(const struct oracle *oracle)
{
	return oracle && atomic_load_explicit(&oracle->logging, memory_order_relaxed);
}

void oracle__start(struct oracle *oracle, enum oracle_start what, uint32_t first_loud)
{
	if (!oracle)
		return;
	atomic_store(&oracle->traced_only, what != ORACLE_START_ALL);
	atomic_store(&oracle->no_branches, what == ORACLE_START_UNITS);
	if (oracle__logging(oracle))
		return;
	atomic_store(&oracle->first_loud, first_loud);
	atomic_store(&oracle->nr_marked, 0);
	atomic_fetch_add(&oracle->epoch, 1);
	atomic_store(&oracle->logging, true);
}

/* A task's pid or tgid. */
static uint32_t read_id(const struct oracle *oracle, const struct guest *guest, uint64_t task,
			enum oracle_symbol which)
{
	uint64_t offset = oracle__symbol(oracle, which);
	uint32_t pid = 0;

	if (!task || !offset || guest__read_kernel(guest, task + offset, &pid, sizeof(pid)) < 0)
		return 0;
	return pid;
}

/* With 0 for the task, whichever has this id: of a process that lives, its first thread alone. */
static struct marked_task *find_marked(struct oracle *oracle, uint64_t task, uint32_t pid)
{
	unsigned int count = atomic_load_explicit(&oracle->nr_marked, memory_order_acquire);

	for (unsigned int i = 0; i < count; i++)
		if ((!task || oracle->marked[i].task == task) && oracle->marked[i].pid == pid)
			return &oracle->marked[i];
	return NULL;
}

static bool is_quiet(struct oracle *oracle, uint64_t task, uint32_t pid, uint32_t tgid)
{
	struct marked_task *marked = find_marked(oracle, task, pid);

	if (!marked && tgid && pid != tgid)
		marked = find_marked(oracle, 0, tgid);
	if (marked)
		return atomic_load(&marked->quiet);
	return pid < atomic_load_explicit(&oracle->first_loud, memory_order_relaxed);
}

static bool wants_untraced(const struct oracle *oracle)
{
	return oracle__logging(oracle) && !atomic_load_explicit(&oracle->traced_only, memory_order_relaxed);
}

bool oracle__wants_all(const struct oracle *oracle, const struct oracle_cpu *cpu)
{
	if (!wants_untraced(oracle))
		return false;
	/* Until oracle__sync() the task, and whether it is quiet, is that of an earlier log. */
	return !cpu->quiet || cpu->epoch != atomic_load_explicit(&oracle->epoch, memory_order_relaxed);
}

void oracle__set_quiet(struct oracle *oracle, struct oracle_cpu *cpu, bool quiet)
{
	struct marked_task *marked;
	unsigned int count;

	if (!oracle__logging(oracle) || cpu->quiet == quiet)
		return;
	pthread_mutex_lock(&oracle->file_lock);
	marked = find_marked(oracle, cpu->task, cpu->pid);
	count = atomic_load(&oracle->nr_marked);
	if (marked) {
		atomic_store(&marked->quiet, quiet);
		cpu->quiet = quiet;
	} else if (count < MAX_MARKED) {
		oracle->marked[count].task = cpu->task;
		oracle->marked[count].pid = cpu->pid;
		atomic_store(&oracle->marked[count].quiet, quiet);
		atomic_store_explicit(&oracle->nr_marked, count + 1, memory_order_release);
		cpu->quiet = quiet;
	}
	pthread_mutex_unlock(&oracle->file_lock);
}

void oracle__stop(struct oracle *oracle)
{
	if (!oracle)
		return;
	atomic_store(&oracle->logging, false);
	flush_all(oracle);
}

bool oracle__set_symbol(struct oracle *oracle, uint64_t which, uint64_t value)
{
	return oracle && which < ORACLE_SYM_NR && atomic_exchange(&oracle->symbols[which], value) != value;
}

uint64_t oracle__symbol(const struct oracle *oracle, enum oracle_symbol which)
{
	return oracle ? atomic_load_explicit(&oracle->symbols[which], memory_order_relaxed) : 0;
}

static void put(struct oracle *oracle, const struct oracle_record *record)
{
	struct chunk *chunk = &oracle->chunks[record->cpu];

	pthread_mutex_lock(&chunk->lock);
	if (oracle__logging(oracle))
		chunk->records[1 + chunk->count++] = *record;
	if (chunk->count == CHUNK)
		flush_chunk(oracle, chunk);
	pthread_mutex_unlock(&chunk->lock);
}

static void set_task(struct oracle *oracle, struct oracle_cpu *cpu, const struct guest *guest, uint64_t task)
{
	cpu->task = task;
	cpu->pid = read_id(oracle, guest, task, ORACLE_SYM_TASK_PID);
	cpu->quiet = is_quiet(oracle, task, cpu->pid, read_id(oracle, guest, task, ORACLE_SYM_TASK_TGID));
}

void oracle__sync(struct oracle *oracle, struct oracle_cpu *cpu, const struct guest *guest)
{
	uint64_t variable, task = 0;
	unsigned int epoch;

	if (!oracle__logging(oracle))
		return;
	epoch = atomic_load_explicit(&oracle->epoch, memory_order_relaxed);
	if (cpu->epoch == epoch)
		return;
	cpu->epoch = epoch;
	variable = oracle__symbol(oracle, ORACLE_SYM_CURRENT_TASK);
	if (variable &&
	    guest__read_kernel(guest, guest__per_cpu_base(guest) + variable, &task, sizeof(task)) < 0)
		task = 0;
	set_task(oracle, cpu, guest, task);
}

static uint8_t context_flags(const struct flow_context *context)
{
	return (uint8_t)((guest__is_compat(context) ? ORACLE_COMPAT : 0) |
			 (guest__is_user(context) ? ORACLE_USER_FROM : 0));
}

void oracle__note(struct oracle *oracle, const struct oracle_cpu *cpu, enum oracle_kind kind, uint64_t from,
		  uint64_t to, uint32_t nr, const struct flow_context *context, uint8_t flags)
{
	struct oracle_record record = {
		.tsc = guest__clock(),
		.from = from,
		.to = to,
		.task = cpu->task,
		.pid = cpu->pid,
		.nr = nr,
		.cpu = cpu->cpu,
		.kind = (uint8_t)kind,
		.flags = (uint8_t)(flags | context_flags(context)),
	};

	if (oracle__logging(oracle))
		put(oracle, &record);
}

void oracle__transfer(struct oracle *oracle, const struct oracle_cpu *cpu, const struct flow_transfer *t,
		      enum oracle_kind kind, uint32_t nr, uint8_t flags)
{
	if (!t->taken || (!flags && !oracle__wants_all(oracle, cpu)))
		return;
	if (atomic_load_explicit(&oracle->no_branches, memory_order_relaxed))
		return;
	oracle__note(oracle, cpu, kind, t->from, t->to, nr, &t->before, flags);
}

void oracle__switch(struct oracle *oracle, struct oracle_cpu *cpu, const struct guest *guest, uint64_t ip)
{
	const struct flow_context kernel = guest__context(guest);

	if (!oracle__logging(oracle))
		return;
	cpu->epoch = atomic_load_explicit(&oracle->epoch, memory_order_relaxed);
	set_task(oracle, cpu, guest, guest__next_task(guest));
	oracle__note(oracle, cpu, ORACLE_SWITCH, ip, ip, 0, &kernel, 0);
}
