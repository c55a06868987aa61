// SPDX-License-Identifier: GPL-2.0-only
#include "work.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "base/log.h"
#include "count.h"

/* The loops of a run, and the runs of which the least counts. */
#define TIMED_LOOPS 10000
#define TIMED_RUNS 5
#define COUNTED_LOOPS 10
#define COUNTED_RUNS 40

struct worker_process {
	pid_t pid;
	int ask, answer;
};

struct shared {
	volatile int ready; /* how many switchers have begun */
	volatile int done;  /* the one that measures has finished */
};

struct workers {
	struct worker_process process[WORKER_NR];
	struct shared *shared;
	int cpu;
};

struct question {
	enum work work;
	bool partner; /* it is only the other side of a context switch */
};

bool work__counts(void)
{
	return count__instructions() != 0;
}

static uint64_t clock_now(void)
{
	struct timespec now;

	if (work__counts())
		return count__instructions();
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static double measure_calls(enum work work, unsigned int loops)
{
	struct utsname name;
	uint64_t start = clock_now();

	for (unsigned int i = 0; i < loops; i++) {
		if (work == WORK_MISS)
			syscall(SYS_getppid);
		else
			syscall(SYS_uname, &name);
	}
	return (double)(clock_now() - start) / loops;
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nivcsw + usage.ru_nvcsw;
}

/*
 * Measures two switches a loop: each yield of a SCHED_FIFO task goes to the other task, whose yield comes
 * back.
 */
static double measure_switches(struct shared *shared, unsigned int loops)
{
	uint64_t start, end;
	long before;

	while (shared->ready < 2)
		sched_yield();
	before = switches();
	start = clock_now();
	for (unsigned int i = 0; i < loops; i++)
		sched_yield();
	end = clock_now();
	if (switches() - before < (long)loops) {
		log_err("only %ld switches in %u yields", switches() - before, loops);
		return -1;
	}
	return (double)(end - start) / (2 * loops);
}

static double answer(const struct question *question, struct shared *shared)
{
	const unsigned int runs = work__counts() ? COUNTED_RUNS : TIMED_RUNS;
	const unsigned int loops = work__counts() ? COUNTED_LOOPS : TIMED_LOOPS;
	double least = -1;

	for (unsigned int i = 0; i < runs; i++) {
		double cost = question->work < WORK_SWITCH ? measure_calls(question->work, loops)
							   : measure_switches(shared, loops);

		if (cost < 0)
			return cost;
		if (least < 0 || cost < least)
			least = cost;
	}
	return least;
}

static void switch_along(struct shared *shared)
{
	__atomic_add_fetch(&shared->ready, 1, __ATOMIC_RELAXED);
	while (!shared->done)
		sched_yield();
}

static _Noreturn void work(int ask, int to, struct shared *shared)
{
	struct question question;

	while (read(ask, &question, sizeof(question)) == sizeof(question)) {
		double cost = 0;

		if (question.partner) {
			switch_along(shared);
		} else {
			__atomic_add_fetch(&shared->ready, 1, __ATOMIC_RELAXED);
			cost = answer(&question, shared);
			shared->done = 1;
		}
		if (write(to, &cost, sizeof(cost)) != sizeof(cost))
			break;
	}
	_exit(0);
}

/* Prepares the new process. */
static void settle(enum worker who, int cpu)
{
	const struct sched_param first = {.sched_priority = 1};
	cpu_set_t set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, who == WORKER_TARGET ? "bench-target" : "bench-other");
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || sched_setscheduler(0, SCHED_FIFO, &first)) {
		log_err("cannot have CPU %d with SCHED_FIFO: %s", cpu, strerror(errno));
		_exit(1);
	}
}

static int start_one(struct workers *workers, enum worker who)
{
	struct worker_process *p = &workers->process[who];
	int ask[2], to[2];

	if (pipe(ask) || pipe(to))
		return -errno;
	p->pid = fork();
	if (p->pid < 0)
		return -errno;
	if (!p->pid) {
		close(ask[1]);
		close(to[0]);
		settle(who, workers->cpu);
		work(ask[0], to[1], workers->shared);
	}
	close(ask[0]);
	close(to[1]);
	p->ask = ask[1];
	p->answer = to[0];
	return 0;
}

static int last_cpu(void)
{
	cpu_set_t set;
	int last = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -errno;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			last = i;
	return last;
}

int workers__new(struct workers **ret)
{
	_cleanup_(cleanup__workers) struct workers *workers = calloc(1, sizeof(*workers));
	int err = 0;

	if (!workers)
		return -ENOMEM;
	workers->cpu = last_cpu();
	if (workers->cpu < 0)
		return workers->cpu;
	workers->shared = mmap(NULL, sizeof(*workers->shared), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (workers->shared == MAP_FAILED)
		return -errno;
	for (enum worker i = 0; !err && i < WORKER_NR; i++)
		err = start_one(workers, i);
	if (err)
		return err;
	*ret = steal_ptr(workers);
	return 0;
}

void workers__free(struct workers *workers)
{
	for (enum worker i = 0; i < WORKER_NR; i++) {
		struct worker_process *p = &workers->process[i];

		if (p->pid <= 0)
			continue;
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
		close(p->ask);
		close(p->answer);
	}
	munmap(workers->shared, sizeof(*workers->shared));
	free(workers);
}

int workers__cpu(const struct workers *workers)
{
	return workers->cpu;
}

pid_t workers__pid(const struct workers *workers, enum worker who)
{
	return workers->process[who].pid;
}

static void ask(struct workers *workers, enum worker who, enum work work, bool partner)
{
	const struct question question = {.work = work, .partner = partner};

	if (write(workers->process[who].ask, &question, sizeof(question)) != sizeof(question))
		log_err("a process of the benchmark is gone");
}

static double hear(struct workers *workers, enum worker who)
{
	double cost;

	if (read(workers->process[who].answer, &cost, sizeof(cost)) != sizeof(cost)) {
		log_err("a process of the benchmark is gone");
		return -1;
	}
	return cost;
}

double workers__measure(struct workers *workers, enum work work)
{
	static const struct {
		enum worker who, partner;
	} roles[WORK_NR] = {
		[WORK_MISS] = {WORKER_OTHER, WORKER_NR},     [WORK_OTHER] = {WORKER_OTHER, WORKER_NR},
		[WORK_TARGET] = {WORKER_TARGET, WORKER_NR},  [WORK_SWITCH] = {WORKER_OTHER, WORKER_PARTNER},
		[WORK_MOVE] = {WORKER_TARGET, WORKER_OTHER},
	};
	const enum worker partner = roles[work].partner;
	double cost;

	workers->shared->ready = workers->shared->done = 0;
	ask(workers, roles[work].who, work, false);
	if (partner != WORKER_NR)
		ask(workers, partner, work, true);
	cost = hear(workers, roles[work].who);
	if (partner != WORKER_NR && hear(workers, partner) < 0)
		return -1;
	return cost;
}
