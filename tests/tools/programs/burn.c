// SPDX-License-Identifier: GPL-2.0-only
/*
 * burn CPU SECONDS [MS]: keeps a CPU busy until the time is over or SIGTERM comes, with few branches (so that a
 * log of all branches stays small) and now and then the very system calls that other tasks are traced for.
 * Prints a line once it burns. With MS it stops itself each time that it has had so many milliseconds of the CPU,
 * until it is continued (wake.c): it is there while a command runs, and costs nothing while a recorder does.
 */
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

static volatile sig_atomic_t done;

static void on_signal(int sig)
{
	done = 1;
}

/* The time that this process has had of a CPU, ms. */
static long used_ms(void)
{
	struct timespec ts;

	REQUIRE(!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts));
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = on_signal};
	long burst = program__arg(argc, argv, 3, 0), begin = used_ms();
	struct utsname uts;
	cpu_set_t set;

	if (argc < 3) {
		fprintf(stderr, "Usage: %s CPU SECONDS [MS]\n", argv[0]);
		return 2;
	}
	CPU_ZERO(&set);
	CPU_SET((size_t)program__arg(argc, argv, 1, 0), &set);
	REQUIRE(!sched_setaffinity(0, sizeof(set), &set));
	REQUIRE(!sigaction(SIGTERM, &sa, NULL) && !sigaction(SIGALRM, &sa, NULL));
	alarm((unsigned int)program__arg(argc, argv, 2, 1));
	printf("burning on CPU %s\n", argv[1]);
	fflush(stdout);
	while (!done) {
		mark__quiet(); /* each log anew: what it runs untraced would be most of the log */
		for (int i = 0; i < 1000; i++)
			__asm__ volatile(".rept 20000\n\tnop\n\t.endr");
		syscall(SYS_uname, &uts);
		if (burst && used_ms() - begin >= burst) {
			raise(SIGSTOP);
			begin = used_ms();
		}
	}
	return EXIT_SUCCESS;
}
