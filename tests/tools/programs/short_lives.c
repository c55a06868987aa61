// SPDX-License-Identifier: GPL-2.0-only
/*
 * short_lives COUNT EVERY: makes so many processes that end at once, as cheaply as they come: two at a time, most
 * in their parent's memory, one of FORKS in memory of its own. One of EXECS becomes another program before. Every
 * EVERY-th ends with the exit code 3, for a rule that listens.
 */
#include <unistd.h>

#include "task.h"

#define AT_A_TIME 2
#define FORKS 10
#define EXECS 50
#define CODE 3

static void run_one(long i, long every)
{
	pid_t pid = i % FORKS == 2 ? fork() : vfork();

	REQUIRE(pid >= 0);
	if (!pid) {
		if (i % every == 0)
			_exit(CODE);
		/* Of it there are none to make. */
		if (i % EXECS == 1)
			execl("/proc/self/exe", "ends", "0", "1", (char *)NULL);
		_exit(EXIT_SUCCESS);
	}
	REQUIRE(wait(NULL) == pid);
}

static void run_some(long first, long count, long every)
{
	for (long i = first; i <= count; i += AT_A_TIME)
		run_one(i, every);
}

int main(int argc, char **argv)
{
	long count = program__arg(argc, argv, 1, 1000), every = program__arg(argc, argv, 2, 100);

	for (long worker = 1; count && worker <= AT_A_TIME; worker++) {
		pid_t pid = fork();

		REQUIRE(pid >= 0);
		if (!pid) {
			run_some(worker, count, every);
			_exit(EXIT_SUCCESS);
		}
	}
	while (wait(NULL) > 0)
		;
	return EXIT_SUCCESS;
}
