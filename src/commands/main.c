// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/inherited.h"
#include "base/log.h"
#include "commands/export.h"
#include "commands/list.h"
#include "commands/record.h"
#include "commands/report.h"
#include "loader/libbpf_log.h"
#include "version.h"

#define LARGE (64 << 10)

/* The commands; any other command line is one of record__main(). */
static const struct command {
	const char *name;
	int (*main)(int argc, char **argv);
} commands[] = {
	{"list", list__main},
	{"report", report__main},
	{"export", export__main},
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

/*
 * Gives back to the system what a recorder, which is left on for weeks, needs only for a moment, at a burst
 * of tasks. Large buffers are mappings of their own, whatever the size of the largest was, and the threads
 * share one arena, where what stays fills the gaps (mallopt(3)).
 */
static void keep_heap_small(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE);
	mallopt(M_TRIM_THRESHOLD, LARGE);
	mallopt(M_ARENA_MAX, 1);
}

static int run(int argc, char **argv)
{
	const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;

	keep_heap_small();
	libbpf_log__init();
	if (command)
		return command->main(argc - 1, argv + 1);
	return record__main(argc, argv, AUXBPF_VERSION);
}

/* Returns the exit status: @status, unless what was printed could not be written to stdout. */
static int finish(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	log_err("cannot write to stdout: %s", strerror(errno));
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	inherited__open_standard();
	return finish(run(argc, argv));
}
