// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_ask NOTE COUNT [PID|FIFO]: causes COUNT snapshots, at places that the oracle's log knows. Each time
 * it makes a note and sends SIGUSR2 to the process, writes "snapshot" to the fifo, or, with neither, calls
 * getppid() for a rule that listens, and then goes on with work. It keeps to CPU 1.
 */
#include <fcntl.h>
#include <signal.h>

#include "task.h"

/* Long enough for each way to have stopped the trace, short enough for the log. */
#define WORK_NS 150000000LL

static long long now(void)
{
	struct timespec ts;

	REQUIRE(!syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts));
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void work(void)
{
	for (long long end = now() + WORK_NS; now() < end;)
		for (volatile int i = 0; i < 1000; i++)
			;
}

int main(int argc, char **argv)
{
	uint32_t note = (uint32_t)program__arg(argc, argv, 1, NOTE_TRIGGER);
	pid_t pid = (pid_t)program__arg(argc, argv, 3, 0);
	int fifo = -1;

	if (argc > 3 && !pid)
		REQUIRE((fifo = open(argv[3], O_WRONLY)) >= 0);
	task__pin(0, 1);
	for (long i = 0; i < program__arg(argc, argv, 2, 1); i++) {
		task__sleep_ms(1000);
		mark__note(note);
		if (pid)
			REQUIRE(!kill(pid, SIGUSR2));
		else if (fifo >= 0)
			REQUIRE(write(fifo, "snapshot\n", 9) == 9);
		else
			syscall(SYS_getppid);
		work();
	}
	return EXIT_SUCCESS;
}
