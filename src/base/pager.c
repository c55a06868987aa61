// SPDX-License-Identifier: GPL-2.0-only
#include "base/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A command with one of these is for a shell. */
#define SHELL_CHARACTERS " \t\n;|&<>()$`\\\"'*?[#~=%"

/* The pager; 0: there is none. */
static volatile pid_t pager;

/* The pager has a terminal so wide. */
static unsigned int pager_columns;

/* How wide the terminal is that stdout is; 0: it is none. */
static unsigned int stdout_columns(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

static void wait_for_pager(void)
{
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}

/* The pager shows what it has, and gives the terminal back; then the signal does what it would have done. */
static void on_signal(int signal)
{
	close(STDOUT_FILENO);
	wait_for_pager();
	raise(signal);
}

static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGHUP, SIGTERM, SIGQUIT, SIGPIPE};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_NODEFER}, old;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		/* Whoever started this process with a signal ignored wants it to be. */
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
}

/* The command that is to show the output; NULL: none. */
static const char *pager_command(void)
{
	const char *command = getenv("PAGER");

	if (!command)
		command = "less";
	return *command && strcmp(command, "cat") ? command : NULL;
}

/* Becomes the pager, or, where that is not to be had, what shows the text as it is. */
static void run_pager(const char *command, const int ends[2])
{
	if (dup2(ends[0], STDIN_FILENO) < 0)
		_exit(126);
	close(ends[0]);
	close(ends[1]);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	if (strpbrk(command, SHELL_CHARACTERS))
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	else
		execlp(command, command, (char *)NULL);
	execlp("cat", "cat", (char *)NULL);
	_exit(127);
}

void pager__start(void)
{
	const char *command = isatty(STDOUT_FILENO) ? pager_command() : NULL;
	int ends[2];
	pid_t pid;

	if (!command || pipe2(ends, O_CLOEXEC))
		return;
	pager_columns = stdout_columns();
	pid = fork();
	if (!pid)
		run_pager(command, ends);
	close(ends[0]);
	if (pid > 0 && dup2(ends[1], STDOUT_FILENO) >= 0) {
		pager = pid;
		catch_signals();
	}
	close(ends[1]);
}

void pager__finish(void)
{
	if (!pager)
		return;
	/* The pager sees the end only when nobody has the pipe any more. */
	fflush(stdout);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	wait_for_pager();
	pager = 0;
}

bool pager__is_terminal(void)
{
	return pager || isatty(STDOUT_FILENO);
}

unsigned int pager__columns(void)
{
	return pager ? pager_columns : stdout_columns();
}
