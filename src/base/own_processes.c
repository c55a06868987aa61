// SPDX-License-Identifier: GPL-2.0-only
#include "base/own_processes.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"

/* A value of `end` that is no time: a process is writing the entry, which must not be read. */
#define CLAIMED 1

/*
 * How long a process may still release its memory after it has left, ns. No other process gets its pid so
 * soon.
 */
#define EXIT_TIME 1000000000

/* Shared by all processes of auxbpf. An entry that has not been used yet is zero. */
static struct own_process *processes;

/* The entry of this process, NULL if it has none. */
static struct own_process *mine;

int own_processes__prepare(void)
{
	void *memory = mmap(NULL, OWN_PROCESSES_MAX * sizeof(*processes), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -errno;
	processes = memory;
	return 0;
}

static uint64_t end_of(const struct own_process *process)
{
	return __atomic_load_n(&process->end, __ATOMIC_ACQUIRE);
}

/* Finds the entry whose process ended first, or that was never used. Returns NULL if all processes go on. */
static struct own_process *find_oldest(uint64_t *end)
{
	struct own_process *oldest = NULL;

	*end = UINT64_MAX;
	for (size_t i = 0; i < OWN_PROCESSES_MAX; i++) {
		uint64_t its = end_of(&processes[i]);

		if (its != CLAIMED && its < *end) {
			oldest = &processes[i];
			*end = its;
		}
	}
	return oldest;
}

void own_processes__enter(uint64_t since)
{
	uint64_t end;

	mine = NULL;
	if (!processes)
		return;
	do
		mine = find_oldest(&end);
	while (mine && !__atomic_compare_exchange_n(&mine->end, &end, CLAIMED, false, __ATOMIC_ACQ_REL,
						    __ATOMIC_RELAXED));
	if (!mine)
		return;
	mine->pid = (uint32_t)getpid();
	mine->begin = since;
	__atomic_store_n(&mine->end, UINT64_MAX, __ATOMIC_RELEASE);
}

void own_processes__leave(void)
{
	if (mine)
		__atomic_store_n(&mine->end, clock__ns(CLOCK_MONOTONIC) + EXIT_TIME, __ATOMIC_RELEASE);
}

/* Notes the end of a process that was killed, and so could not note it itself. */
static void note_end(struct own_process *process)
{
	uint64_t goes_on = UINT64_MAX;

	if (kill((pid_t)process->pid, 0) && errno == ESRCH)
		__atomic_compare_exchange_n(&process->end, &goes_on, clock__ns(CLOCK_MONOTONIC), false,
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

size_t own_processes__list(struct own_process ret[OWN_PROCESSES_MAX + 1])
{
	size_t nr = 0;

	ret[nr++] = (struct own_process){.pid = (uint32_t)getpid(), .end = UINT64_MAX};
	for (size_t i = 0; processes && i < OWN_PROCESSES_MAX; i++) {
		struct own_process *process = &processes[i];
		uint64_t end;

		if (end_of(process) == UINT64_MAX)
			note_end(process);
		end = end_of(process);
		ret[nr] = *process;
		nr += end > CLAIMED && ret[nr].end == end && end_of(process) == end;
	}
	return nr;
}
