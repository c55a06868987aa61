// SPDX-License-Identifier: GPL-2.0-only
/*
 * wake [PID...] -- COMMAND...: continues stopped processes and becomes COMMAND, with as few system calls as
 * that takes. So what keeps the CPUs busy while a command is traced does not slow down the recorder's start.
 * The task says NOTE_TARGET before it executes COMMAND.
 */
#include <signal.h>
#include <unistd.h>

#include "program.h"

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		REQUIRE(!kill((pid_t)program__arg(argc, argv, i, 0), SIGCONT));
	if (i + 1 >= argc) {
		fprintf(stderr, "Usage: %s [PID...] -- COMMAND...\n", argv[0]);
		return 2;
	}
	mark__note(NOTE_TARGET);
	execvp(argv[i + 1], &argv[i + 1]);
	fprintf(stderr, "%s: cannot execute %s: %s\n", argv[0], argv[i + 1], strerror(errno));
	return 127;
}
