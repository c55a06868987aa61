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

#include "pt_msr.h"

#define CHUNK 4096u /* records buffered per vCPU */
#define MAX_MARKED 64u

/* Filled by one vCPU; emptied by it, by oracle__stop() or by oracle__close(). */
struct chunk {
	pthread_mutex_t lock;
	struct oracle_record records[CHUNK];
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
	write_all(oracle, chunk->records, chunk->count * sizeof(*chunk->records));
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

static uint32_t read_pid(const struct oracle *oracle, uint64_t task)
{
	uint64_t offset = oracle__symbol(oracle, ORACLE_SYM_TASK_PID);
	uint32_t pid = 0;

	if (!task || !offset || guest__read_virtual(task + offset, &pid, sizeof(pid)) < 0)
		return 0;
	return pid;
}

static struct marked_task *find_marked(struct oracle *oracle, uint64_t task, uint32_t pid)
{
	unsigned int count = atomic_load_explicit(&oracle->nr_marked, memory_order_acquire);

	for (unsigned int i = 0; i < count; i++)
		if (oracle->marked[i].task == task && oracle->marked[i].pid == pid)
			return &oracle->marked[i];
	return NULL;
}

static bool is_quiet(struct oracle *oracle, uint64_t task, uint32_t pid)
{
	struct marked_task *marked = find_marked(oracle, task, pid);

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
		chunk->records[chunk->count++] = *record;
	if (chunk->count == CHUNK)
		flush_chunk(oracle, chunk);
	pthread_mutex_unlock(&chunk->lock);
}

static void set_task(struct oracle *oracle, struct oracle_cpu *cpu, uint64_t task)
{
	cpu->task = task;
	cpu->pid = read_pid(oracle, task);
	cpu->quiet = is_quiet(oracle, task, cpu->pid);
}

/* The kernel's per-CPU base is in GS while in the kernel, else swapped out. */
static uint64_t kernel_gs_base(const struct guest *guest)
{
	uint64_t base = guest__read(guest, GUEST_GS_BASE);

	return base >> 63 ? base : guest__read(guest, GUEST_K_GS_BASE);
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
	if (variable && guest__read_virtual(kernel_gs_base(guest) + variable, &task, sizeof(task)) < 0)
		task = 0;
	set_task(oracle, cpu, task);
}

bool oracle__traced(const struct pt_registers *registers, uint64_t ip, const struct flow_context *context)
{
	const uint64_t needed =
		RTIT_CTL_TRACEEN | RTIT_CTL_BRANCHEN | (context->cpl == 0 ? RTIT_CTL_OS : RTIT_CTL_USER);
	bool filtered = false, inside = false;

	if ((registers->ctl & needed) != needed)
		return false;
	if (registers->status & (RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED))
		return false;
	if ((registers->ctl & RTIT_CTL_CR3FILTER) &&
	    (registers->cr3_match & ~0x1full) != (context->cr3 & ~0x1full))
		return false;
	for (unsigned int i = 0; i < PT_NR_RANGES; i++) {
		if ((registers->ctl >> (32 + 4 * i) & 0xf) != RTIT_ADDR_CFG_FILTER)
			continue;
		filtered = true;
		inside |= registers->range[i][0] <= ip && ip <= registers->range[i][1];
	}
	return inside || !filtered;
}

static enum oracle_kind kind_of_branch(enum x86_class class)
{
	switch (class) {
	case X86_JCC:
		return ORACLE_JCC;
	case X86_JMP:
		return ORACLE_JMP;
	case X86_CALL:
		return ORACLE_CALL;
	case X86_IND_JMP:
		return ORACLE_IND_JMP;
	case X86_IND_CALL:
		return ORACLE_IND_CALL;
	case X86_RET:
		return ORACLE_RET;
	case X86_SYSCALL:
		return ORACLE_SYSCALL;
	case X86_SYSRET:
		return ORACLE_SYSRET;
	case X86_IRET:
		return ORACLE_IRET;
	case X86_SWINT:
		return ORACLE_SWINT;
	case X86_FAR_JMP:
	case X86_FAR_CALL:
	case X86_FAR_RET:
	case X86_OTHER:
	case X86_CPUID:
	case X86_RDTSC:
	case X86_RDPMC:
	case X86_RDMSR:
	case X86_WRMSR:
	case X86_MOV_TO_CR3:
	case X86_LIDT:
		break;
	}
	return ORACLE_FAR_OTHER;
}

static enum oracle_kind kind_of(const struct flow_transfer *t, int vector)
{
	if (t->kind == FLOW_BRANCH || t->insn.class == X86_SWINT)
		return kind_of_branch(t->insn.class);
	/* Vectors below 32 are the CPU's own; 2 is NMI. */
	return vector >= 0 && vector < 32 && vector != 2 ? ORACLE_EXCEPTION : ORACLE_INTERRUPT;
}

static uint8_t context_flags(const struct flow_context *context)
{
	return (uint8_t)((context->mode == X86_MODE_32 ? ORACLE_COMPAT : 0) |
			 (context->cpl == 3 ? ORACLE_USER_FROM : 0));
}

void oracle__note(struct oracle *oracle, const struct oracle_cpu *cpu, enum oracle_kind kind, uint64_t from,
		  uint64_t to, uint32_t nr, const struct flow_context *context, uint8_t flags)
{
	struct oracle_record record = {
		.tsc = guest__tsc(),
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
		      uint8_t flags, int vector)
{
	uint32_t nr = t->nr;

	if (t->kind == FLOW_EVENT && t->insn.class != X86_SWINT)
		nr = vector > 0 ? (uint32_t)vector : 0;
	if (!t->taken || (!flags && !oracle__wants_all(oracle, cpu)))
		return;
	if (atomic_load_explicit(&oracle->no_branches, memory_order_relaxed))
		return;
	oracle__note(oracle, cpu, kind_of(t, vector), t->from, t->to, nr, &t->before, flags);
}

void oracle__switch(struct oracle *oracle, struct oracle_cpu *cpu, const struct guest *guest, uint64_t ip)
{
	const struct flow_context kernel = {.mode = X86_MODE_64};

	if (!oracle__logging(oracle))
		return;
	cpu->epoch = atomic_load_explicit(&oracle->epoch, memory_order_relaxed);
	set_task(oracle, cpu, guest__read(guest, GUEST_RSI));
	oracle__note(oracle, cpu, ORACLE_SWITCH, ip, ip, 0, &kernel, 0);
}
