// SPDX-License-Identifier: GPL-2.0-only
/*
 * oracle-mark: starts and stops the trace unit's oracle log from inside the guest, having told the unit where
 * this kernel keeps what tells tasks apart. Exit status: 0, that of the command, 1 what went wrong (no trace
 * unit), 2 usage.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/mark.h"
#include "base/cleanup.h"
#include "base/parse.h"
#include "kernel_layout.h"

#define EXIT_USAGE 2
#define EXIT_NOT_FOUND 127
#define EXIT_NOT_EXECUTABLE 126

static const char usage_text[] =
	"Usage: oracle-mark start | stop | note NUMBER [-- COMMAND...] | only traced | only units\n"
	"       oracle-mark run [--phase N] [--traced | --new] [--target N] [--again] -- COMMAND...\n"
	"\n"
	"start  sets the kernel's symbols and starts the log on all CPUs\n"
	"stop   stops it\n"
	"note   logs a number of 16 or more, and then becomes COMMAND\n"
	"only   goes on with what is traced, or without branches: enough to count the bytes of the trace\n"
	"run    start, note N, COMMAND, stop; the status is the command's. COMMAND is a recorder: of its "
	"own\n"
	"       threads only what is traced is logged. With --traced so of all tasks: enough for a "
	"comparison\n"
	"       with what is decoded, not for that of the gate. With --new so of those that were there "
	"before\n";

static bool no_unit(void)
{
	fputs("oracle-mark: this machine has no trace unit with marks; run it in the lab, with the unit\n",
	      stderr);
	return false;
}

static bool set_symbols(void)
{
	struct kernel_layout layout;

	if (kernel_layout__read(&layout))
		return false;
	if (!mark__set_symbol(ORACLE_SYM_SWITCH_TO, layout.switch_to))
		return no_unit();
	mark__set_symbol(ORACLE_SYM_CURRENT_TASK, layout.current_task);
	mark__set_symbol(ORACLE_SYM_THIS_CPU_OFF, layout.this_cpu_off);
	mark__set_symbol(ORACLE_SYM_TASK_PID, layout.task_pid);
	return mark__set_symbol(ORACLE_SYM_TASK_TGID, layout.task_tgid);
}

/* Of tasks with an id below @first_loud only what is traced is logged. */
static bool start(enum oracle_start what, uint32_t first_loud)
{
	return mark__start(what, first_loud) || no_unit();
}

static bool stop(void)
{
	return mark__stop() || no_unit();
}

/* Becomes the command; returns the exit status if that is not possible. */
static int become(char **argv)
{
	execvp(argv[0], argv);
	fprintf(stderr, "oracle-mark: cannot run %s: %s\n", argv[0], strerror(errno));
	return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* A number that is not one of the marks that START and STOP log. */
static bool parse_note(const char *arg, uint32_t *ret)
{
	uint64_t number;

	if (!arg || parse__u64(arg, &number) || number < 16 || number > UINT32_MAX) {
		fputs("oracle-mark: a note is a number of 16 or more\n", stderr);
		return false;
	}
	*ret = (uint32_t)number;
	return true;
}

static int note(char **argv)
{
	uint32_t number;

	if (!parse_note(argv[0], &number))
		return EXIT_USAGE;
	if (argv[1] && (strcmp(argv[1], "--") != 0 || !argv[2]))
		return fputs(usage_text, stderr), EXIT_USAGE;
	if (!mark__note(number))
		return no_unit(), EXIT_FAILURE;
	return argv[1] ? become(argv + 2) : EXIT_SUCCESS;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_FAILURE;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int only(const char *what)
{
	if (what && !strcmp(what, "traced"))
		return start(ORACLE_START_TRACED, 0) ? EXIT_SUCCESS : EXIT_FAILURE;
	if (what && !strcmp(what, "units"))
		return start(ORACLE_START_UNITS, 0) ? EXIT_SUCCESS : EXIT_FAILURE;
	return fputs(usage_text, stderr), EXIT_USAGE;
}

struct run_opts {
	enum oracle_start what;
	uint32_t first_loud;
	uint32_t phase;	 /* 0: none */
	uint32_t target; /* 0: COMMAND is a recorder */
	bool again;
};

/* Reads the options of run; returns what comes after "--", NULL if they are wrong. */
static char **parse_run(char **argv, struct run_opts *opts)
{
	for (; argv[0] && strcmp(argv[0], "--") != 0; argv++) {
		if (!strcmp(argv[0], "--traced"))
			opts->what = ORACLE_START_TRACED;
		else if (!strcmp(argv[0], "--new"))
			opts->first_loud = (uint32_t)getpid();
		else if (!strcmp(argv[0], "--again"))
			opts->again = true;
		else if (!strcmp(argv[0], "--target") && parse_note(argv[1], &opts->target))
			argv++;
		else if (strcmp(argv[0], "--phase") != 0 || !parse_note(*++argv, &opts->phase))
			return NULL;
	}
	return argv[0] && argv[1] ? argv + 1 : NULL;
}

static int run_child(const struct run_opts *opts, char **command)
{
	if (opts->target)
		mark__note(opts->target);
	else
		mark__quiet();
	return become(command);
}

static int run(char **argv)
{
	struct run_opts opts = {.what = ORACLE_START_ALL};
	char **command = parse_run(argv, &opts);
	int status;
	pid_t pid;

	if (!command)
		return fputs(usage_text, stderr), EXIT_USAGE;
	if ((!opts.again && !set_symbols()) || !start(opts.what, opts.first_loud))
		return EXIT_FAILURE;
	if ((opts.phase && !mark__note(opts.phase)) || (opts.target && !mark__note(opts.target)))
		return EXIT_FAILURE;
	pid = fork();
	if (!pid)
		_exit(run_child(&opts, command));
	status = pid > 0 ? wait_for(pid) : EXIT_FAILURE;
	return stop() ? status : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	const char *cmd = argc > 1 ? argv[1] : "";

	if (!strcmp(cmd, "start") && argc == 2)
		return set_symbols() && start(ORACLE_START_ALL, 0) ? EXIT_SUCCESS : EXIT_FAILURE;
	if (!strcmp(cmd, "stop") && argc == 2)
		return stop() ? EXIT_SUCCESS : EXIT_FAILURE;
	if (!strcmp(cmd, "note"))
		return note(argv + 2);
	if (!strcmp(cmd, "only"))
		return only(argv[2]);
	if (!strcmp(cmd, "run"))
		return run(argv + 2);
	fputs(usage_text, stderr);
	return EXIT_USAGE;
}
